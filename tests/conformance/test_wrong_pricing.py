"""Pricing with the mistakes that people make: the kit names each, and the trees say what they would swallow."""

import warnings

import numpy as np
import pytest
import shifts

import gapless as gl
from gapless.column_generation import branch_and_price, pricing_round
from gapless.column_generation.master import LinearMaster
from gapless.roles import FixedColumn, InconsistentBound, PricingWarning
from gapless.scip import branch_price_and_cut
from gapless.testing import ConformanceError, check_generator

TREES = (branch_and_price, branch_price_and_cut)
CLAIMED = "known columns, priced again, exceed no claimed bound"
MISTAKES = {
    "fleet row": (0, "a returned column is new"),
    "job rows": (0, "a returned column is new"),
    "cuts": (2, "a returned column is new"),
    "known": (0, "a returned column is new"),
    "excluded": (0, "no returned column is excluded"),
    "dominance": (1, CLAIMED),
    "resource": (0, "an integral solution to which nothing is added is feasible"),
}


def drawn(seed, mistake=""):
    return shifts.draw(np.random.default_rng(seed), pairs=mistake == "cuts")


def made(problem, mistake):
    return shifts.formulation(problem, "" if mistake == "excluded" else mistake, excludes=mistake == "excluded")


def check(problem, mistake):
    formulation = made(problem, mistake)
    check_generator(
        formulation.generators,
        lambda: LinearMaster(problem, formulation),
        problem,
        structures=problem.structures(),
        samples=3,
    )


def best_of(problem):
    return max(map(problem.value, problem.structures()))


def solved(tree, seed, mistake, **options):
    """Messages of warnings, and the proved value or the error."""
    problem = drawn(seed, mistake)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            result = tree(problem, made(problem, mistake), gl.Limits(nodes=200), **options)
            ended = result.value == best_of(problem) if result.proved else None
        except gl.SolveError as error:
            ended = error
    assert all(issubclass(one.category, PricingWarning) for one in seen)
    return [str(one.message) for one in seen], ended


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("pairs", [False, True])
def test_honest_pricing_passes_the_kit(seed, pairs):
    check(drawn(seed, "cuts" if pairs else ""), "")


@pytest.mark.parametrize("mistake", MISTAKES)
def test_kit_names_a_mistake_of_pricing(mistake):
    first, rule = MISTAKES[mistake]
    with pytest.raises(ConformanceError) as error:
        check(drawn(first, mistake), mistake)
    assert (error.value.role, error.value.rule) == ("ShiftPricing", rule)


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("mistake", ["fleet row", "job rows", "cuts", "known"])
def test_trees_name_columns_that_cannot_improve_the_master(tree, mistake):
    """They would ignore them, and branch for ever."""
    said = []
    for seed in range(8):
        texts, ended = solved(tree, seed, mistake)
        assert ended is not False, "a weak bound is a valid one"
        said += texts
    assert any(text.startswith("ShiftPricing returned column ") for text in said)
    assert all("its reduced cost" in text and "view.reduced_costs" in text for text in said)


@pytest.mark.parametrize("tree", TREES)
def test_trees_name_a_resource_that_allows_more_than_the_problem(tree):
    said = [text for seed in range(8) for text in solved(tree, seed, "resource")[0]]
    assert any("an infeasible structure (shift" in text and "is too long" in text for text in said)


def test_column_that_the_branch_excludes_is_refused():
    """Our tree takes it out at the node; it used to do so without a word."""
    found = [ended for seed in range(12) for _, ended in [solved(branch_and_price, seed, "excluded")]]
    named = [error for error in found if isinstance(error, FixedColumn)]
    assert named
    assert "ShiftPricing returned column " in str(named[0])
    assert "Formulation.forbidden_columns" in str(named[0])


def test_sampled_question_refutes_a_claim(monkeypatch):
    """Taken out of the master, a column in use must come back, or be allowed for."""
    monkeypatch.setattr(pricing_round, "FIRST_SAMPLE", 1)
    error = solved(branch_and_price, 26, "dominance")[1]
    assert isinstance(error, InconsistentBound)
    assert "ShiftPricing claimed a bound of 27 for a master without column 3, but with it 29" in str(error)
    assert all(solved(branch_and_price, seed, "") == ([], True) for seed in range(12))
