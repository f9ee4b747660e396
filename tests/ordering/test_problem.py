"""The ordering problem: what it accepts and refuses, its builders, its messages, and that files keep it."""

import copy

import networkx as nx
import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given

import gapless
from gapless import InvalidProblem
from gapless.arrays import serial
from gapless_ordering import Auxiliary, AuxiliaryWords, OrderingProblem
from gapless_ordering.enumeration import all_paths, best_paths
from gapless_ordering.random_problems import FAMILIES, random_problem

INF = float("inf")


def zeros(n=3):
    return np.zeros(n), np.zeros((n, n)), np.zeros(n)


def small(length=2, **options):
    """Four vertices; going up scores 1, going down -1."""
    ordering = np.sign(np.arange(4)[None, :] - np.arange(4)[:, None]).astype(float)
    return OrderingProblem([0.0, 1.0, 2.0, 3.0], ordering, [3.0, 2.0, 1.0, 0.5], length, **options)


# --- what is refused


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([0.0, np.nan], np.zeros((2, 2)), [0, 0], 1), {}, r"start\[1\] is nan; expected a number"),
        (([0.0, 0.0], [[0, 0], [INF, 0]], [0, 0], 1), {}, r"ordering\[1, 0\] is inf; expected .* or -inf"),
        (([0.0, 0.0], np.zeros((2, 2)), [INF, 0], 1), {}, r"end\[0\] is inf"),
        (([0.0, 1e200], np.zeros((2, 2)), [0, 0], 1), {}, r"start\[1\] is 1e\+200; .* at most 1e\+12"),
        (([], np.zeros((0, 0)), [], 1), {}, r"start has shape \(0,\), expected \(n,\).*at least one vertex"),
        ((np.zeros((2, 2)), np.zeros((2, 2)), [0, 0], 1), {}, r"start has shape \(2, 2\), expected \(n,\)"),
        ((0.0, np.zeros((1, 1)), [0.0], 1), {}, r"start has shape \(\)"),
        (([0, 0], np.zeros((3, 3)), [0, 0], 1), {}, r"ordering has shape \(3, 3\), expected \(2, 2\)"),
        (([0, 0], np.zeros((2, 3)), [0, 0], 1), {}, r"ordering has shape \(2, 3\), expected \(2, 2\)"),
        (([0, 0], np.zeros((2, 2)), [0, 0, 0], 1), {}, r"end has shape \(3,\), expected \(2,\)"),
        (
            (["a", "b"], np.zeros((2, 2)), [0, 0], 1),
            {},
            r"start: the scores are not an array of numbers: the dtype is <U1",
        ),
        ((np.ma.array([0.0, 0.0]), np.zeros((2, 2)), [0, 0], 1), {}, r"start: the scores are a masked array"),
        ((*zeros(), 0), {}, r"length is 0; a path has at least 1 vertex"),
        ((*zeros(), -2), {}, r"length is -2"),
        ((*zeros(), 2.0), {}, r"length is 2.0, expected the number of vertices"),
        ((*zeros(), True), {}, r"length is True"),
        ((*zeros(), None), {}, r"length is None"),
        ((*zeros(), "2"), {}, r"length is '2'"),
        ((*zeros(), 1), {"classes": [0, 0]}, r"classes has shape \(2,\), expected \(3,\)"),
        ((*zeros(), 1), {"classes": "abc"}, r"classes is 'abc', expected one class for each vertex"),
        ((*zeros(), 1), {"classes": 3}, r"classes is 3"),
        ((*zeros(), 1), {"classes": [[0], [1], [2]]}, r"classes cannot be told apart"),
        ((*zeros(), 1), {"names": ["a", "b"]}, r"names"),
        ((*zeros(), 1), {"names": "abc"}, r"names is 'abc', expected strings, one for each vertex"),
        ((*zeros(), 1), {"names": 3}, r"names is 3, expected strings"),
        ((*zeros(), 1), {"names": ["a", 2, "c"]}, r"names\[1\] is 2; names must be strings"),
        ((*zeros(), 1), {"auxiliary": Auxiliary(["of"], np.full((2, 2), -1))}, r"auxiliary"),
        ((*zeros(), 1), {"auxiliary": "of"}, r"auxiliary"),
    ],
)
def test_refuses_and_says_where(arguments, options, message):
    with pytest.raises(InvalidProblem, match=message):
        OrderingProblem(*arguments, **options)


