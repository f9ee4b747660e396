"""The cutting-stock example, as its users meet it: optima of textbooks and of judges that share no code."""

from collections import Counter

import numpy as np
import pytest
from cutting_stock_judges import (
    METHODS,
    TEXTBOOK,
    WITHOUT_ROUND_UP,
    arc_flow_optimum,
    fewest_rolls,
    martello_toth_bound,
    problems,
    proved,
    triplets,
    verified,
)
from drawn import examples, mostly_long
from hypothesis import given

import gapless as gl
from gapless.roles import TreeCertificate
from gapless_cutting_stock import (
    CuttingStockProblem,
    uniform_bin_packing,
)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", TEXTBOOK)
def test_textbook_optima(name, method):
    problem, optimum = TEXTBOOK[name]
    assert proved(problem, method).value == optimum


@pytest.mark.parametrize("name", TEXTBOOK)
def test_textbook_certificates(name):
    problem, optimum = TEXTBOOK[name]
    assert verified(problem, gl.solve(problem)).bound == -optimum


@pytest.mark.parametrize("order", ["best-first", "depth-first", "breadth-first"])
@pytest.mark.parametrize("name", WITHOUT_ROUND_UP)
def test_the_tree_closes_what_rounding_up_leaves_open(name, order):
    problem, rounded_up, optimum = WITHOUT_ROUND_UP[name]
    root = gl.solve(problem, limits=gl.Limits(nodes=1))
    assert (root.status, root.bound, root.value) == (gl.Status.FEASIBLE, rounded_up, optimum)
    assert root.verify(problem)
    result = proved(problem, "branch-and-price", order=order)
    assert result.value == optimum == fewest_rolls(problem)
    assert result.stats.nodes > 1
    assert isinstance(result.certificate, TreeCertificate)
    verified(problem, result)


@pytest.mark.parametrize("name", WITHOUT_ROUND_UP)
def test_scip_closes_it_too(name):
    problem, _, optimum = WITHOUT_ROUND_UP[name]
    assert proved(problem, "scip").value == optimum


@examples(15)
@given(problems())
def test_own_tree_equals_enumeration(problem):
    result = proved(problem, "branch-and-price")
    assert result.value == fewest_rolls(problem)
    verified(problem, result)


@examples(5)
@given(problems())
def test_scip_equals_enumeration(problem):
    assert proved(problem, "scip").value == fewest_rolls(problem)


@pytest.mark.parametrize("seed", mostly_long(range(6), quick=[0, 2]))
def test_own_tree_equals_the_arc_flow_model(seed):
    rng = np.random.default_rng(seed)
    demands = Counter(rng.integers(15, 40, size=24).tolist())
    problem = CuttingStockProblem(60, list(demands), list(demands.values()))
    result = proved(problem, "branch-and-price")
    assert result.value == arc_flow_optimum(problem)
    verified(problem, result)


BIN_PACKING = [(count, seed) for count in (50, 60, 80, 100, 120) for seed in range(5)]


@pytest.mark.parametrize(
    ("count", "seed"),
    mostly_long(BIN_PACKING, quick=range(0, 25, 5)),
)
def test_uniform_bin_packing(count, seed):
    problem = uniform_bin_packing(count, seed)
    assert sum(problem.demands) == count
    result = proved(problem, "branch-and-price")
    verified(problem, result)
    if result.value != martello_toth_bound(problem):
        assert result.value == arc_flow_optimum(problem)


@pytest.mark.parametrize(("count", "seed"), mostly_long(BIN_PACKING[::5], quick=[0, 1]))
def test_both_drivers_agree(count, seed):
    problem = uniform_bin_packing(count, seed)
    assert proved(problem, "scip").value == proved(problem, "branch-and-price").value


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(3))
def test_triplets_fill_every_roll(seed, method):
    assert proved(triplets(20, seed), method).value == 20
