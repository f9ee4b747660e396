"""Bridges equal networkx's, trees of classes span them, and both kernels are the same."""

import networkx as nx
import numpy as np
import pytest
from drawn import generators, numbers
from hypothesis import given
from kernel_versions import both, versions

import gapless_kernels

_bridges_twin, _bridges = versions("graphs._bridges")
each_version = both("graphs._bridges")


def rows_of(graph, weight=None):
    """Compressed sparse rows of a networkx graph on 0..n-1, neighbours ascending."""
    near = [sorted(graph[v]) for v in range(len(graph))]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in near])]).astype(np.int64)
    neighbours = np.array([u for row in near for u in row], np.int32)
    if weight is None:
        return offsets, neighbours
    weights = [graph[v][u][weight] for v, row in enumerate(near) for u in row]
    return offsets, neighbours, np.array(weights, np.float64)


def random_graph(seed):
    rng = numbers(seed)
    n = int(rng.integers(1, 25))
    graph = nx.empty_graph(n)
    graph.add_edges_from(
        (u, v) for u, v in rng.integers(n, size=(int(rng.integers(0, 2 * n)), 2)).tolist() if u != v
    )
    return graph


@each_version
@given(rng=generators())
def test_parts_are_what_is_left_without_bridges(rng, kernels):
    graph = random_graph(rng)
    part, tops, above = kernels.bridge_tree(*rows_of(graph))
    bridges = set(map(frozenset, nx.bridges(graph)))
    assert {frozenset((int(t), int(a))) for t, a in zip(tops, above, strict=True) if a >= 0} == bridges
    graph.remove_edges_from(list(map(tuple, bridges)))
    found = {frozenset(np.flatnonzero(part == p).tolist()) for p in range(tops.size)}
    assert found == set(map(frozenset, nx.connected_components(graph)))
    np.testing.assert_array_equal(part[tops], np.arange(tops.size))
    assert np.all(part[above[above >= 0]] < np.flatnonzero(above >= 0))


@each_version
@given(rng=generators())
def test_the_quotient_tree_is_breadth_first_over_lightest_edges(rng, kernels):
    graph = random_graph(rng)
    nx.set_edge_attributes(graph, {e: float(rng.integers(1, 4)) for e in graph.edges}, "weight")
    n = len(graph)
    classes = rng.integers(-1, max(1, n // 4), n)
    classes[int(rng.integers(n))] = root = 0
    offsets, neighbours, weights = rows_of(graph, "weight")
    names = np.where(classes >= 0, classes, np.arange(n) + n)
    shrunk = nx.Graph()
    shrunk.add_nodes_from(names.tolist())
    for u, v, weight in graph.edges(data="weight"):
        a, b = int(names[u]), int(names[v])
        best = min(weight, shrunk.get_edge_data(a, b, {"weight": weight})["weight"])
        shrunk.add_edge(a, b, weight=best)
    depth = nx.single_source_shortest_path_length(shrunk, root)
    for held in (weights, None):
        part, tops, above = kernels.quotient_tree(offsets, neighbours, held, classes, root)
        assert {int(names[v]) for v in range(n) if part[v] >= 0} == set(depth)
        assert above[0] == -1
        assert classes[tops[0]] == root
        for p, (top, up) in enumerate(zip(tops.tolist(), above.tolist(), strict=True)):
            assert part[top] == p
            assert set(names[part == p].tolist()) == {int(names[top])}
            if p:
                assert depth[int(names[top])] == depth[int(names[up])] + 1
                assert graph.has_edge(top, up)
                assert part[up] < p
                if held is not None:
                    assert graph[top][up]["weight"] == shrunk[int(names[top])][int(names[up])]["weight"]


@each_version
def test_sums_below(kernels):
    parents = np.array([-1, 0, 1, 1, -1, 4], np.int64)
    np.testing.assert_array_equal(
        kernels.sums_below(parents, np.array([1.0, 2, 4, 8, 16, 32])), [15, 14, 4, 8, 48, 32]
    )


@pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")
@given(rng=generators())
def test_twins_agree(rng):
    graph = random_graph(rng)
    nx.set_edge_attributes(graph, {e: float(rng.integers(1, 3)) for e in graph.edges}, "weight")
    offsets, neighbours, weights = rows_of(graph, "weight")
    n = len(graph)
    classes = rng.integers(-1, n, n)
    classes[0] = root = int(rng.integers(n))
    answers = []
    for kernels in (_bridges_twin, _bridges):
        tree = kernels.bridge_tree(offsets, neighbours)
        parents = np.where(tree[2] >= 0, tree[0][tree[2]], -1)
        sums = kernels.sums_below(parents, np.arange(parents.size) / 7)
        answers.append([*tree, sums, *kernels.quotient_tree(offsets, neighbours, weights, classes, root)])
    for expected, found in zip(*answers, strict=True):
        assert expected.dtype == found.dtype
        np.testing.assert_array_equal(expected, found)


@each_version
def test_a_long_path_overflows_no_stack(kernels):
    n = 1_000_000 if kernels is not _bridges_twin else 20_000
    offsets = np.concatenate([[0, 1], np.arange(3, 2 * n - 2, 2), [2 * n - 2]])
    neighbours = np.empty(2 * n - 2, np.int32)
    neighbours[0], neighbours[-1] = 1, n - 2
    neighbours[1:-1:2], neighbours[2:-1:2] = np.arange(n - 2), np.arange(2, n)
    part, tops, above = kernels.bridge_tree(offsets, neighbours)
    np.testing.assert_array_equal(part, np.arange(n))
    np.testing.assert_array_equal(above, np.arange(-1, n - 1))
    classes = np.full(n, -1)
    classes[:: n // 2] = 0
    part, tops, above = kernels.quotient_tree(offsets, neighbours, None, classes, 0)
    assert tops.size == n - (classes == 0).sum() + 1


@each_version
def test_stray_numbers_are_refused(kernels):
    offsets, near = np.array([0, 1, 2]), np.array([1, 0], np.int32)
    with pytest.raises(ValueError, match="neighbours must lie between 0 and 1"):
        kernels.bridge_tree(offsets, near + np.int32(1))
    with pytest.raises(ValueError, match="offsets must rise"):
        kernels.bridge_tree(np.array([0, 3, 2]), near)
    with pytest.raises(TypeError, match="neighbours must be"):
        kernels.bridge_tree(offsets, near.astype(np.int64))
    with pytest.raises(ValueError, match="no vertex is in class 1"):
        kernels.quotient_tree(offsets, near, None, np.array([0, -1]), 1)
    with pytest.raises(ValueError, match="classes must lie"):
        kernels.quotient_tree(offsets, near, None, np.array([0, 2]), 0)
    with pytest.raises(ValueError, match="before its child"):
        kernels.sums_below(np.array([-1, 1]), np.zeros(2))