@pytest.mark.parametrize(
    "convert",
    [
        lambda a: a.astype(np.int32),
        lambda a: a.astype(np.float32),
        lambda a: a.astype(">f8"),
        np.asfortranarray,
        lambda a: np.repeat(a, 2, axis=0)[::2],
        lambda a: a.tolist(),
    ],
)
def test_accepts_any_array_of_real_numbers_and_keeps_its_own(convert):
    rng = np.random.default_rng(0)
    given = [rng.integers(0, 9, shape).astype(float) for shape in (4, (4, 4), 4)]
    np.fill_diagonal(given[1], 0.0)
    converted = [convert(array) for array in given]
    problem = OrderingProblem(*converted, np.int64(2))
    np.fill_diagonal(given[1], -INF)
    for held, expected in zip((problem.start, problem.ordering, problem.end), given, strict=True):
        assert held.dtype == np.float64
        assert not held.flags.writeable
        np.testing.assert_array_equal(held, expected)
    assert np.isfinite(np.asarray(converted[1], float)).all(), "what was given is left as it was"


def test_edges_within_a_class_are_forbidden():
    problem = small(classes=["a", "b", "a", "c"])
    assert problem.class_count == 3
    assert problem.classes.tolist() == [0, 1, 0, 2]
    forbidden = {(int(u), int(v)) for u, v in zip(*np.nonzero(problem.ordering == -INF), strict=True)}
    assert forbidden == {(0, 0), (1, 1), (2, 2), (3, 3), (0, 2), (2, 0)}


# --- the role


def test_values_and_violations_by_hand():
    problem = small(3, classes=[0, 1, 0, 2], names=["w", "x", "y", "z"])
    assert problem.value(np.array([0, 1, 3])) == 0.0 + 1.0 + 1.0 + 0.5
    assert problem.value(np.array([3, 1, 0])) == 3.0 - 1.0 - 1.0 + 3.0
    assert not problem.violations(np.array([3, 1, 0]))
    assert problem.violations(np.array([0, 1])) == ["the path has 2 vertices, the length is 3"]
    assert problem.violations(np.array([], np.int64)) == ["the path has 0 vertices, the length is 3"]
    assert problem.violations(np.array([0, 1, 2])) == ["w and y belong to one class"]
    assert problem.violations(np.array([1, 0, 1])) == ["x is visited twice"]
    assert problem.violations(np.array([0, 9, 1])) == ["there is no vertex 9"]
    assert problem.violations(np.array([0, -1, 1])) == ["there is no vertex -1"]
    assert problem.value(np.array([0, 2, 1])) == -INF


def test_forbidden_edges_are_named():
    ordering = np.zeros((3, 3))
    ordering[0, 1] = -INF
    problem = OrderingProblem([0, 0, -INF], ordering, [0, -INF, 0], 2, names=["a", "b", "c"])
    assert problem.violations(np.array([0, 1])) == [
        "the edge a -> b is forbidden",
        "the edge b -> end is forbidden",
    ]
    assert problem.violations(np.array([2, 0])) == ["the edge start -> c is forbidden"]


@pytest.mark.parametrize("path", [3, [[0, 1]], [0.0, 1.0], ["a", "b"]])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(InvalidProblem, match="a path is an array of 2 vertices"):
        small().violations(path)


def test_an_unknown_vertex_has_no_value():
    with pytest.raises(InvalidProblem, match="there is no vertex 7 among the 4"):
        small().value(np.array([0, 7]))


def test_decisions_are_named_and_read_back():
    problem = small(names=["w", "x", "y", "z"])
    path = np.array([3, 1])
    on = problem.encode(path)
    assert [problem.decisions.name(d) for d in on.tolist()] == ["start -> z", "z -> x", "x -> end"]
    np.testing.assert_array_equal(problem.decode(on), path)


@given(rng=generators())
def test_every_path_is_read_back(rng):
    drawn = random_problem(rng)
    for path in all_paths(drawn)[0][:5]:
        on = drawn.encode(path)
        assert np.all(np.diff(on) > 0)
        np.testing.assert_array_equal(drawn.decode(on), path)


