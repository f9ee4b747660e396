"""The chain problem: what it accepts, what it refuses and how it says so."""

import functools
import pickle
from copy import copy, deepcopy
from itertools import product

import numpy as np
import pytest

from gapless import InvalidProblem, solve, solve_many
from gapless.arrays import serial
from gapless.roles import Fixings
from gapless_chains import ChainProblem, TreeProblem

INF = float("inf")


def zeros(n=3, k=2):
    return np.zeros((n, k))


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([[0.0, np.nan]], zeros(2, 2)), {}, r"unary\[0, 1\] is NaN"),
        ((zeros(), [[0.0, INF], [0.0, 0.0]]), {}, r"transition\[0, 1\] is \+inf .*-inf instead"),
        ((zeros(), zeros(2, 2)), {"initial": [0.0, np.nan]}, r"initial\[1\] is NaN"),
        ((zeros(), zeros(2, 2)), {"final": [INF, 0.0]}, r"final\[0\] is \+inf"),
        ((zeros(), [[0.0, 1e200], [0.0, 0.0]]), {}, r"transition\[0, 1\] is too large .*scale"),
        ((zeros(), [[0, 2**60], [0, 0]]), {}, r"transition holds integers beyond 2\*\*53"),
        ((np.zeros(3), zeros(2, 2)), {}, r"unary has shape \(3,\), expected \(n, K\)"),
        ((zeros(), zeros(3, 3)), {}, r"transition has shape \(3, 3\), expected \(2, 2\) or \(2, 2, 2\)"),
        ((zeros(), np.zeros((3, 2, 2))), {}, r"transition has shape \(3, 2, 2\)"),
        ((zeros(), zeros(2, 2)), {"initial": [0.0]}, r"initial has shape \(1,\), expected \(2,\)"),
        ((zeros(), zeros(2, 2)), {"final": [[0.0, 0.0]]}, r"final has shape \(1, 2\), expected \(2,\)"),
        ((np.zeros((0, 2)), zeros(2, 2)), {}, r"unary has shape \(0, 2\).*empty sentence"),
        ((np.zeros((3, 0)), np.zeros((0, 0))), {}, r"unary has shape \(3, 0\)"),
        (([], []), {}, r"unary has shape \(0,\)"),
        ((np.array([[None, 1.0]], object), zeros(2, 2)), {}, r"unary has dtype object; scores are real numbers"),
        ((np.array([["a", "b"]]), zeros(2, 2)), {}, r"unary has dtype <U1"),
        ((zeros() * 1j, zeros(2, 2)), {}, r"unary has dtype complex128"),
        ((np.ma.masked_equal(zeros(), 0), zeros(2, 2)), {}, r"unary is a masked array; fill with -inf"),
        ((list(np.ma.array(zeros())), zeros(2, 2)), {}, r"unary is a masked array; fill with -inf"),
        ((zeros(), np.ma.array(zeros(2, 2), int)), {}, r"transition is a masked array; fill with -inf"),
        (([[0.0, 1.0], [0.0]], zeros(2, 2)), {}, r"unary is not a rectangular array.*same length"),
        ((zeros(), zeros(2, 2)), {"labels": ["A"]}, r"labels holds 1 entries, expected 2"),
        ((zeros(), zeros(2, 2)), {"labels": [1, 2]}, r"expected 2 strings"),
        ((zeros(), zeros(2, 2)), {"labels": "AB"}, r"labels is one string"),
    ],
)
def test_refuses_and_says_where(arguments, options, message):
    with pytest.raises(InvalidProblem, match=message):
        ChainProblem(*arguments, **options)


@pytest.mark.parametrize(
    "convert",
    [
        lambda a: a.astype(np.int32),
        lambda a: a.astype(np.uint8),
        lambda a: a.astype(np.float32),
        lambda a: a.astype(np.float16),
        lambda a: a.astype(">f8"),
        np.asfortranarray,
        lambda a: np.repeat(a, 2, axis=0)[::2],
        lambda a: a.tolist(),
        lambda a: tuple(map(tuple, a.tolist())),
    ],
)
def test_accepts_any_array_of_real_numbers(convert):
    rng = np.random.default_rng(0)
    unary, transition = rng.integers(0, 9, (4, 3)).astype(float), rng.integers(0, 9, (3, 3)).astype(float)
    problem = ChainProblem(convert(unary), convert(transition))
    for held, given in ((problem.unary, unary), (problem.transition, transition)):
        assert type(held) is np.ndarray
        assert held.dtype == np.float64
        assert held.flags.c_contiguous
        assert not held.flags.writeable
        np.testing.assert_array_equal(held, given)


def test_the_caller_may_go_on_writing():
    unary, transition = zeros(), zeros(2, 2)
    problem = ChainProblem(unary, transition)
    unary += 5
    transition += 5
    assert not problem.unary.any()
    assert not problem.transition.any()


