"""Problems that are copied, sent to other processes, or given what a caller changes later."""

import copy
import pickle

import numpy as np
import pytest

import gapless as gl
from gapless_dependency import (
    DependencyTree,
    Grandchild,
    GreatGrandchild,
    ParsingProblem,
    Sibling,
    Valency,
)


def problem(n=5, seed=0, **given):
    rng = np.random.default_rng(seed)
    factors = [Grandchild(rng.normal(size=(n + 1,) * 3)), Valency(1, rng.normal(size=n + 1))]
    words = [f"w{i}" for i in range(n)]
    return ParsingProblem(rng.normal(size=(n + 1, n + 1)), factors=factors, words=words, projective=True, **given)


@pytest.mark.parametrize("copied", [lambda p: pickle.loads(pickle.dumps(p)), copy.deepcopy, copy.copy])
def test_a_problem_whose_arcs_are_numbered_can_be_copied(copied):
    one = problem()
    tree = gl.solve(one).best  # numbers the arcs and scores the factors
    other = copied(one)
    assert other.value(tree) == one.value(tree)
    assert other.decisions.name(3) == one.decisions.name(3)
    for name in ("heads", "modifiers", "index", "first"):
        np.testing.assert_array_equal(getattr(other.decisions, name), getattr(one.decisions, name))
    assert gl.solve(other).value == gl.solve(one).value


def test_scored_problems_are_solved_by_other_processes():
    pytest.importorskip("joblib")
    problems = [problem(seed=seed) for seed in range(4)]
    for one in problems:
        one.conjunctions[0].all_scores()
    there = gl.solve_many(problems, jobs=2)
    np.testing.assert_allclose(there.values, gl.solve_many(problems).values)


def test_factors_may_come_from_a_generator():
    ones = (Grandchild(np.ones((4, 4, 4))) for _ in range(2))
    assert ParsingProblem(np.zeros((4, 4)), factors=ones).value(DependencyTree([0, 1, 2])) == 4
    with pytest.raises(gl.InvalidProblem, match="expected a sequence of factors"):
        ParsingProblem(np.zeros((4, 4)), factors=Grandchild(np.ones((4, 4, 4))))


@pytest.mark.parametrize(("cls", "axes"), [(Grandchild, 3), (GreatGrandchild, 4)])
def test_dense_scores_for_another_length_are_refused_at_once(cls, axes):
    with pytest.raises(gl.InvalidProblem, match="expected 5 on each axis because the sentence has 4 words"):
        ParsingProblem(np.zeros((5, 5)), factors=[cls(np.zeros((4,) * axes))])


def test_a_caller_who_changes_the_scores_later_changes_no_problem():
    scores = np.ones((4, 4, 4))
    one = ParsingProblem(np.zeros((4, 4)), factors=[Sibling(scores)])
    scores[:] = 7.0
    assert one.value(one.tree([0, 1, 1])) == 1
    with pytest.raises(ValueError, match="read-only"):
        one.factors[0].scores.given[:] = 7.0


def test_labels_are_the_best_ones_or_none():
    labelled = ParsingProblem(np.random.default_rng(0).normal(size=(4, 4, 2)), labels=["a", "b"])
    best = gl.solve(labelled).best
    assert not labelled.violations(best)
    assert labelled.value(DependencyTree(best.heads)) == labelled.value(best)
    other = DependencyTree(best.heads, ["b" if label == "a" else "a" for label in best.labels])
    [first, *_] = labelled.violations(other)
    assert "only its best one" in first
    with pytest.raises(gl.InvalidProblem, match="only its best one"):
        labelled.value(other)
    with pytest.raises(gl.InvalidProblem, match=r"the head of word 2 is 9, expected 0\.\.3"):
        labelled.tree([0, 9, 1])
    with pytest.raises(gl.InvalidProblem, match="1 labels for 2 words"):
        DependencyTree([0, 1], ["a"])
