"""The linking problem: what it accepts and refuses, costs by hand, transforms, messages, and that files keep it."""

import json

import attrs
import networkx as nx
import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given

import gapless
from gapless import InvalidProblem, Status
from gapless.arrays import serial
from gapless.scip import write_model
from gapless.testing import SpaceTooLarge
from gapless_linking import Graph, LinkingProblem
from gapless_linking.choice_drawing import draw_choice
from gapless_linking.enumeration import all_structures, best_structures
from gapless_linking.random_problems import random_problem

INF = float("inf")
SQUARE = np.ones((3, 3)) - np.eye(3)


def path(n=6):
    """Vertices 10, 11, ... in a row."""
    return Graph.from_edges([[10 + v, 11 + v] for v in range(n - 1)])


def jaguars(**options):
    """Two mentions on a path of six vertices: 10 and 14, 12 and 15."""
    return LinkingProblem(path(), [[10, 14], [15, 12]], **options)


# --- what is refused


@pytest.mark.parametrize(
    ("candidates", "options", "message"),
    [
        ([], {}, r"candidates is empty: there is nothing to link"),
        (3, {}, r"candidates is 3, expected one set of vertices for each mention"),
        ("ab", {}, r"candidates is 'ab'"),
        ([[0], []], {}, r"candidates\[1\] is empty; leave out mentions without candidates"),
        ([[0, 1, 0]], {}, r"candidates\[0\] names vertex 0 twice"),
        ([[0], [0.5]], {}, r"candidates\[1\] is \[0.5\], expected vertices, that is integers"),
        ([[0], ["a"]], {}, r"candidates\[1\] is \['a'\]"),
        ([[0], 1], {}, r"candidates\[1\] is 1, expected vertices"),
        ([[0], [[1, 2]]], {}, r"candidates\[1\] is \[\[1, 2\]\]"),
        ([[0], [1, [2]]], {}, r"candidates\[1\] is \[1, \[2\]\], expected vertices"),
        ([[0], [3]], {}, r"candidates\[1\]: there is no vertex 3, distances has 3 rows"),
        ([[0], [-1]], {}, r"candidates\[1\]: there is no vertex -1"),
        ([[0]], {"anchors": {7: 1.0}}, r"anchors: there is no vertex 7"),
        ([[0]], {"anchors": [0, 1]}, r"anchors must be pairs of a vertex and a weight, or a mapping of them"),
        ([[0]], {"anchors": 3}, r"anchors must be pairs"),
        ([[0]], {"anchors": {0.5: 1.0}}, r"anchors names the vertex 0.5, expected an integer"),
        ([[0]], {"anchors": {True: 1.0}}, r"anchors names the vertex True"),
        ([[0]], {"anchors": {0: np.nan}}, r"the weight of anchor 0 is nan, expected a number up to 1e\+12"),
        ([[0]], {"anchors": {0: 1e200}}, r"the weight of anchor 0 is 1e\+200"),
        ([[0]], {"anchors": {0: "1"}}, r"the weight of anchor 0 is '1'"),
        ([[0, 1], [2]], {"prior": [[1.0, 2.0]]}, r"prior must hold 2 arrays .*: \[2, 1\]"),
        ([[0, 1], [2]], {"prior": [[1.0, 2.0], [1.0, 2.0]]}, r"prior must hold 2 arrays"),
        ([[0, 1]], {"prior": [[1.0, np.nan]]}, r"prior\[0\]\[1\] is nan; expected a number"),
        ([[0, 1]], {"prior": [[1.0, INF]]}, r"prior\[0\]\[1\] is inf"),
        ([[0]], {"prior_weight": -1.0}, r"prior_weight is -1.0, expected a number of at least 0"),
        ([[0]], {"prior_weight": np.nan}, r"prior_weight is nan"),
        ([[0]], {"prior_weight": True}, r"prior_weight is True"),
        ([[0]], {"mentions": ["a", "b"]}, r"mentions holds 2 names, expected 1"),
    ],
)
def test_refuses_and_says_where(candidates, options, message):
    with pytest.raises(InvalidProblem, match=message):
        LinkingProblem.from_distances(SQUARE, candidates, **options)


