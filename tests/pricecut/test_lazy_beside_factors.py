"""Lazy scores beside factors of every tier: what the search proves, its certificate proves by the true scores."""

import itertools

import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given

import gapless
from gapless import Result, Status
from gapless.factors import Cardinality
from gapless.testing.campaign import enumeration_limit
from gapless.testing.listed_instances import KINDS
from gapless.testing.random_factors import LazyConjunctions, ScoredCount, TightBudget
from gapless_dependency import ParsingProblem

LAZY = [("lagrangian-cut", {}), ("split-bound", {"lazy_scores": True})]


def lazy_pairs(rng, count, most):
    """Pairs whose scores are below their bounds, mostly on the other side of 0."""
    sets = sorted({tuple(sorted(rng.choice(count, 2, replace=False).tolist())) for _ in range(most)})
    scores = rng.normal(size=len(sets))
    return LazyConjunctions(sets, scores, np.maximum(scores, 0.0) + rng.choice([0.0, 0.5, 2.0], len(sets)))


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"none"}))
@seeing("unscored")
@examples(8)
@given(rng=generators())
def test_lazy_scores_beside_a_factor_are_proved_with_a_certificate(seen, rng, kind):
    n, scores = int(rng.integers(3, 6)), ("ties", "normal")[int(rng.integers(2))]
    bare = ParsingProblem(rng.normal(size=(n + 1, n + 1)), projective=bool(rng.integers(2)))
    others = [lazy_pairs(rng, bare.decisions.count, 40), KINDS[kind](rng, bare.decisions, scores)]

    def again():
        return ParsingProblem(bare.scores, factors=others, projective=bare.projective)

    method, options = LAZY[int(rng.integers(2))]
    with enumeration_limit(0):
        lazily, chunk_size = gapless.solve(again(), method, **options), gapless.solve(again(), "split-bound")
    assert lazily.status is chunk_size.status
    assert not lazily.solutions or lazily.value == pytest.approx(chunk_size.value)
    assert lazily.verify(again())
    assert Result.from_json(lazily.to_json()).verify(again())
    seen["unscored"] += lazily.stats.scopes_scored < lazily.stats.scopes_total


OTHERS = {
    "diagram": lambda count: Cardinality(range(count), np.arange(count + 1.0)),
    "relaxed diagram": lambda count: TightBudget(range(count), 0.37 * np.arange(count), 2.0, 1.0),
    "python": lambda count: ScoredCount(np.arange(count), np.arange(count + 1.0)),
}


@pytest.mark.parametrize(("method", "options"), LAZY)
@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("projective", [True, False])
def test_lazy_scores_that_forbid_every_tree_are_proved_infeasible(other, projective, method, options):
    bare = ParsingProblem(np.zeros((3, 3)), projective=projective)
    pairs = list(itertools.combinations(range(bare.decisions.count), 2))
    lazy = LazyConjunctions(pairs, np.full(len(pairs), -np.inf), np.zeros(len(pairs)))
    problem = ParsingProblem(
        bare.scores, factors=[lazy, OTHERS[other](bare.decisions.count)], projective=projective
    )
    with enumeration_limit(0):
        result = gapless.solve(problem, method, **options)
    assert result.status is Status.INFEASIBLE
    assert result.verify(problem)
