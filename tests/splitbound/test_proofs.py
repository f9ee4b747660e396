"""The two bounds on trees that certificates rest on, against enumeration."""

import numpy as np
import pytest

from gapless_dependency.enumeration import all_trees
from gapless_dependency.proofs.entered_sets import arborescence_bounds
from gapless_dependency.proofs.spans import through_every_arc


def enumerated(weights, projective, single_root):
    n = len(weights) - 1
    trees = all_trees(n, projective, single_root)
    values = weights[trees, np.arange(1, n + 1)].sum(axis=1)
    through = np.full(weights.shape, -np.inf)
    for word in range(n):
        np.maximum.at(through[:, word + 1], trees[:, word], values)
    return values.max(), through


def matrices(seed, count):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n = int(rng.integers(1, 6))
        drawn = rng.integers(-3, 4, (n + 1, n + 1)) if rng.integers(2) else rng.normal(size=(n + 1, n + 1))
        weights = np.where(rng.random(drawn.shape) < rng.choice([0.0, 0.4, 0.7]), -np.inf, drawn)
        weights[:, 0] = -np.inf
        np.fill_diagonal(weights, -np.inf)
        yield weights


@pytest.mark.parametrize("single_root", [False, True])
def test_spans_give_the_best_tree_through_every_arc(single_root):
    for weights in matrices(1, 150):
        best, through = enumerated(weights, True, single_root)
        value, each = through_every_arc(weights, single_root)
        assert value == pytest.approx(best)
        np.testing.assert_allclose(each, through)


@pytest.mark.parametrize("single_root", [False, True])
def test_set_prices_bound_every_arborescence_and_meet_the_best(single_root):
    for weights in matrices(2, 150):
        best, through = enumerated(weights, False, single_root)
        bound, each = arborescence_bounds(weights, single_root)
        assert bound == pytest.approx(best)
        assert np.all(each >= through - 1e-9)


def test_a_long_sentence_without_the_kernels():
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(41, 41))
    weights[:, 0] = -np.inf
    np.fill_diagonal(weights, -np.inf)
    projective, through = through_every_arc(weights, True)
    free, each = arborescence_bounds(weights, True)
    assert projective <= free + 1e-9
    assert through.max() == pytest.approx(projective)
    assert np.all(through <= each + 1e-9)
