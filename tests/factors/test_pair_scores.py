"""Scores of pairs as one factor: the best configuration against enumeration."""

import itertools

import numpy as np
import pytest

import gapless as gl
from gapless.core.configuration_bound import configuration_bound, word_of_factor
from gapless.core.decisions import FREE, OFF, ON, Decisions
from gapless.factors import PairScores


def draw(rng, count, *, whole):
    scores = np.triu(rng.normal(size=(count, count)) * rng.choice([0.5, 2.0]), 1)
    scores = np.round(scores) if whole else scores
    return PairScores(np.arange(count), scores + scores.T)


def best_of_all(factor, weights, state):
    values = [-np.inf]
    for chosen in itertools.product([False, True], repeat=weights.size):
        on = np.array(chosen)
        if not (on[state == OFF].any() or (~on[state == ON]).any()):
            values.append(factor.value(on) + weights[on].sum())
    return max(values)


@pytest.mark.parametrize("seed", range(60))
def test_the_best_configuration(seed):
    rng = np.random.default_rng(seed)
    factor = draw(rng, int(rng.integers(2, 9)), whole=seed % 3 == 0)
    count = factor.decisions.size
    weights = rng.normal(size=count) * 2
    weights = np.round(weights) if seed % 3 == 0 else weights
    state = rng.choice([FREE, FREE, FREE, OFF, ON], size=count).astype(np.int8)
    best = best_of_all(factor, weights, state)
    value, on = factor.most(weights, state)
    assert value == pytest.approx(best, abs=1e-9)
    assert factor.value(on) + weights[on].sum() == pytest.approx(best, abs=1e-9)
    bound = configuration_bound(factor, Decisions(count), weights, state)
    assert best <= bound <= best + 1e-9
    free = np.full(count, FREE, np.int8)
    assert factor.best(weights)[0] == pytest.approx(best_of_all(factor, weights, free), abs=1e-9)


def test_a_bound_on_many_decisions_takes_nobody_at_their_word():
    factor = draw(np.random.default_rng(0), 16, whole=False)
    assert word_of_factor(factor, Decisions(16), factor.decisions) == ""


@pytest.mark.parametrize(
    ("decisions", "scores", "said"),
    [
        ([0, 1], [[0.0, 1.0], [2.0, 0.0]], "symmetric"),
        ([0, 1], [[1.0, 1.0], [1.0, 0.0]], "0 on the diagonal"),
        ([0, 1], [[0.0, -np.inf], [-np.inf, 0.0]], "finite"),
        ([0, 1], np.zeros((3, 3)), "symmetric matrix"),
        ([1, 0], np.zeros((2, 2)), "ascending"),
        (range(65), np.zeros((65, 65)), "2 to 64"),
    ],
)
def test_bad_fields_are_named(decisions, scores, said):
    with pytest.raises(gl.InvalidProblem, match=said):
        PairScores(list(decisions), scores)
