"""Graphs from everywhere are the same graph; degrees, components and connections agree with networkx."""

import networkx
import numpy as np
import pytest
from scipy.sparse import coo_array

import gapless
from gapless import InvalidProblem
from gapless_linking import Connection, Graph, LinkingProblem

EDGES = np.array([[4, 9], [9, 4], [4, 4], [9, 2], [2, 30], [7, 8], [11, 11]])
WEIGHTS = np.array([2.0, 0.5, 1.0, 3.0, 1.5, 4.0, 1.0])


def edges_of(graph):
    return {(min(u, v), max(u, v), data["weight"]) for u, v, data in graph.to_networkx().edges(data=True)}


def random_graph(seed):
    rng = np.random.default_rng(seed)
    made = networkx.gnm_random_graph(60, int(rng.integers(30, 120)), seed=seed)
    return made, rng


def test_loops_go_and_the_lightest_of_parallel_edges_stays():
    graph = Graph.from_edges(EDGES, WEIGHTS)
    assert edges_of(graph) == {(4, 9, 0.5), (2, 9, 3.0), (2, 30, 1.5), (7, 8, 4.0)}
    assert set(graph.vertices.tolist()) == {2, 4, 7, 8, 9, 11, 30}
    degrees = np.diff(graph.offsets)
    assert np.all(degrees[1:] <= degrees[:-1])
    assert all(np.all(np.diff(row) > 0) for row in np.split(graph.neighbours, graph.offsets[1:-1]))
    assert edges_of(Graph.from_edges(EDGES)) == {(4, 9, 1.0), (2, 9, 1.0), (2, 30, 1.0), (7, 8, 1.0)}


def test_all_builders_agree():
    graph = Graph.from_edges(EDGES, WEIGHTS)
    matrix = coo_array((WEIGHTS[1:], (EDGES[1:, 0], EDGES[1:, 1])), shape=(31, 31))
    rows = Graph.from_scipy(matrix.tocsr())
    assert edges_of(rows) == edges_of(graph)
    assert rows.vertex_count == 31
    csr = matrix.tocsr()
    assert edges_of(Graph.from_arrays(csr.indptr, csr.indices, csr.data)) == edges_of(graph)
    assert Graph.from_scipy(coo_array(([True], ([0], [1])), shape=(2, 2))).weights is None
    again = Graph.from_networkx(graph.to_networkx(), "weight")
    assert edges_of(again) == edges_of(graph)
    assert np.array_equal(again.vertices, graph.vertices)


def test_names_of_nodes_stay():
    graph = Graph.from_networkx(networkx.path_graph(["jaguar", "jungle", "car"]))
    assert graph.names == ("jaguar", "jungle", "car")
    assert edges_of(graph) == {(0, 1, 1.0), (1, 2, 1.0)}
    with pytest.raises(InvalidProblem, match="all be integers or all be strings"):
        Graph.from_networkx(networkx.path_graph(["jaguar", 3]))


@pytest.mark.parametrize("seed", range(5))
def test_the_largest_component(seed):
    made, _ = random_graph(seed)
    whole = Graph.from_networkx(made)
    graph = Graph.from_networkx(made, largest_component=True)
    largest = max(networkx.connected_components(made), key=len)
    assert set(graph.vertices.tolist()) == largest
    assert graph.left_out.tolist() == sorted(set(made) - largest)
    assert edges_of(graph) == {e for e in edges_of(whole) if e[0] in largest}
    if graph.left_out.size:
        with pytest.raises(InvalidProblem, match=f"here: vertex {graph.left_out[0]} is outside the largest"):
            graph.require(graph.left_out, "here")


@pytest.mark.parametrize("seed", range(5))
def test_degrees_with_a_connection(seed):
    made, rng = random_graph(seed)
    graph = Graph.from_networkx(made)
    connection = Connection([rng.choice(60, 5, replace=False), rng.choice(60, 8, replace=False)], [(0, 1), (1, 0)])
    changed = graph.with_connection(connection)
    ids = np.arange(60)
    assert graph.degree(ids).tolist() == [made.degree[v] for v in range(60)]
    assert np.array_equal(graph.degree(ids, connection), changed.degree(ids))
    u, v = np.meshgrid(np.arange(60), np.arange(60))
    expected = [[made.has_edge(a, b) for a in graph.vertices] for b in graph.vertices]
    assert np.array_equal(graph.joined(u.ravel(), v.ravel()).reshape(60, 60), expected)


