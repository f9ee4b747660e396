"""Cutting stock under all options of pricing: the same values, and certificates that hold."""

import attrs
import numpy as np
import pytest
from cutting_stock_judges import triplets
from drawn import mostly_long

import gapless as gl
from gapless.column_generation import branch_and_price
from gapless.roles import Fixings, PricingOptions, SolveBudget, TreeCertificate
from gapless.scip import branch_price_and_cut
from gapless_cutting_stock import formulation, uniform_bin_packing
from gapless_cutting_stock.pricing import PatternPricing
from gapless_cutting_stock.problem import merged

TREES = (branch_and_price, branch_price_and_cut)


class WithGains(PatternPricing):
    """Also tells what the best roll through each arc gains."""

    def reduced_cost_bounds(self, view):
        """Of all rolls, those of the master included."""
        weights = -view.prices(self.items)[self.problem.arcs.item] - view.usage_prices()
        nothing = Fixings.none(len(self.problem.arcs))
        best = self.oracle.solve(weights, nothing).value
        return np.asarray(best - self.oracle.max_marginals(weights, nothing).on - view.objective_weight)


def guess(problem):
    return {item: -size / problem.width for item, size in enumerate(problem.sizes)}


def made(problem, pricing, *, gains=False):
    form = attrs.evolve(formulation(problem), pricing=pricing)
    if gains:
        form = attrs.evolve(form, generators=[WithGains(g.columns) for g in form.generators])
    return form


@pytest.mark.parametrize(
    "options",
    [
        {"smoothing": "wentges"},
        {"smoothing": "directional", "initial_columns_priceable": True},
        {"smoothing": "wentges", "early_branching": True, "guess": True},
        {"tail_off_rounds": 2, "tail_off_share": 0.5},
        {"column_age_limit": 2, "smoothing": "wentges"},
        {"gains": True},
        {
            "gains": True,
            "smoothing": "directional",
            "early_branching": True,
            "guess": True,
            "initial_columns_priceable": True,
        },
    ],
)
@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("case", mostly_long([0, 1], quick=[0]))
def test_the_same_number_of_rolls(tree, options, case):
    options = dict(options)
    gains, guessed = options.pop("gains", False), options.pop("guess", False)
    for problem in (uniform_bin_packing(30 + 10 * case, 3 + 3 * case), triplets(8 + 2 * case, 1 + case)):
        plain = branch_and_price(problem, formulation(problem))
        assert plain.proved
        pricing = PricingOptions(**options, initial_prices=guess(problem) if guessed else None)
        result = tree(problem, made(problem, pricing, gains=gains))
        assert (result.status, result.value) == (gl.Status.OPTIMAL, plain.value)
        if tree is branch_and_price:
            assert result.verify(problem), result.verify(problem).reason


def test_fixings_by_reduced_costs_are_in_the_certificate():
    """And they are checked: one that was not proved is refused."""
    fixed = 0
    for seed in range(2):
        problem = triplets(5, seed)
        (pattern, count), *others = branch_and_price(problem, formulation(problem)).best
        split = [(pattern, count - 1)] if count > 1 else []
        worse = merged([*others, *split, (pattern[:1], 1), (pattern[1:], 1)])
        budget = SolveBudget(gl.Limits(nodes=3))
        form = attrs.evolve(made(problem, PricingOptions(), gains=True), rounding=None)
        result = branch_and_price(problem, form, budget, start=[worse])
        certificate = result.certificate
        assert result.verify(problem), result.verify(problem).reason
        if isinstance(certificate, TreeCertificate):
            fixed += sum(len(step.off) for steps in certificate.tightenings.values() for step in steps)
    assert fixed
