"""The heuristics of the paper: what they choose, by definition, and bounds that enumeration cannot beat."""

import itertools

import attrs
import networkx as nx
import numpy as np
import pytest
from drawn import examples, generators, numbers, seeing
from hypothesis import given

import gapless
from gapless import InvalidProblem, Limits, Status, Stop, UnknownOption
from gapless.roles import Fixings
from gapless_linking import Graph, LinkingProblem, heuristic
from gapless_linking.decomposable_random import random_decomposable
from gapless_linking.decomposition_certificate import DecompositionCertificate
from gapless_linking.heuristic import HittingDistances
from gapless_linking.hitting_certificate import HittingCertificate
from gapless_linking.popularity import directed_pagerank, graph_pagerank

METHODS = ("degree", "greedy", "hitting-distance", "pagerank", "spanning-tree")
CONNECTIONS = ("maximal_connection", "minimal_connection")
STAR = Graph.from_edges([(0, v) for v in range(1, 6)] + [(5, 6), (6, 7)])


def random_graph(rng, *, weighted):
    """Connected, 8 to 20 vertices, ids with gaps."""
    n = int(rng.integers(8, 21))
    edges = {(int(rng.integers(v)), v) for v in range(1, n)}
    edges |= {(min(pair), max(pair)) for pair in rng.integers(0, n, (n // 2, 2)).tolist() if pair[0] != pair[1]}
    names = rng.permutation(3 * n)[:n]
    listed = sorted(edges)
    weights = rng.integers(1, 5, len(listed)) / 2 if weighted else None
    return Graph.from_edges(names[np.array(listed)], weights)


def random_problem(source, kind=None):
    """Sets that may overlap; a third with weights, a quarter with anchors, a quarter with a prior that forbids."""
    rng = numbers(source)
    kind = int(rng.integers(12)) if kind is None else kind
    graph = random_graph(rng, weighted=kind % 3 == 0)
    sets = [
        rng.choice(graph.vertices, int(rng.integers(1, 5)), replace=False) for _ in range(int(rng.integers(1, 5)))
    ]
    more = {}
    if kind % 4 == 1:
        more["anchors"] = {int(z): float(rng.integers(-1, 4)) for z in rng.choice(graph.vertices, 2)}
    if kind % 4 == 2:
        more["prior"] = [np.where(rng.random(s.size) < 0.15, -np.inf, rng.integers(0, 5, s.size)) for s in sets]
    return LinkingProblem(graph, sets, **more)


def every_structure(problem):
    assert problem.distances.size  # known from here on, so that each value is looked up
    return map(np.array, itertools.product(*(members.tolist() for members in problem.candidates)))


@pytest.mark.parametrize("connection", CONNECTIONS)
@seeing("proved")
@examples(25)
@given(rng=generators())
def test_answers_are_feasible_and_bounds_are_true(seen, rng, connection):
    """No bound is above the optimum, all certificates hold, OPTIMAL is the optimum."""
    problem = getattr(random_problem(rng), connection)()
    known = attrs.evolve(problem)
    best = min(map(known.value, every_structure(known)))
    for method in METHODS:
        options = {} if method in ("greedy", "hitting-distance") else {"bound": True}
        result = gapless.solve(attrs.evolve(problem), method, seed=int(rng.integers(100)), **options)
        assert result.bound <= best + 1e-9 * max(1.0, abs(best))
        assert result.verify(problem)
        if best == np.inf:
            assert result.status is Status.INFEASIBLE
            continue
        assert result.value >= best - 1e-9 * max(1.0, abs(best))
        seen["proved"] += result.status is Status.OPTIMAL


@pytest.fixture
def no_point_is_too_many(monkeypatch):
    monkeypatch.setattr(heuristic, "_MANY_POINTS", 0)


@pytest.mark.usefixtures("no_point_is_too_many")
@given(rng=generators())
def test_searches_and_row_minima_are_the_same(rng):
    """With weights or not."""
    problem = random_problem(rng)
    searched = HittingDistances.of(attrs.evolve(problem))
    assert problem.distances.size
    np.testing.assert_array_equal(searched.to_sets, HittingDistances.of(problem).to_sets)
    assert HittingDistances.of(problem.without_graph()).bound == pytest.approx(HittingDistances.of(problem).bound)


@given(rng=generators())
def test_hitting_distance_by_definition(rng):
    problem = random_problem(rng)
    far = problem.lengths(problem.slots, problem.slots)
    owner = np.repeat(np.arange(problem.k), np.diff(problem.first))
    allowed = np.isfinite(problem.unary_costs)
    costs = problem.unary_costs.copy()
    for j in range(problem.k):
        if not allowed[owner == j].any():
            break
        near = far[:, (owner == j) & allowed].min(axis=1)
        costs += 2.0 * np.where(owner == j, 0.0, near)
    else:
        expected = [problem.members[problem.first[i] + costs[owner == i].argmin()] for i in range(problem.k)]
        np.testing.assert_array_equal(gapless.solve(problem, "hitting-distance").best, expected)


@pytest.mark.parametrize("exact", [False, True])
@given(rng=generators())
def test_certificates_hold_under_fixings(rng, exact):
    """That of ``decomposable`` proves the best value among the structures that the fixings leave."""
    problem = random_decomposable(rng) if exact else random_problem(rng)
    state = np.where(rng.random(problem.members.size) < 0.3, 0, -1)
    state[int(rng.integers(problem.members.size))] = 1
    fixings = Fixings(state)
    left = [s for s in every_structure(problem) if fixings.allows(problem.chosen(s))]
    verdict = (DecompositionCertificate() if exact else HittingCertificate()).verify(problem, fixings)
    assert verdict
    best = min(map(problem.value, left), default=np.inf)
    assert -verdict.bound <= best + 1e-9
    assert not exact or -verdict.bound == pytest.approx(best, rel=1e-9, abs=1e-9)


def test_a_bound_that_is_too_good_is_caught():
    problem = LinkingProblem(STAR, [[1, 2], [3, 7]])
    result = gapless.solve(problem, "hitting-distance")
    assert (result.value, result.bound, result.status) == (4.0, 4.0, Status.OPTIMAL)
    worse = attrs.evolve(result, solutions=[gapless.Solution(np.array([1, 7]), 8.0)], bound=8.0)
    assert "is claimed" in worse.verify(problem).reason


def test_greedy_starts_at_random_and_chooses_the_first_again():
    """From any beginning in set 0 the choice is 0, nearest to the others, although it was drawn."""
    problem = LinkingProblem(STAR, [[0, 1, 2, 7], [4], [5]])
    answers = {tuple(gapless.solve(problem, "greedy", seed=seed).best.tolist()) for seed in range(20)}
    assert answers == {(0, 4, 5)}
    line = Graph.from_edges([(v, v + 1) for v in range(9)])
    tied = LinkingProblem(line, [[0, 9], [1, 8], [0, 9]])
    found = {tuple(gapless.solve(tied, "greedy", seed=seed).best.tolist()) for seed in range(20)}
    assert found == {(0, 1, 0), (9, 8, 9)}


@seeing("better")
@examples(30)
@given(rng=generators())
def test_more_starts_are_never_worse(seen, rng):
    problem, seed = random_problem(rng).maximal_connection(), int(rng.integers(100))
    if gapless.solve(problem, "greedy", seed=seed).solutions:
        few, many = (gapless.solve(problem, "greedy", seed=seed, starts=n) for n in (1, 20))
        assert many.value <= few.value
        seen["better"] += many.value < few.value


def test_starts_are_counted_from_1_and_hear_the_time():
    problem = random_problem(3)
    assert gapless.solve(problem, "greedy", starts=10**9, limits=Limits(time=0.05)).stop in (Stop.TIME, Stop.PROVED)
    with pytest.raises(UnknownOption, match="starts is 0"):
        gapless.solve(problem, "greedy", starts=0)


@pytest.mark.parametrize("method", ["exact", "local-search"])
def test_kicks_are_counted_from_0(method):
    problem = random_problem(3)
    assert gapless.solve(problem, method, kicks=0).solutions
    for wrong in (-1, "many", 1.5, 2**63):
        with pytest.raises(UnknownOption, match="kicks is"):
            gapless.solve(problem, method, kicks=wrong)


@pytest.mark.parametrize("connection", [None, *CONNECTIONS])
@examples(8)
@given(rng=generators())
def test_degree_by_definition(rng, connection):
    problem = random_problem(rng, 4 * int(rng.integers(3)))  # nothing is forbidden
    graph = problem.graph
    assert graph is not None
    made = nx.Graph()
    ends = graph.vertices[np.repeat(np.arange(graph.vertex_count), np.diff(graph.offsets))]
    made.add_edges_from(zip(ends.tolist(), graph.vertices[graph.neighbours].tolist(), strict=True))
    if connection is not None:
        problem = getattr(problem, connection)()
        assert problem.connection is not None
        made.add_edges_from(problem.connection.edges.tolist())
        for members in problem.connection.cliques:
            made.add_edges_from(itertools.combinations(members.tolist(), 2))
    expected = [max(members.tolist(), key=made.degree) for members in problem.candidates]
    assert gapless.solve(problem, "degree").best.tolist() == expected


@examples(6)
@given(rng=generators())
def test_pagerank_is_networkx(rng):
    """On weighted, unit and directed graphs."""
    pytest.importorskip("scipy")
    graph = random_graph(rng, weighted=bool(rng.integers(2)))
    made = nx.Graph()
    for u in range(graph.vertex_count):
        for at in range(graph.offsets[u], graph.offsets[u + 1]):
            weight = 1.0 if graph.weights is None else graph.weights[at]
            made.add_edge(u, int(graph.neighbours[at]), weight=weight)
    expected = nx.pagerank(made, tol=1e-12, max_iter=500)
    found = graph_pagerank(graph)
    np.testing.assert_allclose(found, [expected[v] for v in range(graph.vertex_count)], atol=1e-6)
    directed = nx.gnp_random_graph(15, 0.15, seed=int(rng.integers(2**31)), directed=True)
    assert directed_pagerank(directed) == pytest.approx(nx.pagerank(directed, tol=1e-12, max_iter=500), abs=1e-6)


def test_pagerank_with_and_without_the_connection():
    """The end of a tail outranks a vertex of degree 2 only where the tail is joined to a clique."""
    graph = Graph.from_edges([(0, v) for v in range(1, 7)] + [(v, v + 1) for v in range(6, 16)] + [(1, 17)])
    problem = LinkingProblem(graph, [[16, 1], list(range(7, 17))]).maximal_connection()
    assert gapless.solve(problem, "pagerank", on="graph").best[0] == 1
    assert gapless.solve(problem, "pagerank").best.tolist() == [16, 16]
    with pytest.raises(UnknownOption, match="expected one of connected, graph"):
        gapless.solve(problem, "pagerank", on="nothing")


@examples(10)
@given(rng=generators())
def test_spanning_tree_is_exact_on_trees(rng):
    """On a tree with connected disjoint sets nothing is changed: the answer is that of ``decomposable``."""
    line = Graph.from_edges([(v, v + 1) for v in range(19)])
    cuts = np.sort(rng.choice(np.arange(1, 20), 5, replace=False))
    pieces = np.split(np.arange(20), cuts)
    problem = LinkingProblem(line, [pieces[i] for i in rng.permutation(6)[:4]], anchors={0: 1.5, 19: 1.0})
    found = gapless.solve(problem, "spanning-tree")
    assert (found.status, found.stop) == (Status.FEASIBLE, Stop.RELAXED)
    assert found.value == gapless.solve(problem, "decomposable").value


def test_spanning_tree_takes_the_lightest_edges():
    """Two groups joined by several edges keep the lightest; overlapping sets choose without each other."""
    square = Graph.from_edges([(0, 1), (2, 3), (0, 2), (1, 3)], [1.0, 1.0, 3.0, 2.0])
    assert gapless.solve(LinkingProblem(square, [[0, 1], [2, 3]]), "spanning-tree").best.tolist() == [1, 3]
    line = Graph.from_edges([(v, v + 1) for v in range(6)])
    shared = LinkingProblem(line, [[0, 1, 2], [2, 3], [6]])
    result = gapless.solve(shared, "spanning-tree")
    assert result.best.tolist() == [2, 3, 6]


def test_spanning_tree_refuses_what_is_not_connected():
    problem = LinkingProblem(STAR, [[1, 2], [7]], mentions=["cat", "dog"])
    with pytest.raises(InvalidProblem, match=r"cat, with the sets .* use maximal_connection"):
        gapless.solve(problem, "spanning-tree")
    assert gapless.solve(problem.minimal_connection(), "spanning-tree").solutions


def test_what_needs_a_graph_says_so():
    problem = LinkingProblem.from_distances(np.ones((3, 3)) - np.eye(3), [[0, 1], [2]])
    for method in ("degree", "pagerank", "spanning-tree"):
        with pytest.raises(InvalidProblem, match="has no graph"):
            gapless.solve(problem, method)
    for method in ("greedy", "hitting-distance"):
        assert gapless.solve(problem, method).status is Status.OPTIMAL


def test_nothing_feasible():
    """A set without an allowed candidate, and sets that no path connects."""
    apart = Graph.from_edges([(0, 1), (2, 3)])
    forbidden = LinkingProblem(apart, [[0, 1], [1]], prior=[[-np.inf, -np.inf], [0.0]])
    for problem in (forbidden, LinkingProblem(apart, [[0, 1], [2]])):
        for method in ("greedy", "hitting-distance"):
            result = gapless.solve(problem, method)
            assert result.status is Status.INFEASIBLE
            assert result.explanation
            assert result.verify(problem)
        result = gapless.solve(problem, "degree")
        assert result.status is Status.NO_SOLUTION
        assert result.explanation


def test_ctrl_c_leaves_what_there_is(monkeypatch):
    """The answer without a bound, where it was known; an observer that fails does not end as an answer."""
    problem = LinkingProblem(STAR, [[1, 2], [3, 7]]).maximal_connection()

    def interrupted(*_):
        raise KeyboardInterrupt

    def failing(_):
        raise ZeroDivisionError

    for method in METHODS:
        with pytest.raises(ZeroDivisionError):
            gapless.solve(problem, method, observers=[failing])
    monkeypatch.setattr(HittingDistances, "of", interrupted)
    for method in METHODS:
        options = {} if method in ("greedy", "hitting-distance") else {"bound": True}
        result = gapless.solve(problem, method, **options)
        assert result.stop is Stop.INTERRUPTED
        assert result.bound == -np.inf
        assert bool(result.solutions) == (method != "hitting-distance")


@pytest.mark.parametrize("method", ["greedy", "hitting-distance"])
@given(rng=generators())
def test_bounds_survive_large_costs_that_cancel_between_sets(rng, method):
    """One set's priors of 1e9 and another's of -1e9 cancel; rounding them drowned the distances."""
    points = rng.uniform(0.0, 5.0, 6)
    problem = LinkingProblem.from_distances(
        np.abs(points[:, None] - points), [[0, 1, 2], [3, 4, 5]], prior=[[1e9] * 3, [-1e9] * 3]
    )
    result = gapless.solve(problem, method)
    least = min(problem.value(np.array([a, b])) for a in range(3) for b in range(3, 6))
    assert result.bound <= least + 1e-9
    assert result.verify(problem)


def test_a_tree_joins_more_sets_than_there_are_vertices():
    problem = LinkingProblem(Graph.from_edges([(0, 1)]), [[0], [0], [1], [0]])
    assert gapless.solve(problem, "spanning-tree").best.tolist() == [0, 0, 1, 0]


def test_without_an_edge_all_vertices_rank_the_same():
    graph = Graph.from_arrays([0, 0, 0, 0], [])
    np.testing.assert_allclose(graph_pagerank(graph), 1 / 3)
