"""Maximisers of chains and trees: best labellings and max-marginals under fixings, in Python and compiled."""

import importlib
import itertools
import math

import numpy as np
import pytest
from drawn import examples, generators
from hypothesis import given

import gapless_kernels
from gapless.roles import Fixings
from gapless.testing import check_maximiser
from gapless_chains import ChainProblem, TreeLabelMaximiser, TreeProblem, ViterbiMaximiser

compiled_only = pytest.mark.skipif(not gapless_kernels.COMPILED, reason="compares compiled kernels with Python")


def pair_scores(rng, shape):
    """Integers with ties, or normal numbers; some are -inf."""
    scores = rng.integers(-2, 3, shape).astype(float) if rng.random() < 0.5 else rng.normal(0, 3, shape)
    return np.where(rng.random(shape) < 0.2, -np.inf, scores)


def drawn_chain(rng):
    n, k = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    shape = (k, k) if rng.random() < 0.5 else (n - 1, k, k)
    return ChainProblem(np.zeros((n, k)), pair_scores(rng, shape))


def drawn_tree(rng, n, k):
    """A forest of any shape, stars and paths among them."""
    shape = (k, k) if rng.random() < 0.5 else (n, k, k)
    parents = [int(rng.integers(-1, i)) for i in range(n)]
    return TreeProblem(np.zeros((n, k)), pair_scores(rng, shape), parents)


def labellings(problem):
    """The decisions of all labellings that score more than -inf, and their internal scores."""
    n, k = problem.unary.shape
    bare = type(problem)(
        np.zeros((n, k)), *[getattr(problem, name) for name in ("transition", "parents") if hasattr(problem, name)]
    )
    internal_scores = {}
    for labels in itertools.product(range(k), repeat=n):
        value = bare.value(np.array(labels))
        if value > -math.inf:
            internal_scores[tuple(problem.encode(np.array(labels)).tolist())] = value
    return [np.array(ids) for ids in internal_scores], lambda ids: internal_scores[tuple(ids.tolist())]


@examples(40)
@given(rng=generators())
def test_chain_against_enumeration(rng):
    problem = drawn_chain(rng)
    on_sets, internal_score = labellings(problem)
    check_maximiser(
        ViterbiMaximiser(problem),
        problem.decisions,
        on_sets,
        internal_score=internal_score,
        samples=4,
        seed=int(rng.integers(99)),
    )


@examples(40)
@given(rng=generators())
def test_trees_against_enumeration(rng):
    problem = drawn_tree(rng, int(rng.integers(1, 6)), int(rng.integers(1, 4)))
    on_sets, internal_score = labellings(problem)
    check_maximiser(
        TreeLabelMaximiser(problem),
        problem.decisions,
        on_sets,
        internal_score=internal_score,
        samples=4,
        seed=int(rng.integers(99)),
    )


@given(rng=generators())
def test_backbone_of_a_tree_scores_as_the_problem_does(rng):
    n, k = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    bare = drawn_tree(rng, n, k)
    problem = TreeProblem(pair_scores(rng, (n, k)), bare.transition, bare.parents)
    backbone = problem.backbone()
    for labels in itertools.product(range(k), repeat=n):
        on = problem.encode(np.array(labels))
        found = backbone.maximiser.solve(backbone.weights, Fixings.none(n * k).fix(on=on))
        assert found.value + backbone.constant == pytest.approx(problem.value(np.array(labels)))


@given(rng=generators())
def test_backbone_of_a_chain_scores_as_the_problem_does(rng):
    n, k = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    problem = ChainProblem(
        pair_scores(rng, (n, k)), pair_scores(rng, (k, k)), initial=rng.normal(size=k), final=rng.normal(size=k)
    )
    backbone = problem.backbone()
    for labels in itertools.product(range(k), repeat=n):
        on = problem.encode(np.array(labels))
        found = backbone.maximiser.solve(backbone.weights, Fixings.none(n * k).fix(on=on))
        assert found.value + backbone.constant == pytest.approx(problem.value(np.array(labels)))


