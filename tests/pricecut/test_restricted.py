"""The relaxation over a few arcs, as a search asks for it when its multipliers stall."""

import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import assume, given
from split_layout import SplitLayout

from gapless import Limits
from gapless.arrays.tolerance import round_bound, score_tolerance
from gapless.roles import Fixings, SolveBudget
from gapless_dependency.enumeration import tree_scores
from gapless_pricecut.lagrangian import restricted_relaxation
from gapless_pricecut.pricing_tables import PricingTables
from gapless_splitbound import TreeSplitCertificate

CLOSE = 1e-6


def kept_arcs(rng, problem):
    """A random tree's arcs and some more, and the best score of a tree among them."""
    heads, scores = tree_scores(problem)
    chosen = heads[rng.integers(len(heads))]
    kept = rng.random(problem.decisions.count) < 0.6
    kept[problem.decisions.index[chosen, np.arange(1, problem.length + 1)]] = True
    inside = kept[problem.decisions.index[heads, np.arange(1, problem.length + 1)]].all(axis=1)
    return kept, scores[inside].max()


def kept_sentence(random_sentence, rng):
    problem = random_sentence(rng)
    assume(len(tree_scores(problem)[0]))
    return problem, *kept_arcs(rng, problem)


@seeing("bounded")
@examples(40)
@given(rng=generators())
def test_multipliers_are_those_of_the_split_bound(seen, rng, random_sentence):
    problem, kept, best = kept_sentence(random_sentence, rng)
    found = restricted_relaxation(problem, kept, budget=SolveBudget()).proof
    fixings = Fixings.none(problem.decisions.count).fix(off=np.flatnonzero(~kept))
    assert found.bound >= best - score_tolerance(best)
    if found.tree is not None:
        assert kept[problem.encode(found.tree)].all()
        assert problem.value(found.tree) <= best + score_tolerance(best)
    if found.bound == -np.inf:
        return
    split = SplitLayout(problem)
    assert found.multipliers.shape == (split.size,)
    close = CLOSE * max(1.0, abs(found.bound))
    evidence = TreeSplitCertificate(split.orientation, found.multipliers / split.scale, loss=split.loss)
    verdict = evidence.verify(problem, fixings)
    assert verdict
    assert round_bound(verdict.bound, problem.granularity) <= found.bound + close
    seen["bounded"] += 1


@pytest.mark.parametrize("seed", [512, 1366, 1439])
def test_groups_without_a_pair_that_is_left_bind_nothing(seed, random_sentence):
    """An arc whose groups have no pair of kept arcs was forced off, and the program had no solution."""
    rng = np.random.default_rng(seed)
    problem = random_sentence(rng)
    kept, best = kept_arcs(rng, problem)
    assert restricted_relaxation(problem, kept, budget=SolveBudget()).proof.bound >= best - score_tolerance(best)


@seeing("compared")
@examples(40)
@given(rng=generators())
def test_the_objective_is_that_of_the_program_with_the_other_arcs_off(seen, rng, random_sentence, whole_program):
    problem, kept, _ = kept_sentence(random_sentence, rng)
    program = whole_program(problem, "lean", "cut-sets")
    for arc in np.flatnonzero(~kept).tolist():
        program.row({arc: 1.0}, 0.0, 0.0)
    found = restricted_relaxation(problem, kept, budget=SolveBudget(), parts=PricingTables(problem))
    assert np.all(found.point[~kept] == 0)
    if program.complete and found.proof.bound > -np.inf:
        assert found.objective == pytest.approx(program.optimum(), rel=CLOSE, abs=CLOSE)
        seen["compared"] += 1


@examples(10)
@given(rng=generators())
def test_a_spent_budget_leaves_a_true_bound(rng, random_sentence):
    problem, kept, best = kept_sentence(random_sentence, rng)
    found = restricted_relaxation(problem, kept, budget=SolveBudget(Limits(iterations=0)))
    assert np.isnan(found.objective)
    assert found.proof.bound >= best - score_tolerance(best)
    assert found.proof.multipliers.shape == (SplitLayout(problem).size,)
