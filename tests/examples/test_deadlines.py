"""Real oracles under limits, in both trees: at most a second more, counted in CPU time, with a true bound."""

import math
import resource
import time

import numpy as np
import pytest
from patience import ctrl_c_after

import gapless as gl
from benchmarks.colouring.formulation import formulation as colouring_formulation
from benchmarks.colouring.problem import Colouring
from gapless.column_generation import branch_and_price
from gapless.roles import SolveBudget, SolveRequest
from gapless.scip import branch_price_and_cut

for example in ("cutting_stock", "vehicle_routing"):
    pytest.importorskip(
        f"gapless_{example}", reason=f"the example is not installed: pip install -e docs/examples/{example}"
    )
from gapless_cutting_stock import plugin as cutting_stock  # noqa: E402  after the skip
from gapless_cutting_stock.problem import CuttingStockProblem  # noqa: E402
from gapless_vehicle_routing import plugin as vehicle_routing  # noqa: E402
from gapless_vehicle_routing.instances import random_instance  # noqa: E402

MARGIN = 1.0
"""CPU seconds; what is over, on an idle machine, is less than a tenth of them."""


def routes(tree, budget, customers=60):
    """Twenty customers on a route: pricing is hard from the beginning."""
    problem = random_instance(1, customers, vehicles=customers // 20 + 1, per_route=20)
    run = vehicle_routing.own_tree if tree == "own" else vehicle_routing.scip_tree
    return run(problem, SolveRequest(budget))


def colours(tree, budget):
    """One stable set of a sparse graph takes minutes."""
    rng = np.random.default_rng(0)
    pairs = np.argwhere(np.triu(rng.random((200, 200)) < 0.2, 1))
    problem = Colouring(200, pairs)
    run = branch_and_price if tree == "own" else branch_price_and_cut
    return run(problem, colouring_formulation(problem), budget)


def patterns(tree, budget):
    """Long rolls with many widths: either tree needs far more than ten seconds of a fast machine."""
    rng = np.random.default_rng(3)
    sizes = sorted(set(rng.integers(300, 5000, 500).tolist()), reverse=True)
    problem = CuttingStockProblem(10000, sizes, rng.integers(1, 20, len(sizes)).tolist())
    run = cutting_stock.own_tree if tree == "own" else cutting_stock.scip_tree
    return run(problem, SolveRequest(budget))


def user_time():
    """CPU seconds outside of the system, by which `ctrl_c_after` counts."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def check(result, stop, used, limit):
    assert result.stop is stop
    assert used < limit + MARGIN
    if result.solutions:
        assert result.bound <= result.value
    assert result.status in {gl.Status.FEASIBLE, gl.Status.NO_SOLUTION}


def test_a_limit_before_the_first_question():
    """All that is made before the search: a first plan, a linear program."""
    for tree in ("own", "scip"):
        since = time.process_time()
        result = routes(tree, SolveBudget(gl.Limits(time=0.0), clock=time.process_time))
        check(result, gl.Stop.TIME, time.process_time() - since, 0.0)
        assert result.bound == -math.inf


@pytest.mark.long
@pytest.mark.parametrize("tree", ["own", "scip"])
@pytest.mark.parametrize("oracle", [routes, colours, patterns])
def test_limits_are_kept_within_a_second(oracle, tree):
    since, limit = time.process_time(), 1.5
    result = oracle(tree, SolveBudget(gl.Limits(time=limit), clock=time.process_time))
    check(result, gl.Stop.TIME, time.process_time() - since, limit)


@pytest.mark.long
@pytest.mark.parametrize("tree", ["own", "scip"])
@pytest.mark.parametrize("oracle", [routes, colours, patterns])
def test_ctrl_c_stops_it_within_a_second(oracle, tree):
    since, limit = user_time(), 1.5
    with ctrl_c_after(limit):
        result = oracle(tree, SolveBudget())
    check(result, gl.Stop.INTERRUPTED, user_time() - since, limit)
