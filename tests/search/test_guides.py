"""Guides of factors: directions in which prices move first, and what they save."""

import os

import numpy as np
import pytest
from drawn import mostly_long
from listed import Listed, draw_groups, draw_tables

import gapless as gl
from gapless.decisions.decisions import Fixings
from gapless.errors import InvalidProblem
from gapless.factors import Budget, Cardinality
from gapless.factors.diagrams.diagram import DecisionDiagram
from gapless.factors.diagrams.unrolling import unrolled
from gapless.factors.factor import guide_of
from gapless.search.reference_search import ReferenceSearch
from gapless.testing import ConformanceError
from gapless.testing.search import compare_searches
from gapless_chains import ChainProblem

compiled_only = pytest.mark.skipif(
    os.environ.get("GAPLESS_PURE") == "1", reason="compares with the compiled search"
)


def programme(rng, n):
    return rng.integers(1, 20, n), rng.integers(1, 10, n), round(1.125 * n)


def best_worth(worth, price, budget):
    """By a dynamic program: no two neighbours, and prices within the budget."""
    free, taken = np.zeros(budget + 1), np.full(budget + 1, -np.inf)
    for w, p in zip(worth, price, strict=True):
        after = np.full(budget + 1, -np.inf)
        after[p:] = free[: budget + 1 - p] + w
        free, taken = np.maximum(free, taken), after
    return max(free.max(), taken.max())


@compiled_only
def test_a_budget_on_a_long_chain_is_proved_in_few_nodes():
    """Prices of single decisions alone find no structure in thousands of steps here."""
    rng = np.random.default_rng(5)
    for _ in range(3):
        worth, price, budget = programme(rng, 400)
        unary = np.stack([np.zeros(400), worth.astype(float)], axis=1)
        transition = np.array([[0.0, 0.0], [0.0, -np.inf]])
        problem = ChainProblem(unary, transition, factors=[Budget(2 * np.arange(400) + 1, price, budget)])
        result = gl.solve(problem, limits=gl.Limits(nodes=100))
        assert result.status is gl.Status.OPTIMAL
        assert result.value == pytest.approx(best_worth(worth, price, budget))


class Whole(ChainProblem):
    granularity = 1.0


@compiled_only
def test_structures_near_the_limit_are_found_soon():
    """Wishes of a factor that the backbone refuses are given up: else such chains take thousands of passes."""
    rng = np.random.default_rng(77)
    passes = []
    for _ in range(20):
        worth, price, budget = programme(rng, 200)
        unary = np.stack([np.zeros(200), worth.astype(float)], axis=1)
        transition = np.array([[0.0, 0.0], [0.0, -np.inf]])
        problem = Whole(unary, transition, factors=[Budget(2 * np.arange(200) + 1, price, budget)])
        result = gl.solve(problem, "split-bound")
        assert result.value == best_worth(worth, price, budget)
        passes.append(result.stats.extra["dp_calls"])
    assert np.mean(passes) < 60  # 79 where wishes were not given up


def guide_along(rng, signs, count):
    """Numbers that hardly differ, or by a billion: those hold prices back."""
    if signs == "units":
        return rng.choice([1e6, 1.0, 1e-3], count)
    return rng.normal(size=count) if signs is None else np.full(count, signs)


@pytest.mark.parametrize("case", mostly_long([4, 36, 0, 20], quick=[0]))
@pytest.mark.parametrize("weights", [[1e6, 1.0, 1e-3], [1e3, 1.0, 1e-3], [1.0, 1.0 + 1e-7, 1.0 - 1e-7]])
def test_budgets_of_any_units_are_proved(weights, case):
    """Prices went to 1e9 along the weights: float64 left a gap beside scores from -3 to 3 (cases 4 and 36 here)."""
    units = np.array(weights)
    rng = np.random.default_rng([case, 6])
    n = 14
    unary, transition = rng.integers(-3, 4, (n, 3)), rng.integers(-3, 4, (3, 3))
    budgets = [
        Budget(np.sort(rng.choice(3 * n, n, replace=False)), rng.choice(units, n), most)
        for most in (2 * units[1] + units[2], units[1] + units[2])
    ]
    problem = ChainProblem(unary, transition, factors=budgets)
    result = gl.solve(problem, limits=gl.Limits(nodes=2000))
    assert result.proved, (case, result)
    assert result.verify(problem)
    assert result.status is gl.Status.INFEASIBLE or result.gap <= 1e-7


