"""The method ``decomposable``: the paper's answers, proofs that a textbook checks, and what it refuses."""

import itertools
from collections import Counter

import attrs
import networkx as nx
import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given

import gapless
import gapless_kernels
from gapless import InvalidProblem, Status, Stop
from gapless_linking import Graph, LinkingProblem, decomposable
from gapless_linking.decomposable_random import random_decomposable
from gapless_linking.decomposition_certificate import DecompositionCertificate

PATH = Graph.from_edges([(v, v + 1) for v in range(9)])


def every_structure(problem):
    assert problem.distances.size  # known from here on, so that each value is looked up
    return map(np.array, itertools.product(*(members.tolist() for members in problem.candidates)))


def networkx_graph(problem):
    graph, made = problem.graph, nx.Graph()
    assert graph is not None
    made.add_nodes_from(graph.vertices.tolist())
    for u in range(graph.vertex_count):
        for at in range(graph.offsets[u], graph.offsets[u + 1]):
            weight = 1.0 if graph.weights is None else float(graph.weights[at])
            made.add_edge(int(graph.vertices[u]), int(graph.vertices[graph.neighbours[at]]), weight=weight)
    return made


def algorithm_1(made, sets, anchors):
    """Blanco et al. 2013, Algorithm 1 to the letter (but for the minimum of the base case), without a prior."""
    owner = {v: i for i, members in sets.items() for v in members}
    for x, y in list(nx.bridges(made)):
        if x in owner and owner[x] == owner.get(y):
            continue
        made.remove_edge(x, y)
        sides = [nx.node_connected_component(made, t) for t in (x, y)]
        shares = [{i: members for i, members in sets.items() if members[0] in side} for side in sides]
        if not all(shares):
            made.add_edge(x, y)  # of no use; its weight is of no use then, either
            continue
        answer = {}
        for s, t in enumerate((x, y)):
            more = Counter({z: b for z, b in anchors.items() if z in sides[s]})
            more[t] += 2 * len(shares[1 - s]) + sum(b for z, b in anchors.items() if z in sides[1 - s])
            answer |= algorithm_1(made.subgraph(sides[s]).copy(), shares[s], more)
        return answer
    ((i, members),) = sets.items()
    far = {z: nx.single_source_shortest_path_length(made, z) for z in anchors}
    return {i: min(members, key=lambda x: sum(b * far[z][x] for z, b in anchors.items()))}


@pytest.mark.parametrize("connection", [None, "maximal_connection", "minimal_connection"])
@seeing("OPTIMAL", "INFEASIBLE")
@examples(50)
@given(rng=generators())
def test_it_is_enumeration(seen, rng, connection):
    """Weights, anchors, priors, ties; each optimum is verified."""
    problem = random_decomposable(rng)
    if rng.integers(10) == 9:  # nothing is allowed in the first set
        forbidden = [np.full(members.size, 0.0 if i else -np.inf) for i, members in enumerate(problem.candidates)]
        problem = attrs.evolve(problem, prior=forbidden)
    if connection is not None:
        problem = getattr(problem, connection)()
    result = gapless.solve(problem, "decomposable")
    values = [problem.value(structure) for structure in every_structure(problem)]
    assert (result.value if result.solutions else np.inf) == pytest.approx(min(values), rel=1e-9, abs=1e-9)
    assert result.proved
    assert result.verify(problem)
    seen[result.status.name] += 1


@seeing("three sets")
@examples(40)
@given(rng=generators())
def test_it_is_algorithm_1(seen, rng):
    """One useful edge at a time, as the paper cuts them, gives the same value."""
    problem = attrs.evolve(random_decomposable(rng), prior=None)
    graph = problem.graph
    assert graph is not None
    if graph.weights is not None:
        graph = Graph(graph.offsets, graph.neighbours, None, graph.vertices)
        problem = attrs.evolve(problem, graph=graph)
    anchors = Counter()
    for z, b in problem.anchors:
        anchors[z] += b
    sets = {i: members.tolist() for i, members in enumerate(problem.candidates)}
    answer = algorithm_1(networkx_graph(problem), sets, anchors)
    expected = problem.value(np.array([answer[i] for i in range(problem.k)]))
    assert gapless.solve(problem, "decomposable").value == pytest.approx(expected)
    seen["three sets"] += problem.k > 2


def test_by_hand():
    """A cycle 0-1-2-3 with a tail 3-4-5: of the cycle's candidates the one at the gate is best."""
    graph = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0), (3, 4), (4, 5)])
    problem = LinkingProblem(graph, [[0, 1, 2, 3], [5, 4]])
    result = gapless.solve(problem, "decomposable")
    np.testing.assert_array_equal(result.best, [3, 4])
    assert (result.value, result.bound, result.status) == (2.0, 2.0, Status.OPTIMAL)
    pulled = attrs.evolve(problem, anchors={1: 3.0})
    np.testing.assert_array_equal(gapless.solve(pulled, "decomposable").best, [1, 4])


