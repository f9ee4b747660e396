"""Subset rows of the cutting-stock example: separation, pricing beside them, evidence for their prices."""

import itertools
import math

import attrs
import numpy as np
import pytest
from cutting_stock_judges import METHODS, fewest_rolls, problems, proved, verified
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

import gapless as gl
from gapless.limits.work import DEFAULT_WORK
from gapless.roles import TreeCertificate
from gapless_cutting_stock import (
    CuttingStockProblem,
    KnapsackOracle,
    PatternPriceCertificate,
    SubsetRows,
    formulation,
    labels,
    uniform_bin_packing,
)
from gapless_cutting_stock.labels import LabelSearch

LIFTED_BY_ROWS = [
    CuttingStockProblem(88, (43, 40, 23, 22, 21), (1, 2, 1, 1, 1)),
    CuttingStockProblem(41, (17, 15, 13, 12, 11, 9), (2, 2, 1, 1, 1, 2)),
    CuttingStockProblem(60, (32, 31, 22, 19, 17, 13, 12), (1, 3, 3, 2, 1, 3, 3)),
]
"""A plan needs a fraction of a roll more than their relaxation, and rows say a part of it."""


def patterns_of(problem):
    counts = itertools.product(*[range(d + 1) for d in problem.demands])
    fitting = [c for c in counts if np.dot(c, problem.sizes) <= problem.width]
    return [tuple(i for i, n in enumerate(c) for _ in range(n)) for c in fitting]


def paid(pattern, rows, prices):
    """Payments of the rows for a roll."""
    return sum(p * math.ceil(sum(i in row for i in pattern) / 2) for row, p in zip(rows, prices, strict=True))


def triples(types):
    every = list(itertools.combinations(range(types), 3))
    return st.lists(st.sampled_from(every), min_size=1, max_size=4, unique=True) if every else st.just([])


@pytest.mark.parametrize("problem", LIFTED_BY_ROWS, ids=str)
def test_rows_lift_the_root(problem):
    without = proved(problem, "branch-and-price", reach=0.0, trace=True)
    result = proved(problem, "branch-and-price", reach=1.0, trace=True)
    assert result.value == without.value
    rounds = [[e.details for e in r.trace if e.kind == "round"] for r in (without, result)]
    assert sum(details["rows_found"] for details in rounds[0]) == 0
    assert sum(details["rows_found"] for details in rounds[1]) > 0
    assert rounds[1][-1]["restricted"] > rounds[0][-1]["restricted"] + 1e-3
    verified(problem, result)


def test_a_row_lifts_the_relaxation():
    """Any two of three items fit on a roll, and not all three: 1.5 rolls by halves of pairs, 2 with the row."""
    problem = CuttingStockProblem(10, (5, 4, 3), (1, 1, 1))
    result = proved(problem, "branch-and-price", reach=1.0, trace=True)
    restricted = [event.details["restricted"] for event in result.trace if event.kind == "round"]
    assert restricted[-2:] == pytest.approx([1.5, 2.0])
    assert isinstance(result.certificate, PatternPriceCertificate)
    assert result.certificate.rows == ((0, 1, 2),)
    verified(problem, result)
    alone = PatternPriceCertificate([0, 0, 0], rows=[(0, 1, 2)], row_prices=[1])
    assert alone.verify(problem).bound == -2
    assert attrs.evolve(alone, rows=(), row_prices=()).verify(problem).bound == 0


@pytest.mark.parametrize("problem", LIFTED_BY_ROWS, ids=str)
def test_rows_enter_scips_tree(problem):
    result = proved(problem, "scip", reach=1.0, trace=True)
    assert result.value == proved(problem, "branch-and-price", reach=0.0).value
    assert sum(event.details["rows_found"] for event in result.trace if event.kind == "round") > 0


@examples(15)
@given(problems(9), st.sampled_from(METHODS))
def test_trees_with_rows_equal_enumeration(problem, method):
    result = proved(problem, method, reach=1.0)
    assert result.value == fewest_rolls(problem)
    if method == "branch-and-price":
        verified(problem, result)


@examples(15)
@given(problems(), st.data())
def test_label_pricing_equals_enumeration(problem, data):
    rows = data.draw(triples(len(problem.sizes)))
    prices = [data.draw(st.integers(1, 6)) / 4 for _ in rows]
    weights = np.array([data.draw(st.integers(-4, 8)) / 4 for _ in range(len(problem.arcs))])
    asked = data.draw(st.integers(0, 12)) / 4
    worth = {p: weights[problem.arcs.of(p)].sum() + paid(p, rows, prices) for p in patterns_of(problem) if p}
    search = LabelSearch(KnapsackOracle(problem.arcs))
    found, bound = search.above(asked, weights, np.array(rows, np.int64).reshape(-1, 3), np.array(prices))
    best = max(worth.values(), default=-math.inf)
    assert bound >= best
    assert bool([v for v, _ in found if v > asked + 1e-9]) == (best > asked)
    for value, pattern in found:
        assert value == worth[tuple(sorted(pattern))]
    if best <= asked:
        assert bound <= asked + 1e-9


