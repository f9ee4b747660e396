"""The tree problem: what it accepts, what it refuses and how it says so."""

import pickle
from copy import deepcopy

import numpy as np
import pytest

from gapless import InvalidProblem, UnknownOption, solve
from gapless.arrays import serial
from gapless.testing import check_problem
from gapless_chains import ChainProblem, TreeProblem

INF = float("inf")
ROOT = [-1, 0, 0]


def zeros(n=3, k=2):
    return np.zeros((n, k))


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([[0.0, np.nan]], zeros(2, 2), [-1]), {}, r"unary\[0, 1\] is NaN"),
        ((zeros(), [[0.0, INF], [0.0, 0.0]], ROOT), {}, r"transition\[0, 1\] is \+inf .*-inf instead"),
        ((np.zeros(3), zeros(2, 2), ROOT), {}, r"unary has shape \(3,\), expected \(n, K\)"),
        ((zeros(0), zeros(2, 2), []), {}, r"unary has shape \(0, 2\).*empty tree"),
        ((zeros(3, 0), zeros(0, 0), ROOT), {}, r"unary has shape \(3, 0\)"),
        ((zeros(), zeros(3, 3), ROOT), {}, r"transition has shape \(3, 3\), expected \(2, 2\) or \(3, 2, 2\)"),
        ((zeros(), np.zeros((2, 2, 2)), ROOT), {}, r"transition has shape \(2, 2, 2\)"),
        ((zeros(), zeros(2, 2), [-1, 0]), {}, r"parents has shape \(2,\), expected \(3,\), one for each node"),
        ((zeros(), zeros(2, 2), [[-1, 0, 0]]), {}, r"parents has shape \(1, 3\) and dtype int64"),
        ((zeros(), zeros(2, 2), [-1.0, 0.0, 0.0]), {}, r"parents has shape \(3,\) and dtype float64"),
        ((zeros(), zeros(2, 2), [-1, None, 0]), {}, r"parents has .*dtype object"),
        ((zeros(), zeros(2, 2), [[-1], [0, 0]]), {}, r"parents is not a list of integers"),
        (
            (zeros(), zeros(2, 2), [-1, 3, 0]),
            {},
            r"parents\[1\] is 3, expected -1 for a root or .* 0 to 2",
        ),
        ((zeros(), zeros(2, 2), [-1, 0, -2]), {}, r"parents\[2\] is -2, expected -1 for a root"),
        ((zeros(), zeros(2, 2), [1, 0, 0]), {}, r"parents\[0\] is 1, but a parent comes before .*own ancestors"),
        (
            (zeros(), zeros(2, 2), [-1, 1, 0]),
            {},
            r"parents\[1\] is 1, but a parent comes .* \(1 in all",
        ),
        ((zeros(), zeros(2, 2), ROOT), {"labels": ["A"]}, r"labels holds 1 entries, expected 2"),
        ((zeros(), zeros(2, 2), ROOT), {"labels": "AB"}, r"labels is one string"),
    ],
)
def test_refuses_and_says_where(arguments, options, message):
    with pytest.raises(InvalidProblem, match=message):
        TreeProblem(*arguments, **options)


def test_the_caller_may_go_on_writing():
    unary, transition, parents = zeros(), zeros(2, 2), np.array(ROOT)
    problem = TreeProblem(unary, transition, parents)
    unary += 5
    transition += 5
    parents[:] = -1
    assert not problem.unary.any()
    assert not problem.transition.any()
    assert problem.parents.tolist() == ROOT
    assert not problem.parents.flags.writeable


def test_many_trees_share_their_transitions():
    many = TreeProblem.many([zeros(), zeros(1)], zeros(2, 2).tolist(), [ROOT, [-1]], labels=["A", "B"])
    assert many[0].transition is many[1].transition
    assert [tree.parents.tolist() for tree in many] == [ROOT, [-1]]
    assert many[1].labels == ("A", "B")
    for copies in (pickle.loads(pickle.dumps(many)), deepcopy(many)):
        assert copies[0].transition is copies[1].transition
        with pytest.raises(ValueError, match="WRITEABLE"):
            copies[0].transition.flags.writeable = True
    with pytest.raises(InvalidProblem, match="2 unaries, but 1 parents"):
        TreeProblem.many([zeros(), zeros()], zeros(2, 2), [ROOT])