@compiled_only
@pytest.mark.parametrize("cases", [12, pytest.param(30, marks=pytest.mark.long)])
@pytest.mark.parametrize("signs", [1.0, -1.0, None, "units"])
def test_both_searches_follow_guides_in_the_same_steps(signs, cases):
    from gapless_kernels.search._search import CompiledSearch  # noqa: PLC0415
    from gapless_kernels.search.python_roles import PythonFactor, PythonMaximiser  # noqa: PLC0415

    rng = np.random.default_rng(5)
    parted = guided = 0
    for _ in range(cases):
        count, first, members = draw_groups(rng)
        maximiser, base = Listed(count, first, members), rng.normal(size=count)
        parts = draw_tables(rng, count)
        guides = [guide_along(rng, signs, len(s)) for s, _ in parts]
        how = {"group_first": first, "groups": members, "choices": 0, "guides": guides}
        factors = [PythonFactor(*part) for part in parts]
        compiled = CompiledSearch(PythonMaximiser(maximiser, count, Fixings), base, [], factors=factors, **how)
        readable = ReferenceSearch(maximiser, base, [], factors=parts, costly=True, **how)
        guided += bool(parts)
        try:
            compare_searches(compiled, readable, name="guided")
        except ConformanceError:
            parted += 1
    assert guided > 2 * cases // 3
    assert parted <= 2  # where two configurations of a factor come to be exactly equal, rounding decides


def test_a_guide_of_another_length_is_named():
    class Short(Cardinality):
        def guide(self, decisions):
            return np.ones(1)

    with pytest.raises(
        InvalidProblem, match=r"guide\(\) gave numbers of shape \(1,\), expected one for each of the 2"
    ):
        guide_of(Short([0, 1], [0.0, 1.0, 2.0]), None, np.arange(2))


def test_guides_are_in_the_order_of_the_scope():
    assert Budget([5, 2, 9], [1, 2, 3], 4).guide(None).tolist() == [2.0, 1.0, 3.0]


def test_a_budget_written_down_is_the_one_that_steps_find():
    rng = np.random.default_rng(1)
    decisions = ChainProblem(np.zeros((4, 2)), np.zeros((2, 2))).decisions
    for number in range(60):
        scope = rng.permutation(8)[: rng.integers(1, 9)]
        unit = int(rng.integers(1, 4))
        weights, most = unit * rng.integers(0, 5, scope.size), float(rng.integers(0, 20)) + 0.5 * (number % 2)
        budget = Budget(scope, weights, most)
        layout = budget.layout(decisions)
        written, found = budget.written_graph(layout), unrolled(budget, layout)
        for _ in range(4):
            costs, on = rng.normal(size=scope.size), rng.random(scope.size) < 0.5
            assert budget.value(on) == DecisionDiagram.value(budget, on)
            best = {"written": best_of(written, costs), "found": best_of(found, costs)}
            assert best["written"] == pytest.approx(best["found"])
            assert budget.best(costs)[0] == pytest.approx(best["found"])


def best_of(graph, weights):
    """The longest path, edge after edge."""
    best = np.full(graph.nodes + 1, -np.inf)
    best[1] = 0.0
    for tail, head, place, score in zip(*graph.edges(), strict=True):
        best[head] = max(best[head], best[tail] + score + (weights[place] if place >= 0 else 0.0))
    return (best[graph.layer_nodes[-2] : graph.layer_nodes[-1]] + graph.final).max()
