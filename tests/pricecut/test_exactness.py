"""Methods that branch, on random short sentences, against the scores of all trees."""

import os

import numpy as np
import pytest
from drawn import examples, generators
from hypothesis import given
from parsing_cases import best_score

import gapless
from gapless import InvalidProblem, Status
from gapless_dependency import Grandchild, ParsingProblem, Valency
from gapless_dependency.random_problems import random_problem
from gapless_pricecut import generator

SENTENCES = int(os.environ.get("GAPLESS_RANDOM_SENTENCES", "60"))


def check(problem, result, best):
    assert result.status is (Status.INFEASIBLE if best == -np.inf else Status.OPTIMAL), result
    if result.solutions:
        assert result.value == pytest.approx(best, rel=1e-9, abs=1e-9)


@examples(SENTENCES // 2)
@given(rng=generators())
def test_branch_price_and_cut_and_the_integer_program_agree_with_enumeration(rng, random_sentence):
    problem = random_sentence(rng)
    best = best_score(problem)
    check(problem, gapless.solve(problem, "branch-price-and-cut"), best)
    if rng.random() < 0.2:
        check(problem, gapless.solve(problem, "ilp"), best)
    order = ("best-first", "depth-first", "breadth-first")[rng.integers(3)]
    own = gapless.solve(problem, "branch-price-and-cut", tree="own", order=order)
    check(problem, own, best)
    verdict = own.verify(problem)
    assert verdict, verdict


@pytest.mark.parametrize("tree", ["scip", "own"])
@pytest.mark.parametrize("mask", [1e6, 1e9, 1e10])
@examples(5)
@given(rng=generators())
def test_masks_hide_nothing_of_the_scores_beside_them(rng, tree, mask):
    """Finite scores that forbid: what is worth more than nothing beside them is no noise."""
    arcs, table = (rng.integers(-20, 21, (6,) * order) / 64.0 for order in (2, 3))
    table[rng.random(table.shape) < 0.2] -= mask
    problem = ParsingProblem(arcs, factors=[Grandchild(table)])
    best = best_score(problem)
    assert best > -100.0
    result = gapless.solve(problem, "branch-price-and-cut", tree=tree)
    assert result.status is Status.OPTIMAL
    assert result.value == pytest.approx(best, abs=1e-9)


@examples(5)
@given(rng=generators())
def test_the_integer_program_judges_all_factors_that_have_one(rng):
    problem = random_problem(rng, 4, families=("grandchild", "valency", "any-of"), ties=True)
    check(problem, gapless.solve(problem, "ilp"), best_score(problem))


@pytest.mark.parametrize("method", ["lp-full", "price-and-cut", "branch-price-and-cut"])
def test_factors_that_are_no_conjunctions_are_refused_by_name(method):
    problem = ParsingProblem(np.zeros((4, 4)), factors=[Valency(1, np.zeros(4))])
    with pytest.raises(InvalidProblem, match="valency is no conjunction"):
        gapless.solve(problem, method)


def test_a_wrong_bound_of_a_scorer_is_an_error_and_no_optimum():
    class Lying:
        def __call__(self, g, h, m):
            return np.full(g.size, 2.0)

        def upper_bound(self, g, h, m):
            return np.full(g.size, 1.0)

    problem = ParsingProblem(np.zeros((4, 4)), factors=[Grandchild(Lying())])
    for method in ("lp-full", "price-and-cut", "branch-price-and-cut"):
        with pytest.raises(InvalidProblem, match="promised at most"):
            gapless.solve(problem, method)


@pytest.fixture
def three_rows_at_a_time(monkeypatch):
    monkeypatch.setattr(generator, "MOST", 3)


@pytest.mark.usefixtures("three_rows_at_a_time")
@pytest.mark.parametrize("tree", ["scip", "own"])
@examples(12)
@given(rng=generators())
def test_rows_that_enter_a_few_at_a_time_lead_to_the_same_tree(rng, tree, random_sentence):
    problem = random_sentence(rng)
    best = best_score(problem)
    check(problem, gapless.solve(problem, "branch-price-and-cut", tree=tree), best)


def test_scip_begins_with_a_tree_and_a_bound():
    rng = np.random.default_rng(0)
    problem = ParsingProblem(rng.normal(size=(31, 31)), factors=[Grandchild(rng.normal(size=(31, 31, 31)))])
    result = gapless.solve(problem, "branch-price-and-cut", limits=gapless.Limits(time=0.3))
    assert result.solutions
    assert result.value <= result.bound < np.inf
    assert not result.stats.warm_start_used


@pytest.mark.parametrize("limit", [{"time": 1e-4}, {"time": 5e-3}, {"nodes": 0}])
@examples(10)
@given(rng=generators())
def test_a_search_that_scip_hardly_began_contradicts_nothing(rng, limit, random_sentence):
    """A start tree may be the best one, and the first bound may meet it, which nobody has proved."""
    problem = random_sentence(rng)
    best = best_score(problem)
    begun = gapless.solve(problem, "lagrangian-cut")
    start = begun.best if begun.solutions else None
    result = gapless.solve(problem, "branch-price-and-cut", start=start, limits=gapless.Limits(**limit))
    assert result.bound >= best - 1e-6
    if result.status is Status.OPTIMAL:
        assert result.value == pytest.approx(best, rel=1e-9, abs=1e-9)