def test_a_read_only_view_of_a_writable_array_is_copied():
    base = zeros(2, 2)
    view = base[:]
    view.flags.writeable = False
    problem = ChainProblem(zeros(), view)
    base += 5
    assert not problem.transition.any()


def test_scores_are_shared():
    first = ChainProblem(zeros(), zeros(2, 2))
    assert ChainProblem(zeros(5, 2), first.transition).transition is first.transition
    many = ChainProblem.many(
        [zeros(), zeros(4, 2)], zeros(2, 2).tolist(), initial=[0, 1], final=[2, 3], labels=["A", "B"]
    )
    assert many[0].transition is many[1].transition
    assert many[0].initial is many[1].initial
    assert many[1].final.tolist() == [2, 3]


def test_scores_cannot_be_made_writable():
    problem = ChainProblem(zeros(), zeros(2, 2), initial=[0, 1], final=[1, 0])
    for again in (problem, pickle.loads(pickle.dumps(problem)), deepcopy(problem)):
        for array in (again.unary, again.transition, again.initial, again.final, again.local):
            for held in (array, array[:]):
                with pytest.raises(ValueError, match="WRITEABLE"):
                    held.flags.writeable = True


def test_copies_of_problems_share_what_the_problems_share():
    many = ChainProblem.many([zeros(), zeros(4, 2)], zeros(2, 2))
    assert copy(many[0]).transition is many[0].transition
    for copies in (pickle.loads(pickle.dumps(many)), deepcopy(many)):
        assert copies[0].transition is copies[1].transition
        assert ChainProblem(zeros(), copies[0].transition).transition is copies[0].transition


def test_chunks_of_a_corpus_share_what_its_problems_share():
    many = ChainProblem.many([zeros(), zeros(4, 2)], np.arange(4.0).reshape(2, 2))
    chunks = [pickle.loads(pickle.dumps([problem])) for problem in many]
    assert chunks[0][0].transition is chunks[1][0].transition
    other = ChainProblem(zeros(), np.arange(4.0).reshape(2, 2).T)
    assert pickle.loads(pickle.dumps(other)).transition.tolist() == [[0.0, 2.0], [1.0, 3.0]]


METHODS = ("dominance", "viterbi", "viterbi-pruned", "column-generation", "beam")
TREE = [-1, 0, 0, 1, 1, 2]


@pytest.mark.parametrize(
    ("parents", "method"),
    [*((None, m) for m in METHODS), *((TREE, m) for m in ("dominance", "viterbi", "column-generation"))],
)
@pytest.mark.parametrize("several", [False, True])
def test_an_array_thawed_written_and_frozen_again_is_another_model(parents, method, several):
    make = ChainProblem if parents is None else functools.partial(TreeProblem, parents=parents)
    rng = np.random.default_rng(0)
    unary, transition = rng.integers(-2, 3, (6, 5)).astype(float), np.zeros((5, 5))
    transition.flags.writeable = False
    for _ in range(20):
        transition.flags.writeable = True
        transition[:] = rng.integers(-9, 10, (5, 5))
        transition.flags.writeable = False
        expected = solve(make(unary, transition.copy()), "viterbi").value
        problem = make(unary, transition)
        result = solve_many([problem] * 2, method)[1] if several else solve(problem, method)
        assert result.bound >= expected
        if method != "beam":
            assert result.value == expected
        assert result.verify(problem)


@pytest.mark.parametrize("varying", [False, True])
def test_value_is_the_sum_of_the_scores(random_chain, varying):
    problem = random_chain(1, 4, 3, varying=varying)
    for path in product(range(3), repeat=4):
        pairs = problem.transition if varying else [problem.transition] * 3
        expected = problem.initial[path[0]] + problem.final[path[-1]]
        expected += sum(problem.unary[i, x] for i, x in enumerate(path))
        expected += sum(pairs[i][path[i], path[i + 1]] for i in range(3))
        assert problem.value(np.array(path)) == pytest.approx(expected, abs=1e-12)
        assert not problem.violations(np.array(path))
        np.testing.assert_array_equal(problem.decode(problem.encode(np.array(path))), path)


def test_violations_are_sentences():
    problem = ChainProblem(
        [[0, 0], [-INF, 0], [0, 0]], [[0, -INF], [0, 0]], initial=[0, -INF], labels=["DET", "NOUN"]
    )
    assert problem.violations(np.array([0, 0])) == ["the labels have shape (2,), expected (3,), one for each token"]
    assert problem.violations(np.zeros(3)) == ["the labels have dtype float64, expected integers"]
    assert problem.violations(np.array([0, 50, -1])) == [
        "token 1 has label 50, expected 0..1",
        "token 2 has label -1, expected 0..1",
    ]
    assert problem.violations(np.array([1, 0, 1])) == [
        "token 0 has label NOUN, which is forbidden",
        "token 1 has label DET, which is forbidden",
        "the transition DET -> NOUN after token 1 is forbidden",
    ]
    assert problem.value(np.array([1, 0, 1])) == -INF
    unnamed = ChainProblem(zeros(4, 8), np.where(np.eye(8, k=3) > 0, -INF, 0))
    assert unnamed.violations(np.array([0, 0, 4, 7])) == ["the transition 4 -> 7 after token 2 is forbidden"]