@compiled_only
@examples(30)
@given(rng=generators())
def test_wide_chains_in_python_and_compiled(rng):
    n, k = int(rng.integers(1, 9)), int(rng.integers(1, 70))
    shape = (k, k) if rng.random() < 0.5 else (n - 1, k, k)
    problem = ChainProblem(np.zeros((n, k)), pair_scores(rng, shape))
    same_in_both(ViterbiMaximiser(problem), n, k, rng)


@compiled_only
@examples(30)
@given(rng=generators())
def test_wide_trees_in_python_and_compiled(rng):
    n, k = int(rng.integers(1, 12)), int(rng.integers(1, 40))
    same_in_both(TreeLabelMaximiser(drawn_tree(rng, n, k)), n, k, rng)


def same_in_both(maximiser, n, k, rng):
    """Value, structure and max-marginals under random weights and fixings of both kinds."""
    role = maximiser.compiled()
    for _ in range(3):
        weights = rng.normal(0, 5, n * k)
        state = np.where(rng.random(n * k) < 0.2, 0, -1).astype(np.int8)
        on = rng.integers(0, k, n) + np.arange(n) * k
        state[on[rng.random(n) < 0.3]] = 1
        found, (value, on_ids) = maximiser.solve(weights, Fixings(state)), role.solve(weights, state)
        assert value == pytest.approx(found.value)
        if value == -math.inf:
            continue
        assert found.on_ids.tolist() == on_ids.tolist()
        assert role.internal_score_of(on_ids) == pytest.approx(found.internal_score)
        slacks, (with_on, with_off) = (
            maximiser.max_marginals(weights, Fixings(state)),
            role.max_marginals(weights, state),
        )
        np.testing.assert_allclose(value - with_on, slacks.on, atol=1e-9)
        free = state == -1
        np.testing.assert_allclose(value - with_off[free], slacks.off[free], atol=1e-9)


@compiled_only
def test_two_labels_of_one_position_leave_nothing():
    problem = ChainProblem(np.zeros((2, 2)), np.zeros((2, 2)))
    both = np.array([1, 1, -1, -1], np.int8)
    assert ViterbiMaximiser(problem).solve(np.zeros(4), Fixings(both)).value == -math.inf
    assert ViterbiMaximiser(problem).compiled().solve(np.zeros(4), both)[0] == -math.inf


@compiled_only
def test_wrong_shapes_are_refused():
    TreeLabels = importlib.import_module("gapless_kernels.trees._tree_backbone").TreeLabels

    with pytest.raises(ValueError, match=r"transition must have shape \(3, 3, 3\)"):
        TreeLabels(np.array([-1, 0, 1]), np.zeros((5, 3, 3)))
    with pytest.raises(ValueError, match=r"shape \(4,\)"):
        TreeLabels(np.array([-1, 0]), np.zeros((2, 2))).solve(np.zeros(3))
    with pytest.raises(ValueError, match="numbers or -inf"):
        TreeLabels(np.array([-1, 0]), np.zeros((2, 2))).solve([0.0, np.nan, 0.0, 0.0])


@compiled_only
@given(rng=generators())
def test_equal_labellings_fall_to_the_same_one(rng):
    n, k = int(rng.integers(1, 6)), int(rng.integers(1, 5))
    scores = rng.integers(-1, 2, (k, k) if rng.random() < 0.5 else (n - 1, k, k)).astype(float)
    maximiser, weights = ViterbiMaximiser(ChainProblem(np.zeros((n, k)), scores)), rng.integers(0, 2, n * k) * 1.0
    found, (value, on) = maximiser.solve(weights, Fixings.none(n * k)), maximiser.compiled().solve(weights)
    assert (found.value, found.on_ids.tolist()) == (value, on.tolist())