def test_decode_of_what_is_no_path_violates():
    """A cycle beside the path, no first vertex, nothing at all."""
    problem = small()
    n = 4
    cycle = np.array([0, n + n * 1 + 2, n + n * 2 + 1, n + n * n])
    for on in (cycle, np.array([n + 1]), np.zeros(0, np.int64), np.array([0, n + 1, n + n * 1 + 0])):
        assert problem.violations(problem.decode(on))


# --- builders


def test_selection_moves_onto_incoming_edges():
    rng = np.random.default_rng(3)
    selection, ordering = rng.normal(size=5), rng.normal(size=(5, 5))
    start, end = rng.normal(size=5), rng.normal(size=5)
    problem = OrderingProblem.from_selection(selection, ordering, length=3, start=start, end=end)
    path = np.array([4, 0, 2])
    expected = start[4] + selection[[4, 0, 2]].sum() + ordering[4, 0] + ordering[0, 2] + end[2]
    assert problem.value(path) == pytest.approx(expected, rel=1e-14)
    without = OrderingProblem.from_selection(selection, ordering, length=3)
    assert without.value(path) == pytest.approx(expected - start[4] - end[2], rel=1e-14)


@pytest.mark.parametrize("as_mapping", [True, False])
def test_the_best_auxiliary_word_is_kept_and_remembered(as_mapping):
    rng = np.random.default_rng(4)
    n, words = 4, ["of", "the", "in"]
    selection = rng.integers(-2, 3, n).astype(float)
    direct = rng.integers(-4, 5, (n, n)).astype(float)
    before, after = rng.integers(-2, 3, (n, 3)).astype(float), rng.integers(-2, 3, (3, n)).astype(float)
    through = before.T[:, :, None] + after[:, None, :]
    auxiliary = dict(zip(words, through, strict=True)) if as_mapping else AuxiliaryWords(words, before, after)
    problem = OrderingProblem.from_selection(selection, direct, length=2, auxiliary=auxiliary, names=list("abcd"))
    for u in range(n):
        for v in range(n):
            if u == v:
                continue
            choices = [direct[u, v], *through[:, u, v]]
            assert problem.ordering[u, v] == max(choices) + selection[v]
            best = choices.index(max(choices))
            assert problem.auxiliary.word(u, v) == (None if best == 0 else words[best - 1])
            expected = ["abcd"[u], "abcd"[v]] if best == 0 else ["abcd"[u], words[best - 1], "abcd"[v]]
            assert problem.spelled([u, v]) == expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"selection": [[0.0, 0.0, 0.0]]}, r"selection has shape \(1, 3\), expected \(n,\)"),
        ({"ordering": np.zeros((2, 2))}, r"ordering has shape \(2, 2\), expected \(3, 3\)"),
        ({"start": [0.0]}, r"start has shape \(1,\), expected \(3,\)"),
        ({"end": [0.0]}, r"end has shape \(1,\), expected \(3,\)"),
        ({"selection": [0.0, np.nan, 0.0]}, r"selection\[1\] is nan"),
        ({"auxiliary": {"of": np.zeros((2, 2))}}, r"auxiliary\['of'\] has shape \(2, 2\), expected \(3, 3\)"),
        ({"auxiliary": {"of": np.full((3, 3), np.nan)}}, r"auxiliary\['of'\]\[0, 0\] is nan"),
        ({"auxiliary": AuxiliaryWords(["of"], np.zeros((2, 1)), np.zeros((1, 2)))}, "join 2 vertices"),
        ({"auxiliary": ["of"]}, r"auxiliary is list, expected AuxiliaryWords\(words, before, after\) or a mapping"),
        ({"auxiliary": {3: np.zeros((3, 3))}}, r"the auxiliary word 3 is no string"),
    ],
)
def test_from_selection_refuses_and_says_where(change, message):
    arguments = {"selection": np.zeros(3), "ordering": np.zeros((3, 3)), "length": 2, **change}
    with pytest.raises(InvalidProblem, match=message):
        OrderingProblem.from_selection(**arguments)


@pytest.mark.parametrize(
    ("before", "after"),
    [(np.zeros((3, 2)), np.zeros((1, 3))), (np.zeros((3, 1)), np.zeros((1, 2))), ([0.0], [0.0])],
)
def test_halves_of_auxiliary_edges_must_fit(before, after):
    with pytest.raises(InvalidProblem, match="before"):
        AuxiliaryWords(["of"], before, after)