@examples(25)
@given(problems(), st.data())
def test_any_prices_of_rows_prove_something_true(problem, data):
    price = st.integers(-20, 50)
    rows = data.draw(triples(len(problem.sizes)))
    arcs = data.draw(st.lists(st.integers(0, len(problem.arcs) - 1), max_size=2, unique=True))
    prices = [abs(data.draw(price)) for _ in rows]
    evidence = PatternPriceCertificate(
        [data.draw(price) for _ in problem.sizes], arcs, [data.draw(price) for _ in arcs], rows, prices
    )
    verdict = evidence.verify(problem)
    assert verdict
    assert -fewest_rolls(problem) <= verdict.bound <= 0
    # The dearest roll, by enumeration.
    priced = dict(zip(evidence.arcs, evidence.arc_prices, strict=True))
    items = evidence.item_prices
    dearest = max(
        sum(items[i] for i in p) - sum(priced.get(a, 0) for a in problem.arcs.of(p)) + paid(p, rows, prices)
        for p in patterns_of(problem)
    )
    due = sum(p * d for p, d in zip(items, problem.demands, strict=True))
    most = np.asarray(problem.demands)[problem.arcs.item]
    due -= sum(max(0, p * int(most[a])) for a, p in priced.items())
    halves = [math.ceil(sum(problem.demands[i] for i in row) / 2) for row in rows]
    due += sum(p * half for p, half in zip(prices, halves, strict=True))
    assert verdict.bound == (-math.ceil(due / dearest) if due > 0 and due <= dearest * sum(problem.demands) else 0)


@pytest.mark.parametrize("scale", [1, 10**9, 10**30])
def test_prices_of_any_size_prove_the_same(scale):
    """Beyond 64 bits, too."""
    problem = LIFTED_BY_ROWS[1]
    evidence = proved(problem, "branch-and-price", reach=1.0).certificate
    for leaf in evidence.leaves.values() if isinstance(evidence, TreeCertificate) else [evidence]:
        assert isinstance(leaf, PatternPriceCertificate)
        scaled = {name: [scale * price for price in getattr(leaf, name)] for name in ("item_prices", "arc_prices")}
        larger = attrs.evolve(leaf, **scaled, row_prices=[scale * price for price in leaf.row_prices])
        assert larger.verify(problem).bound == leaf.verify(problem).bound


def test_a_leaf_takes_little_of_a_verification():
    """A minute of search leaves thousands of them, and all are verified within the work limit."""
    problem = uniform_bin_packing(120, 0)
    result = gl.solve(problem, limits=gl.Limits(nodes=1), reach=0.0)
    verified(problem, result)
    assert result.verify(problem).work < DEFAULT_WORK / 10_000


def test_rows_that_need_too_many_states_are_refused():
    """Forged rows may double the states with each item."""
    width, types = 1000, 90
    problem = CuttingStockProblem(width, list(range(100, 10, -1)), [1] * types)
    rows = [(i, i + 30, i + 60) for i in range(30)]
    verdict = PatternPriceCertificate([1] * types, rows=rows, row_prices=[1] * len(rows)).verify(problem)
    assert not verdict
    assert "states of a roll" in verdict.reason


@pytest.mark.parametrize(
    ("rows", "prices", "reason"),
    [
        ([(0, 1, 2)], [-1], "negative"),
        ([(0, 1, 1)], [1], "no set of item types"),
        ([(0, 1, 4)], [1], "no set of item types"),
        ([(0, 1, -1)], [1], "no set of item types"),
        ([(0, 1, 2)], [], "0 prices for 1 subset rows"),
    ],
)
def test_rows_that_prove_nothing_are_refused(rows, prices, reason):
    problem = CuttingStockProblem(10, (5, 4, 3, 2), (1, 1, 1, 1))
    verdict = PatternPriceCertificate([1, 1, 1, 1], rows=rows, row_prices=prices).verify(problem)
    assert not verdict
    assert reason in verdict.reason


@examples(15)
@given(problems(), st.data())
def test_rows_hold_for_every_plan(problem, data):
    rows = np.array(data.draw(triples(len(problem.sizes))), np.int64).reshape(-1, 3)
    subset = SubsetRows(problem.demands)
    assert subset.triples(subset.keys(rows)).tolist() == rows.tolist()
    plan = gl.solve(problem).best
    counts = np.array([np.bincount(p, minlength=len(problem.sizes)) for p, _ in plan])
    halves = np.array([n for _, n in plan]) @ subset.coefficients(counts, rows)
    assert np.all(halves >= subset.sides(rows))


@pytest.mark.parametrize("method", METHODS)
def test_rows_beside_small_items_do_not_drown_pricing(method, monkeypatch):
    """A dozen items on a roll give more labels than memory holds: pricing gives up, and bounds stay true."""
    monkeypatch.setattr(labels, "IN_ALL", 3)
    for problem in LIFTED_BY_ROWS:
        assert proved(problem, method, reach=1.0).value == fewest_rolls(problem)


@pytest.mark.parametrize("reach", [-0.1, 1.5, math.nan])
def test_a_reach_beyond_a_roll_is_refused(reach):
    with pytest.raises(gl.InvalidProblem, match="expected a number from 0"):
        formulation(LIFTED_BY_ROWS[0], reach=reach)