@pytest.mark.parametrize("varying", [False, True])
def test_value_is_the_sum_of_the_scores(random_tree, varying):
    problem = random_tree(1, 4, 3, varying=varying, parents=[-1, 0, -1, 0])
    for labels in np.ndindex(3, 3, 3, 3):
        expected = sum(problem.unary[i, x] for i, x in enumerate(labels))
        expected += sum(problem.pairs(i)[labels[0], labels[i]] for i in (1, 3))
        assert problem.value(np.array(labels)) == pytest.approx(expected, abs=1e-12)
        assert not problem.violations(np.array(labels))
        np.testing.assert_array_equal(problem.decode(problem.encode(np.array(labels))), labels)


def test_value_of_a_path_is_that_of_the_chain_bit_by_bit(random_tree):
    rng = np.random.default_rng(0)
    tree = random_tree(3, 30, 6, parents=np.arange(-1, 29))
    chain = ChainProblem(tree.unary, tree.transition)
    for labels in rng.integers(6, size=(50, 30)):
        assert tree.value(labels) == chain.value(labels)


def test_violations_are_sentences():
    problem = TreeProblem([[0, 0], [-INF, 0], [0, 0]], [[0, -INF], [0, 0]], ROOT, labels=["DET", "NOUN"])
    assert problem.violations(np.array([0, 0])) == ["the labels have shape (2,), expected (3,), one for each node"]
    assert problem.violations(np.zeros(3)) == ["the labels have dtype float64, expected integers"]
    assert problem.violations(np.array([0, 50, -1])) == [
        "node 1 has label 50, expected 0..1",
        "node 2 has label -1, expected 0..1",
    ]
    assert problem.violations(np.array([0, 0, 1])) == [
        "node 1 has label DET, which is forbidden",
        "the transition DET -> NOUN from node 0 to node 2 is forbidden",
    ]
    assert problem.value(np.array([0, 0, 1])) == -INF


def test_scores_above_roots_are_not_looked_at():
    transition = np.zeros((3, 2, 2))
    transition[0] = transition[2] = -INF
    problem = TreeProblem(zeros(), transition, [-1, 0, -1])
    assert problem.value(np.zeros(3, int)) == 0.0
    for method in ("viterbi", "dominance", "column-generation"):
        assert solve(problem, method).value == 0.0


def test_infeasibility_says_where():
    assert TreeProblem(zeros(), zeros(2, 2), ROOT).infeasibility() == []
    assert TreeProblem([[0, 0], [-INF, -INF]], zeros(2, 2), [-1, 0]).infeasibility() == [
        "node 1 has no allowed label: all its scores are -inf"
    ]
    transition = [[0, -INF], [0, -INF]]
    (sentence,) = TreeProblem([[0, 0], [0, 0], [-INF, 0]], transition, [-1, 0, 1]).infeasibility()
    assert sentence.startswith("no label of node 1 is left")


def test_decisions_sizes_and_names():
    problem = TreeProblem(zeros(4, 8), zeros(8, 8), [-1, 0, 1, 1])
    assert problem.decisions is problem.decisions
    assert problem.decisions.name(3 * 8 + 7) == "node 3 has label 7"
    assert (problem.positions, problem.label_count) == (4, 8)
    assert repr(problem) == "<TreeProblem: 4 nodes, 8 labels>"
    assert problem.inner.tolist() == [1, 2, 3]
    assert TreeProblem(zeros(4), zeros(2, 2), [-1, -1, 1, 0]).roots.tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize("varying", [False, True])
def test_survives_json_and_pickle(random_tree, varying):
    problem = random_tree(2, 5, 3, varying=varying, forbidden=0.3)
    for copy in (serial.loads(serial.dumps(problem)), pickle.loads(pickle.dumps(problem))):
        for name in ("unary", "transition", "parents"):
            np.testing.assert_array_equal(getattr(copy, name), getattr(problem, name))
        assert copy.labels is None
    named = TreeProblem(zeros(), zeros(2, 2), ROOT, labels=["A", "B"])
    assert serial.loads(serial.dumps(named)).labels == ("A", "B")


@pytest.mark.parametrize("varying", [False, True])
def test_the_kit_accepts_it(random_tree, varying):
    for seed in range(6):
        check_problem(random_tree(seed, 1 + seed % 4, 3, varying=varying, forbidden=0.2))


def test_several_best_are_not_offered():
    with pytest.raises(UnknownOption, match="one best structure only"):
        solve(TreeProblem(zeros(), zeros(2, 2), ROOT), k=2)