@pytest.mark.parametrize("seed", range(5))
def test_the_minimal_connection_is_that_of_the_paper(seed):
    """Footnote 5: the hub of the largest component is joined to one vertex of each other component."""
    made, rng = random_graph(seed)
    graph = Graph.from_networkx(made)
    sets = [rng.choice(60, int(rng.integers(1, 12)), replace=False) for _ in range(12)]
    connection = LinkingProblem(graph, sets).minimal_connection().connection
    assert connection is not None
    edges = connection.edges.tolist()
    for members in sets:
        parts = list(networkx.connected_components(made.subgraph(members.tolist())))
        mine, edges = edges[: len(parts) - 1], edges[len(parts) - 1 :]
        if not mine:
            continue
        hub = mine[0][0]
        largest = next(part for part in parts if hub in part)
        assert len(largest) == max(map(len, parts))
        assert made.degree[hub] == max(made.degree[v] for v in largest)
        assert all(u == hub for u, _ in mine)
        assert all(sum(v in part for _, v in mine) == (part is not largest) for part in parts)
    assert not edges


def test_ids_that_are_far_apart():
    graph = Graph.from_edges([[10**15, 3], [3, 10**17]])
    assert graph.vertices.tolist() == [3, 10**15, 10**17]
    assert graph.inner([10**17, 4, 3]).tolist() == [2, -1, 0]
    with pytest.raises(InvalidProblem, match="no vertex 4"):
        graph.require([3, 4], "candidates[0]")


def test_json_keeps_a_graph():
    graph = Graph.from_edges(EDGES, WEIGHTS, largest_component=True)
    again = gapless.loads(gapless.dumps(graph))
    assert edges_of(again) == edges_of(graph)
    assert np.array_equal(again.left_out, graph.left_out)


@pytest.mark.parametrize(
    ("edges", "weights", "message"),
    [
        ([[0, -1]], None, r"edges\[0\] is \[0, -1\]"),
        ([[0.5, 1]], None, "integers"),
        ([0, 1, 2], None, "pairs"),
        ([[0, 1], [2]], None, "edges must be pairs"),
        ([[0, 1], [1, 2]], [1.0, 0.0], r"weights\[1\] is 0.0"),
        ([[0, 1]], [np.nan], "positive"),
        ([[0, 1]], [1.0, 2.0], "for 1 edges"),
        (np.zeros((0, 2), int), None, "no vertices"),
    ],
)
def test_wrong_edges_are_refused(edges, weights, message):
    with pytest.raises(InvalidProblem, match=message):
        Graph.from_edges(edges, weights)


def test_a_builder_says_what_it_was_given():
    with pytest.raises(InvalidProblem, match="the matrix is a ndarray, expected one of scipy"):
        Graph.from_scipy(np.eye(3))
    with pytest.raises(InvalidProblem, match="no edge has the attribute 'lenght'"):
        Graph.from_networkx(networkx.Graph([(0, 1, {"length": 2.0})]), weight="lenght")


@pytest.mark.parametrize(
    ("cliques", "edges", "message"),
    [
        ([[0.5, 1]], (), r"cliques\[0\] must be vertices"),
        ([0, 1], (), r"cliques\[0\] must be vertices"),
        ((), [[1, 2, 3]], "edges must be pairs"),
        ((), [[0.5, 1]], "edges must be pairs"),
    ],
)
def test_wrong_connections_are_refused(cliques, edges, message):
    with pytest.raises(InvalidProblem, match=message):
        Connection(cliques, edges)


def test_a_connection_is_one():
    with pytest.raises(InvalidProblem, match="connection is a list, expected a Connection"):
        LinkingProblem(Graph.from_edges([[0, 1]]), [[0], [1]], connection=[[0, 1]])