@pytest.mark.parametrize(
    ("distances", "message"),
    [
        ([[0, 1]], r"distances must be a square array of numbers, got .* \(1, 2\)"),
        ([["a"]], r"distances must be a square array of numbers"),
        ([0, 1], r"distances must be a square array"),
        ([[0, -1], [-1, 0]], r"distances\[0, 1\] is -1; it must be at least 0"),
        ([[0, np.nan], [1, 0]], r"distances\[0, 1\] is nan; it must be at least 0"),
        ([[0, 1e200], [1e200, 0]], r"distances\[0, 1\] is 1e\+200; .* at most 1e\+12, or inf"),
        ([[0, 1], [1, 2]], r"distances\[1, 1\] is 2; it must be 0, a vertex's distance from itself"),
        ([[0, 1], [2, 0]], r"distances\[0, 1\] is 1; it differs from the way back"),
    ],
)
def test_refuses_what_are_no_distances(distances, message):
    with pytest.raises(InvalidProblem, match=message):
        LinkingProblem.from_distances(distances, [[0]])


def test_refuses_vertices_that_the_graph_does_not_have():
    with pytest.raises(InvalidProblem, match=r"candidates\[1\].* 3\b"):
        LinkingProblem(path(), [[10], [11, 3]])
    with pytest.raises(InvalidProblem, match=r"anchors.* 99\b"):
        jaguars(anchors={99: 1})


def test_a_graph_or_distances_and_not_both():
    for graph, distances in ((None, None), (path(), SQUARE)):
        with pytest.raises(InvalidProblem, match=r"give a graph, or distances by LinkingProblem.from_distances"):
            LinkingProblem(graph, [[10]], distance_matrix=distances)
    with pytest.raises(InvalidProblem, match=r"graph is a networkx.*DiGraph; make a gapless_linking.Graph by"):
        LinkingProblem(nx.DiGraph([(0, 1)]), [[0]])


# --- the role


def test_costs_by_hand():
    problem = jaguars()
    structures, costs = all_structures(problem)
    assert structures.tolist() == [[10, 15], [10, 12], [14, 15], [14, 12]]
    assert costs.tolist() == [10.0, 4.0, 2.0, 4.0], "each pair counts twice"
    assert [problem.value(one) for one in structures] == costs.tolist()
    assert [s.structure.tolist() for s in best_structures(problem, 2)] == [[14, 15], [10, 12]]
    anchored = jaguars(anchors=[(10, 1.0), (10, 0.5), (13, -1.0), (15, 0.0)])
    assert anchored.value([14, 15]) == 2.0 + 1.5 * (4 + 5) - (1 + 2)
    judged = jaguars(prior=[[3.0, 0.5], [0.0, -1.0]], prior_weight=2.0)
    assert judged.value([10, 12]) == 4.0 - 2.0 * (3.0 - 1.0)
    assert jaguars(prior=[[3.0, 0.5], [0.0, -1.0]], prior_weight=0).value([10, 12]) == 4.0


def test_one_vertex_may_stand_for_several_mentions():
    problem = LinkingProblem(path(), [[10, 12], [12, 14], [12]])
    assert not problem.disjoint
    assert jaguars().disjoint
    assert problem.value([12, 12, 12]) == 0.0
    assert not problem.violations([12, 12, 12])
    assert problem.encode(np.array([12, 14, 12])).tolist() == [1, 3, 4]
    assert problem.decode([1, 3, 4]).tolist() == [12, 14, 12]


def test_lengths_of_edges_count():
    problem = LinkingProblem(Graph.from_edges([[0, 1], [1, 2], [0, 2]], [0.5, 0.25, 3.0]), [[0], [2]])
    assert problem.value([0, 2]) == 1.5
    assert problem.granularity is None


