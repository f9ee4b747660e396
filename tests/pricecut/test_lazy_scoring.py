"""Scores are asked for where bounds leave a doubt, and counted."""

import numpy as np
import pytest

import gapless
from gapless_dependency import Grandchild, ParsingProblem


class Templates:
    """A sum of tables over two of the three positions, with bounds from their maxima (equation 13)."""

    def __init__(self, rng, n):
        self.upper, self.lower = rng.normal(0, 1, (2, n + 1, n + 1))
        self.third = rng.normal(0, 0.3, (n + 1,) * 3)
        self.asked = set()

    def __call__(self, g, h, m):
        self.asked.update(zip(g.tolist(), h.tolist(), m.tolist(), strict=True))
        return self.upper[g, h] + self.lower[h, m] + self.third[g, h, m]

    def upper_bound(self, g, h, m):
        return self.upper[g, h] + self.lower[h, m] + self.third.max()


def sentence(seed, n):
    rng = np.random.default_rng(seed)
    scorer = Templates(rng, n)
    return ParsingProblem(rng.normal(0, 3, (n + 1, n + 1)), factors=[Grandchild(scorer)]), scorer


@pytest.mark.parametrize("options", [{}, {"fix": False}, {"variant": "paper"}])
def test_few_parts_are_scored_and_fewer_added(options):
    problem, scorer = sentence(1, 15)
    result = gapless.solve(problem, "price-and-cut", **options)
    stats = result.stats
    assert stats.scopes_total == sum(len(scored.scopes) for scored in problem.conjunctions)
    assert stats.scopes_scored == len(scorer.asked)
    assert 0 < stats.scopes_added < stats.scopes_total
    assert stats.scopes_scored < 0.9 * stats.scopes_total
    full = gapless.solve(sentence(1, 15)[0], "lp-full", tree="flow" if "variant" in options else "cut-sets")
    assert full.stats.scopes_scored == full.stats.scopes_total
    assert stats.extra["objective"] == pytest.approx(full.stats.extra["objective"], abs=1e-6)
    assert result.verify(problem)


def test_the_default_variant_scores_fewer_parts_than_the_paper():
    ours, theirs = (
        gapless.solve(sentence(2, 15)[0], "price-and-cut", variant=variant).stats
        for variant in ("default", "paper")
    )
    assert ours.scopes_scored < theirs.scopes_scored
    assert ours.scopes_added < theirs.scopes_added


def test_branch_price_and_cut_scores_lazily():
    problem, scorer = sentence(3, 10)
    result = gapless.solve(problem, "branch-price-and-cut", tree="own")
    assert result.stats.scopes_scored == len(scorer.asked) < result.stats.scopes_total
    assert result.value == pytest.approx(gapless.solve(sentence(3, 10)[0], "split-bound").value)


def test_parts_that_are_forbidden_may_be_bounded_by_minus_infinity():
    """A score of -inf keeps any bound, that one too, whichever is asked for first."""

    class Forbidding(Templates):
        def __call__(self, g, h, m):
            return np.where(m == 1, -np.inf, super().__call__(g, h, m))

        def upper_bound(self, g, h, m):
            return np.where(m == 1, -np.inf, super().upper_bound(g, h, m))

    rng = np.random.default_rng(4)
    scores = rng.normal(0, 3, (7, 7))
    problem = ParsingProblem(scores, factors=[Grandchild(Forbidding(rng, 6))])
    (scored,) = problem.conjunctions
    scored.scores(np.arange(len(scored.scopes)))
    assert np.isneginf(scored.all_bounds()).any()
    assert gapless.solve(problem, "price-and-cut").best.heads[0] == 0, "only the root's word has no grandparent"
