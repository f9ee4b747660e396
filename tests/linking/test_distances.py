"""Distances equal networkx on random graphs: cliques and edges on top, weights, islands, very long paths."""

from typing import Any

import networkx
import numpy as np
import numpy.typing as npt
import patience
import pytest
from drawn import seeded
from hypothesis import given

import gapless_kernels
from gapless import InvalidProblem
from gapless_linking import Connection, Graph, distances
from gapless_linking.distances import pairwise_distances, search_bytes

Array = npt.NDArray[Any]


def sparse_graph(rng, weighted):
    """Some islands, some paths, some hubs."""
    n = int(rng.integers(2, 90))
    made = networkx.Graph()
    made.add_nodes_from(range(n))
    ends = rng.integers(0, n, (int(rng.integers(0, 3 * n)), 2)) if rng.random() < 0.6 else np.zeros((0, 2), int)
    pairs = [*ends.tolist(), *zip(range(0, n - 2), range(1, n - 1), strict=True)][: int(rng.integers(1, 3 * n))]
    made.add_edges_from((u, v, {"weight": float(rng.integers(1, 9)) / 4}) for u, v in pairs if u != v)
    if not weighted:
        networkx.set_edge_attributes(made, 1.0, "weight")
    return made


def some_connection(rng, made):
    nodes = list(made)
    cliques = [rng.choice(nodes, min(len(nodes), int(rng.integers(1, 6))), replace=False) for _ in range(3)]
    edges = [rng.choice(nodes, 2, replace=False) for _ in range(2)]
    kept = int(rng.integers(0, 3))
    return Connection(cliques[:kept], edges[:kept])


def expected(made, connection, points):
    whole = made.copy()
    pairs = [(u, v) for members in connection.cliques for u in members.tolist() for v in members.tolist() if u < v]
    for u, v in [*pairs, *connection.edges.tolist()]:
        if u != v:
            whole.add_edge(u, v, weight=min(1.0, whole.get_edge_data(u, v, {"weight": 1.0})["weight"]))
    answer = np.full((points.size, points.size), np.inf)
    for i, u in enumerate(points.tolist()):
        reached = networkx.single_source_dijkstra_path_length(whole, u)
        answer[i] = [reached.get(v, np.inf) for v in points.tolist()]
    return answer


def lengths(table):
    return np.where(table == np.iinfo(table.dtype).max, np.inf, table) if table.dtype.kind == "u" else table


@pytest.mark.parametrize("weighted", [False, True])
@given(rng=seeded())
def test_networkx_agrees(rng, weighted):
    made = sparse_graph(rng, weighted)
    graph = Graph.from_networkx(made, "weight" if weighted else None)
    for _ in range(3):  # the same graph again: a search must leave nothing behind
        connection = some_connection(rng, made)
        points = np.sort(rng.choice(list(made), int(rng.integers(1, len(made) + 1)), replace=False))
        found = pairwise_distances(graph, points, connection)
        assert np.array_equal(lengths(found), expected(made, connection, points))
        assert found.dtype == (np.float64 if weighted else np.uint8)
        assert np.array_equal(
            lengths(pairwise_distances(graph.with_connection(connection), points)), lengths(found)
        )


def test_weights_without_scipy(monkeypatch):
    rng = np.random.default_rng(3)
    made = sparse_graph(rng, True)
    graph, connection, points = (
        Graph.from_networkx(made, "weight"),
        some_connection(rng, made),
        np.array(sorted(made)),
    )
    monkeypatch.setattr(distances, "dijkstra", None)
    assert np.array_equal(pairwise_distances(graph, points, connection), expected(made, connection, points))


@pytest.mark.parametrize(
    ("n", "kind"), [(200, np.uint8), (256, np.uint16), (70_000, np.uint32), (1_000_000, np.uint32)]
)
def test_a_path_of_any_length(n, kind):
    if not gapless_kernels.COMPILED and n > 1000:
        pytest.skip("the NumPy twin walks a path step by step")
    graph = Graph.from_edges(np.stack([np.arange(n - 1), np.arange(1, n)], axis=1), largest_component=True)
    points = np.array([0, n // 3, n - 1])
    found = pairwise_distances(graph, points)
    assert found.dtype == kind
    assert np.array_equal(found, np.abs(points[:, None] - points))


def test_little_memory_means_fewer_sources_at_once():
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 400, (700, 2)))
    points = np.sort(graph.vertices[:300])
    tight = pairwise_distances(graph, points, memory_limit=search_bytes(graph, 1))
    assert np.array_equal(tight, pairwise_distances(graph, points))
    with pytest.raises(InvalidProblem, match="MiB at least, memory_limit is"):
        pairwise_distances(graph, points, memory_limit=search_bytes(graph, 1) - 1)


def test_unknown_vertices_are_named():
    graph = Graph.from_edges([[0, 1], [1, 2], [7, 8]], largest_component=True)
    with pytest.raises(InvalidProblem, match="vertices: the graph has no vertex 5"):
        pairwise_distances(graph, np.array([0, 5]))
    with pytest.raises(InvalidProblem, match="connection: vertex 8 is outside the largest component"):
        pairwise_distances(graph, np.array([0, 1]), Connection((), [(0, 8)]))


@pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")
@pytest.mark.parametrize("p", [3, 300])
def test_an_interrupted_search_leaves_nothing_behind(p):
    n = 1_000_000
    graph = Graph.from_edges(np.stack([np.arange(n - 1), np.arange(1, n)], axis=1))
    points = np.linspace(0, n - 1, p).astype(np.int64)
    with patience.ctrl_c_after(0.03), pytest.raises(KeyboardInterrupt):
        pairwise_distances(graph, points)
    close = np.arange(0, 2 * p, 2)
    assert np.array_equal(pairwise_distances(graph, close), np.abs(close[:, None] - close))