@pytest.mark.parametrize("words", ["of", None, 3, [b"of"]])
def test_auxiliary_words_are_strings(words):
    with pytest.raises(InvalidProblem, match=r"words is .* expected a list|the auxiliary word b'of' is no string"):
        AuxiliaryWords(words, np.zeros((3, 2)), np.zeros((2, 3)))


class Tensor:
    """Neither a sequence nor a NumPy array, but an object with a list of its numbers."""

    def tolist(self):
        return [7, 5, 7]


def test_classes_of_any_array_and_names_of_any_iterable():
    problem = OrderingProblem(*zeros(), 1, classes=Tensor(), names=iter("abc"))
    assert problem.classes.tolist() == [0, 1, 0]
    assert problem.names == ("a", "b", "c")


def test_a_summary_takes_one_sentence_of_each_cluster():
    sentences = ["It rained.", "Rain fell.", "The river rose.", "People left."]
    precedence = np.log([[0.5, 0.5, 0.9, 0.8], [0.5, 0.5, 0.8, 0.7], [0.1, 0.2, 0.5, 0.9], [0.2, 0.3, 0.1, 0.5]])
    problem = OrderingProblem.for_summary(
        sentences, np.log([0.9, 0.8, 0.5, 0.4]), precedence, ["rain", "rain", "river", "people"], length=3
    )
    (best,) = best_paths(problem)
    assert [problem.name(v) for v in best.structure] == ["It rained.", "The river rose.", "People left."]
    assert problem.names == tuple(sentences)


def graph_of(edges, **classes):
    graph = nx.DiGraph()
    graph.add_weighted_edges_from(edges)
    for vertex, name in classes.items():
        graph.nodes[vertex]["class"] = name
    return graph


def test_a_digraph_becomes_a_problem():
    graph = graph_of([("s", "a", 1), ("s", "b", 2), ("a", "b", 3), ("b", "a", 1.5), ("a", "t", 0), ("b", "t", 1)])
    graph.add_edge("s", "t", weight=9)
    graph.add_edge("a", "s", weight=9)
    problem = OrderingProblem.from_digraph(graph, "s", "t", 2)
    (best,) = best_paths(problem)
    assert [problem.name(v) for v in best.structure] == ["a", "b"]
    assert best.value == 5.0
    assert len(all_paths(problem)[0]) == 2, "edges into the source and from there to the sink are on no path"


def test_parallel_edges_the_best_and_classes_of_vertices():
    graph = nx.MultiDiGraph()
    graph.add_weighted_edges_from([("s", 1, 0), ("s", 1, 4), (1, 2, 0), (1, 2, -1), (2, "t", 0), (1, "t", 0)])
    problem = OrderingProblem.from_digraph(graph, "s", "t", 2)
    assert best_paths(problem)[0].value == 4.0
    graph.nodes[1]["class"] = graph.nodes[2]["class"] = "same"
    assert not best_paths(OrderingProblem.from_digraph(graph, "s", "t", 2))
    graph.nodes[1]["kind"] = graph.nodes[2]["kind"] = "same"
    assert OrderingProblem.from_digraph(graph, "s", "t", 1, class_attribute="kind").class_count == 1


@pytest.mark.parametrize(
    ("graph", "source", "message"),
    [
        (nx.Graph([("s", "a"), ("a", "t")]), "s", "the graph is undirected"),
        (graph_of([("s", "a", 1), ("a", "t", 1)]), "q", "the graph has no vertex 'q', which should be the source"),
        (nx.DiGraph([("s", "a"), ("a", "t")]), "s", "the edge 's' -> 'a' has no attribute 'weight'"),
        (graph_of([("s", "a", "x"), ("a", "t", 1)]), "s", "the weight of the edge 's' -> 'a'"),
        (graph_of([("s", "a", np.nan), ("a", "t", 1)]), "s", "the weight of the edge 's' -> 'a' is nan"),
        (graph_of([("s", "a", [1, 2]), ("a", "t", 1)]), "s", "the weight of the edge 's' -> 'a' is no number"),
        (graph_of([("s", "t", 1)]), "s", "at least one vertex"),
    ],
)
def test_digraphs_that_say_too_little_are_refused(graph, source, message):
    with pytest.raises(InvalidProblem, match=message):
        OrderingProblem.from_digraph(graph, source, "t", 1)