def test_violations_are_named():
    distances = [[0, 1, INF], [1, 0, INF], [INF, INF, 0]]
    problem = LinkingProblem.from_distances(
        distances,
        [[0, 2], [1, 2], [0]],
        prior=[[0.0, 0.0], [-INF, 0.0], [0.0]],
        mentions=["jaguar", "jungle", "river"],
    )
    assert problem.violations([0, 0, 0]) == ["0 is no candidate of jungle"]
    assert problem.violations([0, 1]) == ["there are 2 vertices for 3 sets"]
    assert problem.violations([0, 1, 0]) == ["1 is forbidden for jungle"]
    assert problem.violations([2, 2, 0]) == [
        "no path connects 2 of jaguar with 0 of river",
        "no path connects 2 of jungle with 0 of river",
    ]
    assert problem.value([2, 2, 0]) == INF
    assert problem.value([0, 1, 0]) == INF
    for wrong in ([[0, 1, 0]], [0.0, 1.0, 0.0], ["a"] * 3):
        with pytest.raises(InvalidProblem, match="a structure is an array of 3 vertices"):
            problem.violations(wrong)
    for wrong, message in (([0, 0, 0], "0 is no candidate of jungle"), ([0], "there are 1 vertices for 3 sets")):
        with pytest.raises(InvalidProblem, match=message):
            problem.value(wrong)


def test_infeasibility_says_why():
    distances = [[0, 1, INF], [1, 0, INF], [INF, INF, 0]]
    apart = LinkingProblem.from_distances(distances, [[0, 1], [2]])
    assert list(apart.infeasibility()) == ["no path connects a candidate of set 0 with one of set 1"]
    forbidden = LinkingProblem.from_distances(SQUARE, [[0, 1], [2]], prior=[[-INF, -INF], [0.0]])
    (sentence,) = forbidden.infeasibility()
    assert sentence.startswith("all candidates of set 0 are forbidden")
    assert not jaguars().infeasibility()
    for problem in (apart, forbidden):
        assert gapless.solve(problem, "ilp").status is Status.INFEASIBLE


@pytest.mark.parametrize("weight", [1.0, -1.0])
def test_an_anchor_that_no_path_leads_to_forbids(weight):
    distances = [[0, INF], [INF, 0]]
    problem = LinkingProblem.from_distances(distances, [[0, 1]], anchors={0: weight}, prior=[[0.0, -INF]])
    assert problem.unary_costs.tolist() == [0.0, INF]
    assert LinkingProblem.from_distances(distances, [[0, 1]], anchors={0: 0.0}).unary_costs.tolist() == [0.0, 0.0]


def test_decisions_have_names_and_groups():
    problem = jaguars(mentions=["jaguar", "jungle"])
    assert [problem.decisions.name(d) for d in range(4)] == [
        "jaguar = 10",
        "jaguar = 14",
        "jungle = 15",
        "jungle = 12",
    ]
    assert [list(group) for group in problem.decisions.exactly_one] == [[0, 1], [2, 3]]
    assert jaguars().decisions.name(0) == "set 0 = 10"


@pytest.mark.parametrize(
    ("options", "granularity"),
    [
        ({}, 2.0),
        ({"anchors": {10: 2.0}}, 2.0),
        ({"anchors": {10: 1.0}}, 1.0),
        ({"anchors": {10: 0.5}}, None),
        ({"prior": [[0, 0.1], [0, 0]]}, None),
        ({"prior": [[0, 0.1], [0, 0]], "prior_weight": 10.0}, 1.0),
        ({"prior": [[0, -INF], [0, 0]]}, 2.0),
    ],
)
def test_granularity(options, granularity):
    assert jaguars(**options).granularity == granularity


# --- transforms


