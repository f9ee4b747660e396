"""Sums of distances within regions and distances from sets equal networkx's, and both kernels are the same."""

import networkx as nx
import numpy as np
import pytest
from drawn import generators, numbers
from hypothesis import given
from kernel_versions import both, versions

import gapless_kernels

_graph_searches_twin, _graph_searches = versions("graphs._graph_searches")
each_version = both("graphs._graph_searches")


def drawn(seed, weighted):
    rng = numbers(seed)
    n = int(rng.integers(1, 25))
    graph = nx.empty_graph(n)
    graph.add_edges_from(
        (u, v) for u, v in rng.integers(n, size=(int(rng.integers(0, 3 * n)), 2)).tolist() if u != v
    )
    for u, v in graph.edges:
        graph[u][v]["weight"] = float(rng.choice([0.0, 1.0, 3.0, rng.random()])) if weighted else 1.0
    near = [sorted(graph[v]) for v in range(n)]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in near])]).astype(np.int64)
    neighbours = np.array([u for row in near for u in row], np.int32)
    weights = np.array([graph[v][u]["weight"] for v, row in enumerate(near) for u in row], np.float64)
    return graph, (offsets, neighbours, weights if weighted else None), rng


def drawn_sets(rng, n):
    sizes = rng.integers(0, min(n, 4) + 1, 4)
    members = np.concatenate([rng.permutation(n)[:size] for size in sizes]).astype(np.int64)
    return np.concatenate([[0], np.cumsum(sizes)]), members, rng.permutation(n)[: int(rng.integers(0, n + 1))]


@each_version
@pytest.mark.parametrize("weighted", [False, True])
@given(rng=generators())
def test_sums_and_distances_are_networkx(rng, kernels, weighted):
    graph, rows, rng = drawn(rng, weighted)
    n = len(graph)
    region, charges = rng.integers(-1, 2, n), rng.integers(-1, 3, n).astype(float)
    expected = np.zeros(n)
    for gate in range(n):
        inside = graph.subgraph(np.flatnonzero(region == region[gate]).tolist())
        for v, distance in nx.single_source_dijkstra_path_length(inside, gate).items():
            expected[v] += charges[gate] * distance
    np.testing.assert_allclose(kernels.gate_costs(*rows, region, charges), expected, rtol=1e-12, atol=1e-12)
    first, members, points = drawn_sets(rng, n)
    found = kernels.hitting_distances(*rows, first, members, points)
    assert found.shape == (points.size, 4)
    for j in range(4):
        sources = members[first[j] : first[j + 1]].tolist()
        far = nx.multi_source_dijkstra_path_length(graph, set(sources)) if sources else {}
        np.testing.assert_allclose(found[:, j], [far.get(v, np.inf) for v in points.tolist()], rtol=1e-12)


@pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")
@given(rng=generators())
def test_twins_agree_bit_by_bit(rng):
    seed = int(rng.integers(200))
    graph, rows, rng = drawn(rng, weighted=seed % 2 == 0)
    n = len(graph)
    region, charges, sets = rng.integers(-1, 2, n), rng.normal(size=n), drawn_sets(rng, n)
    for name, arguments in (("gate_costs", (region, charges)), ("hitting_distances", sets)):
        expected = getattr(_graph_searches_twin, name)(*rows, *arguments)
        np.testing.assert_array_equal(getattr(_graph_searches, name)(*rows, *arguments), expected)


@each_version
def test_stray_numbers_are_refused(kernels):
    rows = np.array([0, 1, 2]), np.array([1, 0], np.int32), None
    none = np.array([0])
    with pytest.raises(ValueError, match="weights must be at least 0"):
        kernels.gate_costs(*rows[:2], np.array([1.0, np.nan]), np.zeros(2, np.int64), np.zeros(2))
    with pytest.raises(ValueError, match="region has 1 entries"):
        kernels.gate_costs(*rows, none, np.zeros(2))
    with pytest.raises(ValueError, match="members must lie"):
        kernels.hitting_distances(*rows, np.array([0, 1]), np.array([2]), none)
    with pytest.raises(ValueError, match="points must lie"):
        kernels.hitting_distances(*rows, np.array([0, 1]), none, np.array([-1]))
    with pytest.raises(ValueError, match="first must rise"):
        kernels.hitting_distances(*rows, np.array([0, 2]), none, none)
