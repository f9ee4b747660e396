"""Random short sentences, the optima of parsing problems by enumeration, and results checked against them."""

import numpy as np
import pytest

import gapless
from gapless import Status
from gapless.arrays.tolerance import meets
from gapless.search import layout
from gapless_dependency.enumeration import tree_scores
from gapless_dependency.random_problems import random_problem


@pytest.fixture
def bounds_alone(monkeypatch):
    """Enumerate no node: sentences so short would otherwise all be enumerated, and leave no multipliers."""
    monkeypatch.setattr(layout, "CHOICES", 0)


class BoundedScorer:
    """A table of scores with upper bounds that are too high by `slack`; counts the scores that it is asked for."""

    def __init__(self, table, slack):
        self.table, self.slack, self.asked = table, slack, 0

    def __call__(self, *positions):
        self.asked += positions[0].size
        return self.table[positions]

    def upper_bound(self, *positions):
        return self.table[positions] + self.slack[positions]


def random_case(
    rng, n, families, *, projective=None, ties=False, forbidden=(0.0,), forbidden_parts=(0.0,), **options
):
    """Draw a sentence of `n` words, projective or not unless that is given, with one root or several."""
    return random_problem(
        rng,
        n,
        projective=bool(rng.integers(2)) if projective is None else projective,
        single_root=bool(rng.integers(2)),
        families=[str(family) for family in families],
        ties=ties,
        forbidden=float(rng.choice(forbidden)),
        forbidden_parts=float(rng.choice(forbidden_parts)),
        **options,
    )


def best_scores(problem):
    """Return the scores of all allowed trees, best first."""
    scores = np.sort(tree_scores(problem)[1])[::-1]
    return scores[scores > -np.inf]


def best_score(problem):
    """Return the score of the best tree; -inf if there is none."""
    return best_scores(problem).max(initial=-np.inf)


def trees_under(problem, fixings):
    """Return heads and scores of the trees that agree with the fixings."""
    heads, scores = tree_scores(problem)
    ids = problem.decisions.index[heads, np.arange(1, problem.length + 1)]
    agree = np.array([fixings.allows(row) for row in ids], bool)
    return heads[agree], scores[agree]


def check_solved(problem, expected, k=1, **options):
    """Solve by ``split-bound``, and compare the list, its proof and the bound with the `best_scores`."""
    result = gapless.solve(problem, "split-bound", k=k, **options)
    verdict = result.verify(problem)
    assert verdict, (verdict, options)
    if not expected.size:
        assert result.status is Status.INFEASIBLE
        assert verdict.bound == -np.inf
        return result
    assert result.status is Status.OPTIMAL
    assert [s.value for s in result.solutions] == pytest.approx(expected[:k].tolist(), rel=1e-9, abs=1e-9)
    assert verdict.bound >= expected[:k][-1] - 1e-12 * abs(expected[0])
    if problem.granularity is None and k == 1:
        assert meets(verdict.bound, result.value)
    return result