def test_connections_join_the_candidates_and_leave_the_graph():
    cycle = Graph.from_edges([[v, (v + 1) % 12] for v in range(12)] + [[0, 20]])
    problem = LinkingProblem(cycle, [[0, 3, 6, 7], [9]])
    largest, least = problem.maximal_connection(), problem.minimal_connection()
    assert cycle.edge_count == 13
    at = {vertex: slot for slot, vertex in enumerate(problem.points.tolist())}
    wanted = {(0, 3): (3, 1, 2), (6, 7): (1, 1, 1), (3, 7): (4, 1, 2), (3, 9): (6, 3, 4), (0, 9): (3, 3, 3)}
    for (u, v), lengths in wanted.items():
        found = tuple(int(one.distances[at[u], at[v]]) for one in (problem, largest, least))
        assert found[:2] == lengths[:2], (u, v)
    edges = nx.Graph([*((v, (v + 1) % 12) for v in range(12)), *least.connection.edges.tolist()])
    assert nx.is_connected(edges.subgraph([0, 3, 6, 7]))
    assert len(least.connection.edges) == 2
    for u, v in wanted:
        assert least.distances[at[u], at[v]] == nx.shortest_path_length(edges, u, v)
    with pytest.raises(InvalidProblem, match="has no graph to connect candidates in"):
        LinkingProblem.from_distances(SQUARE, [[0]]).maximal_connection()


@examples(30)
@given(rng=generators())
def test_the_problem_without_its_graph_costs_the_same(rng):
    problem = random_problem(rng)
    alone = problem.without_graph()
    assert alone.graph is None
    structures, costs = all_structures(problem)
    others, same = all_structures(alone)
    np.testing.assert_array_equal(problem.points[others], structures)
    np.testing.assert_allclose(same, costs, rtol=1e-12)


@given(rng=generators())
def test_files_keep_problems(rng):
    problem = random_problem(rng)
    again = serial.loads(serial.dumps(problem))
    assert attrs.asdict(again, filter=lambda a, _: a.name == "anchors") == {"anchors": problem.anchors}
    np.testing.assert_array_equal(again.lengths(), problem.lengths())
    np.testing.assert_array_equal(again.unary_costs, problem.unary_costs)
    np.testing.assert_array_equal(again.members, problem.members)


# --- the integer program and enumeration


@seeing("points")
@examples(30)
@given(rng=generators())
def test_every_structure_is_a_point_of_the_program_and_costs_the_same(seen, rng):
    problem = random_problem(rng, int(rng.integers(1, 5)))
    model = problem.linear_model()
    z = problem.members.size
    pairs = np.flatnonzero(model.rows.indices >= z)
    in_order = pairs[np.argsort(model.rows.indices[pairs], kind="stable")]
    ends = (model.rows.row_numbers()[in_order].reshape(-1, 2) - problem.k) // problem.k
    for structure, cost in list(zip(*all_structures(problem), strict=True))[:50]:
        point = np.zeros(model.objective.size)
        chosen = problem.encode(structure)
        point[chosen] = 1.0
        point[z:] = np.isin(ends, chosen).all(axis=1)
        reached = model.rows.dot(point)
        np.testing.assert_array_equal(reached, model.row_lower)
        assert np.all(point <= model.column_upper)
        score = float(np.longdouble(model.constant) + model.objective @ point)
        assert -score == pytest.approx(cost, rel=1e-9, abs=1e-6 if abs(cost) < 1e6 else 0)
        seen["points"] += 1


def test_the_program_can_be_written(tmp_path):
    write_model(jaguars(), tmp_path / "links.lp")
    assert (tmp_path / "links.lp").read_text().startswith("\\ SCIP")


def test_enumeration_knows_its_limit():
    problem = LinkingProblem.from_distances(SQUARE, [[0, 1, 2]] * 4)
    assert all_structures(problem, limit=81)[1].size == 81
    with pytest.raises(SpaceTooLarge, match=r"more than 27 choices from the first 3 sets, and set 3 has 3"):
        all_structures(problem, limit=80)


# --- what people call vertices


NAMED = ["Jaguar", "Jaguar Cars", "Jungle", "Jungle"]
TOGETHER = 1 - np.eye(4, dtype=np.int64)