@seeing("fine", "connected", "split")
@examples(80)
@given(rng=generators())
def test_it_refuses_exactly_what_is_not_decomposable(seen, rng):
    made = nx.gnm_random_graph(10, int(rng.integers(8, 14)), seed=int(rng.integers(2**31)))
    made.remove_nodes_from(list(nx.isolates(made)))
    sets = [rng.choice(list(made), int(rng.integers(1, 4)), replace=False) for _ in range(2)]
    problem = LinkingProblem(Graph.from_edges(np.array(made.edges)), sets)
    connected = all(nx.is_connected(made.subgraph(members)) for members in sets)
    parted = made.copy()
    parted.remove_edges_from(list(nx.bridges(made)))
    apart = not any(nx.has_path(parted, int(x), int(y)) for x, y in itertools.product(*sets))
    certificate = DecompositionCertificate()
    if connected and apart:
        seen["fine"] += 1
        assert gapless.solve(problem, "decomposable").verify(problem)
        return
    said = "in one biconnected component" if connected else "not decomposable"
    with pytest.raises(InvalidProblem, match=said):
        gapless.solve(problem, "decomposable")
    assert not certificate.verify(problem)
    seen["connected" if connected else "split"] += 1


def test_what_is_violated_is_named():
    with pytest.raises(InvalidProblem, match="cat does not induce a connected subgraph, no path within it leads"):
        gapless.solve(LinkingProblem(PATH, [[1, 3], [5]], mentions=["cat", "dog"]), "decomposable")
    ring = Graph.from_edges([(v, (v + 1) % 6) for v in range(6)])
    with pytest.raises(InvalidProblem, match="2 of set 0 and 4 of set 1 are in one biconnected component"):
        gapless.solve(LinkingProblem(ring, [[2], [4]]), "decomposable")
    with pytest.raises(InvalidProblem, match="3 of set 0 and 3 of set 1 are in one"):
        gapless.solve(LinkingProblem(PATH, [[2, 3], [3, 4]]), "decomposable")
    with pytest.raises(InvalidProblem, match="needs one"):
        gapless.solve(LinkingProblem.from_distances(np.zeros((2, 2)), [[0], [1]]), "decomposable")


def test_nothing_leads_there():
    """Sets or anchors in another connected component; an anchor without weight does not matter."""
    graph = Graph.from_edges([(0, 1), (1, 2), (5, 6), (6, 7)])
    for problem, said in (
        (LinkingProblem(graph, [[0, 1], [6]]), "no path connects set 0 with set 1"),
        (LinkingProblem(graph, [[0, 1], [2]], anchors={7: 1.0}), "no path connects set 0 with anchor 7"),
    ):
        result = gapless.solve(problem, "decomposable")
        assert (result.status, result.explanation) == (Status.INFEASIBLE, (said,))
        assert result.verify(problem)
    assert gapless.solve(LinkingProblem(graph, [[0, 1], [2]], anchors={7: 0.0}), "decomposable").value == 2.0


def test_a_wrong_optimum_is_caught():
    problem = LinkingProblem(PATH, [[0, 1, 2], [5, 6]])
    result = gapless.solve(problem, "decomposable")
    assert (result.value, bool(result.verify(problem))) == (6.0, True)
    wrong = attrs.evolve(result, solutions=[gapless.Solution(np.array([1, 5]), 8.0)], bound=8.0)
    assert "is claimed" in wrong.verify(problem).reason


@pytest.mark.parametrize("method", ["decomposable", "spanning-tree", "hitting-distance"])
@pytest.mark.parametrize("n", [200_000, pytest.param(1_000_000, marks=pytest.mark.long)])
def test_a_path_of_a_million_vertices(method, n):
    """No stack overflows; the nearest ends are chosen."""
    n = n if gapless_kernels.COMPILED else 20_000
    path = Graph.from_edges(np.column_stack([np.arange(n - 1), np.arange(1, n)]))
    problem = LinkingProblem(path, [range(5), range(n // 2, n // 2 + 5), range(n - 5, n)])
    result = gapless.solve(problem, method)
    assert result.best[[0, 2]].tolist() == [4, n - 5]
    assert result.value == 4.0 * (n - 9)


def test_ctrl_c(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(decomposable, "bridge_tree", interrupted)
    result = gapless.solve(LinkingProblem(PATH, [[0, 1, 2], [5, 6]]), "decomposable")
    assert (result.status, result.stop, result.bound) == (Status.NO_SOLUTION, Stop.INTERRUPTED, -np.inf)