@pytest.mark.parametrize("structure", [np.zeros(2, int), np.zeros(3), np.array([0, 0, 2]), np.array([-1, 0, 0])])
def test_value_and_encode_refuse_what_is_no_labelling(structure):
    problem = ChainProblem(zeros(), zeros(2, 2))
    with pytest.raises(InvalidProblem):
        problem.value(structure)
    with pytest.raises(InvalidProblem):
        problem.encode(structure)


@pytest.mark.parametrize("ids", [[0, 1, 4], [0, 2], [0, 2, 4, 5], [0, 2, 6]])
def test_decode_refuses_other_sets_of_decisions(ids):
    with pytest.raises(InvalidProblem, match="exactly one label"):
        ChainProblem(zeros(), zeros(2, 2)).decode(np.array(ids))


def test_decisions_are_named_grouped_and_built_once():
    problem = ChainProblem(zeros(4, 8), zeros(8, 8))
    decisions = problem.decisions
    assert decisions is problem.decisions
    assert decisions.count == 32
    assert decisions.name(3 * 8 + 7) == "token 3 has label 7"
    assert [list(group) for group in decisions.exactly_one][1] == list(range(8, 16))
    assert ChainProblem(zeros(), zeros(2, 2), labels=["A", "B"]).decisions.name(5) == "token 2 has label B"


def test_allowed_honours_fixings_and_scores():
    problem = ChainProblem([[0, 0, -INF], [0, 0, 0]], zeros(3, 3))
    assert problem.allowed(Fixings.none(6)).tolist() == [[True, True, False], [True, True, True]]
    assert problem.allowed(Fixings([-1, 0, -1, -1, 1, -1])).tolist() == [[True, False, False], [False, True, False]]
    assert not problem.allowed(Fixings([-1, -1, -1, 1, 1, -1]))[1].any()


def test_infeasibility_says_where():
    assert ChainProblem(zeros(), zeros(2, 2)).infeasibility() == []
    assert ChainProblem([[0, 0], [-INF, -INF]], zeros(2, 2)).infeasibility() == [
        "token 1 has no allowed label: all its scores are -inf"
    ]
    (sentence,) = ChainProblem([[0, -INF], [0, 0], [0, 0]], [[-INF, 0], [-INF, -INF]]).infeasibility()
    assert sentence.startswith("no transition survives after token 1")


@pytest.mark.parametrize("varying", [False, True])
def test_survives_json_and_pickle(random_chain, varying):
    problem = random_chain(2, 5, 3, varying=varying, forbidden=0.3)
    assert problem.decisions.count == 15
    for again in (serial.loads(serial.dumps(problem)), pickle.loads(pickle.dumps(problem))):
        path = np.array([0, 2, 1, 1, 0])
        assert again.value(path) == problem.value(path)
        for name in ("unary", "transition", "initial", "final"):
            np.testing.assert_array_equal(getattr(again, name), getattr(problem, name))
        assert again.labels == problem.labels


def test_json_with_names_and_without_ends():
    problem = ChainProblem(zeros(), zeros(2, 2), labels=["A", "B"])
    again = serial.loads(serial.dumps(problem))
    assert again.labels == ("A", "B")
    assert again.initial is None
    assert repr(again) == "<ChainProblem: 3 positions, 2 labels>"


@pytest.mark.parametrize(("n", "varying"), [(1, False), (1, True), (4, False), (4, True)])
def test_linear_model_contains_every_allowed_path_at_its_value(random_chain, n, varying):
    k = 3
    problem = random_chain(n, n, k, varying=varying, forbidden=0.3)
    model = problem.linear_model()
    for path in product(range(k), repeat=n):
        point = np.zeros(model.objective.size)
        point[problem.encode(np.array(path))] = 1
        for i in range(n - 1):
            point[n * k + i * k * k + path[i] * k + path[i + 1]] = 1
        activity = model.rows.dot(point)
        np.testing.assert_array_equal(activity, model.row_lower)
        np.testing.assert_array_equal(activity, model.row_upper)
        value = problem.value(np.array(path))
        assert bool((point <= model.column_upper).all()) == (value > -INF)
        if value > -INF:
            assert model.objective @ point == pytest.approx(value, abs=1e-12)