def named(**more):
    fields = {"mentions": ["jaguar", "jungle"], "names": NAMED, **more}
    return LinkingProblem.from_distances(TOGETHER, [[0, 1], [2, 3]], **fields)


def test_names_stand_in_decisions_and_messages():
    problem = named(prior=[[0.0, -INF], [0.0, 0.0]])
    assert [problem.decisions.name(d) for d in range(4)] == [
        "jaguar = Jaguar",
        "jaguar = Jaguar Cars",
        "jungle = Jungle (vertex 2)",  # two vertices are called so
        "jungle = Jungle (vertex 3)",
    ]
    assert problem.violations([1, 2]) == ["Jaguar Cars is forbidden for jaguar"]
    assert problem.violations([2, 2]) == ["2 is no candidate of jaguar"]
    far = np.where(TOGETHER == 1, INF, 0.0)
    apart = LinkingProblem.from_distances(far, [[0], [2]], names=NAMED, mentions=["jaguar", "jungle"])
    assert apart.violations([0, 2]) == ["no path connects Jaguar of jaguar with Jungle of jungle"]


def test_names_of_a_graph_go_with_the_problem():
    links = nx.Graph([("Jaguar", "Panthera"), ("Panthera", "Jungle"), ("Jaguar Cars", "Car"), ("Car", "Jungle")])
    graph = Graph.from_networkx(links)
    vertex = {name: number for number, name in enumerate(graph.names)}
    sets = [[vertex["Jaguar"], vertex["Jaguar Cars"]], [vertex["Jungle"]]]
    problem = LinkingProblem(graph, sets, mentions=["jaguar", "jungle"], anchors={vertex["Car"]: 1.0})
    assert problem.decisions.name(0) == "jaguar = Jaguar"
    alone = serial.loads(serial.dumps(problem.without_graph()))
    assert [alone.decisions.name(d) for d in range(3)] == [problem.decisions.name(d) for d in range(3)]
    assert alone.names == tuple(graph.names[point] for point in problem.points.tolist())
    assert alone.without_graph().names == alone.names
    fewer = LinkingProblem.from_distances(TOGETHER, [[3], [1]], names=["a", "b", "c", "d"]).without_graph()
    assert (fewer.names, fewer.decisions.name(0)) == (("b", "d"), "set 0 = d")


def test_a_problem_that_was_stored_before_there_were_names_is_read():
    document = json.loads(serial.dumps(named()))
    del document["names"]
    assert serial.loads(json.dumps(document)).decisions.name(0) == "jaguar = 0"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a"], "names holds 1 names, expected 4, one for each row of the distances"),
        ([1, 2, 3, 4], "names holds 1, expected text"),
        ("abcd", "names is 'abcd', expected a sequence of text"),
        (7, "names is 7, expected a sequence of text"),
    ],
)
def test_names_must_fit(names, message):
    with pytest.raises(InvalidProblem, match=message):
        named(names=names)


def test_a_graph_has_names_of_its_own():
    with pytest.raises(InvalidProblem, match="a graph brings its own names"):
        LinkingProblem(Graph.from_edges([[0, 1]]), [[0], [1]], names=["a", "b"])


def test_answers_do_not_depend_on_names():
    plain, called = named(names=None, mentions=None), named()
    for method in ("exact", "ilp", "local-search"):
        one, other = (gapless.solve(problem, method, k=1) for problem in (plain, called))
        assert (one.value, one.bound, one.status) == (other.value, other.bound, other.status)
        assert one.best.tolist() == other.best.tolist()
        assert one.verify(called).holds == other.verify(plain).holds == (method != "ilp")


def test_a_drawing_of_given_distances_shows_names():
    drawn = draw_choice(named(), np.array([0, 2]))
    for shown in ("Jaguar Cars", "“jaguar”", "Jungle (vertex 3)"):
        assert shown in drawn
    assert "vertex 1" not in drawn
    assert "vertex 1" in draw_choice(named(names=None), np.array([0, 2]))
