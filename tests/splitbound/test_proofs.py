"""The two bounds on trees that certificates rest on, against enumeration."""

import math
from fractions import Fraction

import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given

import gapless
from gapless_dependency.enumeration import all_trees
from gapless_dependency.proofs.cut_set_duals import ReducedWeights, arborescence_bounds, best_through_some
from gapless_dependency.proofs.spans import bounds_through_arcs
from gapless_dependency.random_problems import random_problem
from gapless_splitbound.certificate import TreeSplitCertificate


def enumerated(weights, projective, single_root):
    n = len(weights) - 1
    trees = all_trees(n, projective, single_root)
    # Correctly rounded: a bound is no less than these, whatever a plain sum makes of them.
    values = np.array([math.fsum(row) for row in weights[trees, np.arange(1, n + 1)].tolist()])
    through = np.full(weights.shape, -np.inf)
    for word in range(n):
        np.maximum.at(through[:, word + 1], trees[:, word], values)
    return values.max(), through


def matrix(rng):
    n = int(rng.integers(1, 6))
    drawn = rng.integers(-3, 4, (n + 1, n + 1)) if rng.integers(2) else rng.normal(size=(n + 1, n + 1))
    weights = np.where(rng.random(drawn.shape) < rng.choice([0.0, 0.4, 0.7]), -np.inf, drawn)
    weights[:, 0] = -np.inf
    np.fill_diagonal(weights, -np.inf)
    return weights


@pytest.mark.parametrize("single_root", [False, True])
@examples(50)
@given(rng=generators())
def test_spans_give_the_best_tree_through_every_arc(rng, single_root):
    weights = matrix(rng)
    best, through = enumerated(weights, True, single_root)
    value, each = bounds_through_arcs(weights, single_root)
    assert best <= value <= best + 1e-12
    assert np.all(each >= through)
    np.testing.assert_allclose(each, through, rtol=0, atol=1e-12)


@pytest.mark.parametrize("single_root", [False, True])
@examples(50)
@given(rng=generators())
def test_set_prices_bound_every_arborescence_and_meet_the_best(rng, single_root):
    weights = matrix(rng)
    best, through = enumerated(weights, False, single_root)
    bound, each = arborescence_bounds(weights, single_root)
    assert best <= bound <= best + 1e-12
    assert np.all(each >= through)
    assert each.max() <= bound


def exact_best(weights, projective, single_root):
    """In rational numbers, as float64 sums of large scores lose what is asked for."""
    trees = all_trees(len(weights) - 1, projective, single_root)
    totals = [sum(map(Fraction, weights[tree, np.arange(1, len(weights))].tolist())) for tree in trees]
    through = {}
    for tree, total in zip(trees, totals, strict=True):
        for arc in zip(tree.tolist(), range(1, len(weights)), strict=True):
            through[arc] = max(total, through.get(arc, total))
    return max(totals), through


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("mask", [-1e9, -1e12, 1e12])
@examples(10)
@given(rng=generators())
def test_masks_that_are_numbers_cost_no_digits(rng, projective, single_root, mask):
    """A charge on root arcs of the size of the mask once took the bound 1e-6 below the best tree."""
    judge = bounds_through_arcs if projective else arborescence_bounds
    n = int(rng.integers(2, 5))
    weights = np.where(rng.random((n + 1, n + 1)) < 0.3, mask, rng.normal(size=(n + 1, n + 1)))
    best, through = exact_best(weights, projective, single_root)
    bound, each = judge(weights, single_root)
    assert Fraction(bound) >= best
    assert bound <= float(best) + 1e-14 * abs(float(best)) + 1e-12
    assert all(Fraction(float(each[arc])) >= total for arc, total in through.items())


def test_a_long_sentence_without_the_kernels():
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(41, 41))
    weights[:, 0] = -np.inf
    np.fill_diagonal(weights, -np.inf)
    projective, through = bounds_through_arcs(weights, True)
    free, each = arborescence_bounds(weights, True)
    assert projective <= free + 1e-9
    assert through.max() == pytest.approx(projective)
    assert np.all(through <= each + 1e-9)


@pytest.mark.parametrize("single_root", [False, True])
@seeing("met")
@examples(30)
@given(rng=generators())
def test_the_best_tree_through_some_arcs_is_that_through_one_of_them(seen, rng, single_root):
    n = int(rng.integers(2, 9))
    weights = rng.normal(size=(n + 1, n + 1)) * 10.0 ** rng.integers(-2, 9)
    weights[rng.random(weights.shape) < rng.choice([0.1, 0.5])] = -np.inf
    heads, words = rng.integers(0, n + 1, 5), rng.integers(1, n + 1, 5)
    each = []
    for h, m in zip(heads, words, strict=True):
        forced = weights.copy()
        forced[np.arange(n + 1) != h, m] = -np.inf
        each.append(arborescence_bounds(forced, single_root)[0] if h != m else -np.inf)
    best = max(each)
    assert best_through_some(weights, single_root, heads, words) == best
    seen["met"] += best > -np.inf
    for enough in (best - 1.0, best, best + 0.3 * abs(best), np.inf):
        bound = best_through_some(weights, single_root, heads, words, enough)
        assert best <= bound <= max(best, enough)


def test_flips_are_bounded_no_tighter_than_leaves(monkeypatch):
    """A tree proves the same with most contractions spared."""
    problem = random_problem(np.random.default_rng([25, 0, 1]), 25, families=["grandchild"], strength=0.3)
    tree = gapless.solve(problem, "split-bound").certificate
    made, inner = [], ReducedWeights.forced
    monkeypatch.setattr(ReducedWeights, "forced", lambda *arguments: made.append(1) or inner(*arguments))
    verdict, spared = tree.verify(problem), len(made)
    flips = TreeSplitCertificate.verify_flips
    monkeypatch.setattr(TreeSplitCertificate, "verify_flips", lambda self, *a: flips(self, *a[:-1], -np.inf))
    again = tree.verify(problem)
    assert again.bound == verdict.bound
    assert again.work > verdict.work
    assert len(made) - spared > 2 * spared