# --- why there is no path


def layered(length, forbidden=(), **options):
    ordering = np.full((4, 4), -INF)
    for u, v in ((0, 1), (1, 2), (2, 3)):
        if (u, v) not in forbidden:
            ordering[u, v] = 0.0
    start = options.pop("start", [0, -INF, -INF, -INF])
    return OrderingProblem(start, ordering, options.pop("end", [-INF, -INF, -INF, 0]), length, **options)


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (OrderingProblem(*zeros(), 4), "there are 3 vertices, fewer than the length 4"),
        (small(3, classes=[0, 0, 1, 1]), "there are 2 classes of 4 vertices, fewer than the length 3"),
        (layered(4, start=np.full(4, -INF)), "no vertex may be the first"),
        (layered(4, end=np.full(4, -INF)), "no vertex may be the last"),
        (layered(4, [(2, 3)]), "no edge leads on after 3 of 4 vertices"),
        (layered(2), "none of the 1 vertices that a walk may have at the last place, 2, may be the last"),
        (
            OrderingProblem([0, 0, -INF], [[0, 0, -INF], [0, 0, -INF], [0, 0, 0]], np.zeros(3), 3),
            "only 2 classes hold vertices that some allowed walk of 3 vertices from start to end visits",
        ),
    ],
)
def test_infeasible_instances_say_why(problem, message):
    assert message in problem.infeasibility()[0]
    assert not best_paths(problem)
    result = gapless.solve(problem, "ilp")
    assert result.status is gapless.Status.INFEASIBLE
    assert message in result.explanation[0]


@seeing("paths")
@examples(60)
@given(rng=generators())
def test_no_reason_is_given_for_an_instance_with_a_path(seen, rng):
    problem = random_problem(rng)
    if best_paths(problem):
        seen["paths"] += 1
        assert not problem.infeasibility()


# --- files, copies, families


def same(one, other):
    assert one.length == other.length
    assert one.names == other.names
    for name in ("start", "ordering", "end", "classes"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_json_keeps_everything():
    words = AuxiliaryWords(["of", "the"], np.zeros((3, 2)), [[0.0, -INF, 1.0], [2.0, 0.0, 0.0]])
    problem = OrderingProblem.from_selection(
        [0.1, -INF, 1 / 3],
        np.zeros((3, 3)),
        length=2,
        auxiliary=words,
        names=["a", "b", "c"],
        classes=["x", "y", "x"],
    )
    back = serial.loads(serial.dumps(problem))
    same(problem, back)
    assert back.auxiliary.words == ("of", "the")
    np.testing.assert_array_equal(back.auxiliary.via, problem.auxiliary.via)
    same(problem, copy.deepcopy(problem))


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_families_are_what_their_seed_says(family):
    problem = FAMILIES[family](30, 4, 7)
    same(problem, FAMILIES[family](30, 4, 7))
    assert not np.array_equal(problem.start, FAMILIES[family](30, 4, 8).start)
    assert (problem.vertices, problem.length) == (30, 4)
    assert not problem.infeasibility()


def test_metric_instances_score_the_same_backwards():
    problem = FAMILIES["metric"](20, 5, 0)
    path = np.array([3, 1, 4, 15, 9])
    assert problem.value(path) == pytest.approx(problem.value(path[::-1]), rel=1e-12)


def test_a_missing_class_is_named():
    with pytest.raises(InvalidProblem, match=r"classes\[1\] is NaN"):
        OrderingProblem(np.zeros(2), np.zeros((2, 2)), np.zeros(2), 1, classes=[0.0, np.nan])


def test_what_is_no_graph_is_refused():
    with pytest.raises(InvalidProblem, match="the graph is a dict, expected a networkx DiGraph"):
        OrderingProblem.from_digraph({}, "s", "t", 1)


def test_rows_are_contiguous_whatever_is_given():
    ordering = np.asfortranarray(np.arange(9.0).reshape(3, 3))
    assert OrderingProblem(np.zeros(3), ordering, np.zeros(3), 2).ordering.flags.c_contiguous
