"""Pricing with the mistakes that people make: the kit names each, and the trees say what they would swallow."""

import re
import warnings

import numpy as np
import pytest
import shifts

import gapless as gl
from gapless.engine import branch_and_price
from gapless.lp import LinearMaster
from gapless.roles import InconsistentBound, PricingWarning
from gapless.scip import branch_price_and_cut
from gapless.testing import ConformanceError, check_generator

TREES = (branch_and_price, branch_price_and_cut)
RULES = {
    "fleet row": "a column of the exact stage has a positive reduced cost|a returned column is new",
    "job rows": "a column of the exact stage has a positive reduced cost|a returned column is new",
    "cuts": "a column of the exact stage has a positive reduced cost|a returned column is new",
    "known": "a returned column is new",
    "dominance": "known columns, priced again, exceed no claimed bound|bounds what is missing|nothing feasible is missing",
    "resource": "an integral solution to which nothing is added is feasible",
}


def check(seed, mistake, samples=6):
    problem = shifts.draw(np.random.default_rng(seed))
    made = shifts.formulation(problem, mistake)
    check_generator(
        made.generators,
        lambda: LinearMaster(problem, made),
        problem,
        structures=problem.structures(),
        samples=samples,
    )


def best_of(problem):
    return max(map(problem.value, problem.structures()))


@pytest.mark.parametrize("seed", range(3))
def test_honest_pricing_passes(seed):
    check(seed, "")


@pytest.mark.parametrize("mistake", RULES)
def test_kit_names_the_mistake(mistake):
    rules = []
    for seed in range(6):
        try:
            check(seed, mistake)
        except ConformanceError as error:
            rules.append(error.rule)
            assert re.search(RULES[mistake], error.rule), error
    print(rules)
    assert rules
