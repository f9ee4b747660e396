"""`LagrangianRelaxation`: valid bounds, fixings that never lose the optimum, certificates, every failure path."""

import math

import attrs
import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given
from role_mocks import Clock, Sabotage, change, check_stopped, raiser

from gapless import Limits, Status, Stop
from gapless.decisions.branch import Branch
from gapless.problems.problem import score_of
from gapless.roles import (
    Fixings,
    InconsistentBound,
    Maximiser,
    MostFractional,
    Optimum,
    OracleError,
    SolveBudget,
    TreeCertificate,
)
from gapless.search.lagrangian import LagrangianDual, LagrangianRelaxation, StepRule
from gapless.testing import feasible_structures
from gapless.testing.examples import CapacityPrices, Selection, SelectionMaximiser, random_selection
from gapless.tree_search import tree_search

FEW_STEPS = StepRule(iterations=12)
GROUPS = [(), (3, 3), (2, 2, 2), (4,), (3, 3, 2), (2,)]


def lagrangian(dualized, maximiser, fixings, budget, *, rule=None, fix=True, **known):
    return LagrangianRelaxation(dualized, maximiser, rule=rule, fix=fix).solve(fixings, budget, **known)


def case(rng):
    """Set packing, knapsacks and generalised assignment, tied scores, most with random fixings."""
    groups = GROUPS[rng.integers(len(GROUPS))]
    items = max(sum(groups), int(rng.integers(2, 8)))
    problem = random_selection(rng, items, capacities=int(rng.integers(1, 4)), group_sizes=groups)
    free = rng.integers(3) == 0
    return problem, Fixings.none(items) if free else Fixings(rng.choice([-1, -1, -1, -1, 0, 1], items))


@seeing("fixed")
@examples(200)
@given(rng=generators())
def test_bounds_hold_and_fixings_keep_the_optimum(seen, rng):
    problem, fixings = case(rng)
    allowed = [f for f in feasible_structures(problem) if fixings.allows(f.on_ids)]
    best = max((f.score for f in allowed), default=-math.inf)
    incumbent = (-math.inf, best, best - 1, best - 0.5)[rng.integers(4)] if allowed else float(rng.integers(-3, 3))
    relaxed = lagrangian(
        CapacityPrices(problem),
        SelectionMaximiser(problem),
        fixings,
        SolveBudget(),
        incumbent=incumbent,
        rule=StepRule(iterations=int(rng.integers(1, 41)), fix_below=(0.5, 1.0)[rng.integers(2)]),
    )
    assert relaxed.bound >= best - 1e-9
    known = incumbent
    if relaxed.structure is not None:
        assert not problem.violations(relaxed.structure)
        assert fixings.allows(problem.encode(relaxed.structure))
        known = max(known, score_of(problem, relaxed.structure))
    tightened = fixings
    for step in relaxed.tightenings:
        seen["fixed"] += len(step.on) + len(step.off)
        tightened = tightened.fix(step.on, step.off) if tightened is not None else None
    for f in allowed:
        if tightened is None or not tightened.allows(f.on_ids):
            assert f.score <= known + 1e-7
            assert f.score <= relaxed.excluded_bound + 1e-9
    tree = TreeCertificate((-1,), (Branch(),), {"0": relaxed.certificate}, {"0": relaxed.tightenings})
    verdict = tree.verify(problem, fixings)
    assert verdict, verdict.reason
    assert best - 1e-9 <= verdict.bound <= relaxed.bound + 1e-7


@pytest.mark.parametrize("order", ["best-first", "depth-first", "breadth-first"])
@examples(12)
@given(rng=generators())
def test_in_a_tree_it_equals_enumeration(rng, order):
    problem = random_selection(rng, 8, capacities=2, group_sizes=GROUPS[rng.integers(len(GROUPS))])
    best = max((f.score for f in feasible_structures(problem)), default=-math.inf)
    relaxation = LagrangianRelaxation(CapacityPrices(problem), SelectionMaximiser(problem), rule=FEW_STEPS)
    result = tree_search(problem, relaxation, MostFractional(), order=order)
    assert (result.value if result.solutions else -math.inf) == best
    assert result.bound == pytest.approx(best, abs=1e-6)
    assert result.verify(problem), result.verify(problem).reason


@pytest.mark.parametrize("k", [2, 5])
@examples(12)
@given(rng=generators())
def test_k_best_in_a_tree_proves_its_bound_even_with_fixing_on(rng, k):
    problem = random_selection(rng, 7, group_sizes=GROUPS[rng.integers(len(GROUPS))][:2])
    scores = sorted((f.score for f in feasible_structures(problem)), reverse=True)[:k]
    relaxation = LagrangianRelaxation(CapacityPrices(problem), SelectionMaximiser(problem), rule=FEW_STEPS)
    result = tree_search(problem, relaxation, MostFractional(), k=k)
    assert [s.value for s in result.solutions] == scores
    assert result.verify(problem), result.verify(problem).reason


class BadMaximiser(Maximiser):
    def __init__(self, inner, **sabotages):
        self.inner, self.sabotages = inner, sabotages

    def _do(self, name, answer):
        return self.sabotages[name](answer) if name in self.sabotages else answer()

    def solve(self, weights, fixings):
        return self._do("solve", lambda: self.inner.solve(weights, fixings))

    def max_marginals(self, weights, fixings):
        return self._do("max_marginals", lambda: self.inner.max_marginals(weights, fixings))


def bad_prices(problem, **sabotages):
    """`CapacityPrices` with some methods sabotaged."""
    honest = CapacityPrices(problem)
    for name, sabotage in sabotages.items():
        method = getattr(honest, name)

        def tricked(*args, _method=method, _sabotage=sabotage):
            return _sabotage(lambda: _method(*args))

        tricked.__name__ = name
        setattr(honest, name, tricked)
    return honest


def search(problem, *, prices=None, maximiser=None, budget=None, **how):
    relaxation = LagrangianRelaxation(prices or CapacityPrices(problem), maximiser or SelectionMaximiser(problem))
    return tree_search(problem, relaxation, MostFractional(), budget, **how)


@pytest.fixture
def hard():
    """Three groups, two capacities; a duality gap at the root, fixings on the way."""
    problem = random_selection(np.random.default_rng(18), 9, capacities=2, group_sizes=(3, 3))
    result = search(problem)
    assert result.stats.nodes > 4
    assert result.status is Status.OPTIMAL
    return problem


@pytest.mark.parametrize("at", [1, 2, 5])
@pytest.mark.parametrize("method", ["solve", "max_marginals"])
def test_maximiser_that_raises(hard, method, at):
    bad = BadMaximiser(SelectionMaximiser(hard), **{method: Sabotage(raiser(OSError("gone")), at)})
    with pytest.raises(OracleError, match=f"BadMaximiser.{method} raised OSError: gone") as caught:
        search(hard, maximiser=bad)
    check_stopped(hard, caught.value.result, caught.value)


@pytest.mark.parametrize("method", ["start", "weights", "subgradient", "project", "repair", "certificate"])
def test_dualized_that_raises(hard, method):
    bad = bad_prices(hard, **{method: Sabotage(raiser(OSError("gone")), 1)})
    with pytest.raises(OracleError, match="raised OSError: gone") as caught:
        search(hard, prices=bad)
    check_stopped(hard, caught.value.result, caught.value)


@pytest.mark.parametrize("at", [1, 2, 5])
@pytest.mark.parametrize("method", ["solve", "max_marginals"])
def test_control_c_in_the_maximiser(hard, method, at):
    bad = BadMaximiser(SelectionMaximiser(hard), **{method: Sabotage(raiser(KeyboardInterrupt()), at)})
    result = check_stopped(hard, search(hard, maximiser=bad))
    assert result.stop is Stop.INTERRUPTED


@pytest.mark.parametrize("method", ["weights", "subgradient", "project", "repair", "certificate"])
def test_control_c_in_the_multipliers(hard, method):
    bad = bad_prices(hard, **{method: Sabotage(raiser(KeyboardInterrupt()), 1)})
    result = check_stopped(hard, search(hard, prices=bad))
    assert result.stop is Stop.INTERRUPTED


def test_control_c_in_an_observer_keeps_what_the_step_found(hard):
    def observer(event):
        if event.kind == "step" and event.value > -math.inf:
            raise KeyboardInterrupt

    result = check_stopped(hard, search(hard, budget=SolveBudget(observers=[observer])))
    assert (result.stop, result.status) == (Stop.INTERRUPTED, Status.FEASIBLE)


@pytest.mark.parametrize("at", [1, 3])
def test_maximiser_with_nan(hard, at):
    bad = BadMaximiser(SelectionMaximiser(hard), solve=Sabotage(change(value=math.nan), at))
    with pytest.raises(InconsistentBound, match="BadMaximiser returned NaN as a bound") as caught:
        search(hard, maximiser=bad)
    check_stopped(hard, caught.value.result, caught.value)


def test_maximiser_that_states_less_than_it_holds(hard):
    trick = change(value=lambda found: found.value - 2.0)
    bad = BadMaximiser(SelectionMaximiser(hard), solve=Sabotage(trick, 1, ever_after=True))
    with pytest.raises(InconsistentBound, match="the weights of its own structure sum to") as caught:
        search(hard, maximiser=bad)
    check_stopped(hard, caught.value.result, caught.value)


@examples(20)
@given(rng=generators())
def test_rounding_of_large_weights_is_no_lie(rng):
    """Sums that cancel: 1e12 of noise-free offset leaves no false alarm."""
    worth = rng.normal(0, 1, 8) + np.where(np.arange(8) % 2, 1e12, -1e12)
    problem = Selection(worth, rng.random((1, 8)), [2.0], ((0, 2), (1, 3)))
    search(problem, budget=SolveBudget(Limits(nodes=5)))


def test_maximiser_that_returns_the_worst(hard):
    """Its value is what its structure weighs, but it is no maximum: the start is better than the bound."""

    class Worst(SelectionMaximiser):
        def solve(self, weights, fixings):
            found = super().solve(-weights, fixings)
            return attrs.evolve(found, value=float(weights[found.on_ids].sum()))

    with pytest.raises(InconsistentBound, match="a feasible structure under its fixings scores 10") as caught:
        search(hard, maximiser=Worst(hard), start=[search(hard).best])
    check_stopped(hard, caught.value.result, caught.value)


@pytest.mark.parametrize("boast", [100.0, 3.0, math.nan])
def test_repair_that_boasts(hard, boast):
    """A score that no structure has: above the bound it is refused at once, below it when nothing has it."""

    def trick(answer):
        repaired = answer()
        if repaired is None:
            return None
        return repaired[0], repaired[1] + boast

    bad = bad_prices(hard, repair=Sabotage(trick, 1, ever_after=True))
    with pytest.raises(InconsistentBound) as caught:
        search(hard, prices=bad)
    check_stopped(hard, caught.value.result, caught.value)


@seeing("raised")
@examples(50)
@given(rng=generators())
def test_repair_that_is_infeasible_is_never_an_optimum(seen, rng):
    """Random problems, a repair that returns what it was given: an answer is right or an error is raised.

    Fixings against the score of an infeasible structure throw away feasible ones that are better than all held.
    """
    problem = random_selection(rng, 7, capacities=2, group_sizes=(3,))
    best = max((f.score for f in feasible_structures(problem)), default=-math.inf)
    prices = CapacityPrices(problem)
    prices.repair = lambda f, _: (f.structure, score_of(problem, f.structure) - 2.5)
    try:
        result = search(problem, prices=prices)
    except InconsistentBound as error:
        seen["raised"] += 1
        check_stopped(problem, error.result, error)
        return
    assert (result.value if result.solutions else -math.inf) == best


def test_iterations_limit_stops_a_descent(hard):
    for iterations in (1, 2, 5, 9):
        budget = SolveBudget(Limits(iterations=iterations))
        check_stopped(hard, search(hard, budget=budget))
        assert budget.iterations <= iterations


def test_time_limit_stops_a_descent(hard):
    clock = Clock()

    def late(answer):
        clock.now += 1.0
        return answer()

    bad = BadMaximiser(SelectionMaximiser(hard), solve=Sabotage(late, 1, ever_after=True))
    budget = SolveBudget(Limits(time=3.0), clock=clock)
    result = check_stopped(hard, search(hard, maximiser=bad, budget=budget))
    assert (result.stop, budget.iterations) == (Stop.TIME, 3)


def test_state_of_the_parent_is_the_start_of_the_child(hard):
    prices, maximiser = CapacityPrices(hard), SelectionMaximiser(hard)
    none = Fixings.none(9)
    first = lagrangian(prices, maximiser, none, SolveBudget(), fix=False)
    again = lagrangian(
        prices, maximiser, none, SolveBudget(), state=first.state, rule=StepRule(iterations=1), fix=False
    )
    assert again.bound == pytest.approx(first.bound)


class TwoSteps(LagrangianDual):
    """Item 0 is worth 5, item 1 is worth 10; the first step overrates item 0."""

    def start(self):
        return np.zeros(1)

    def weights(self, multipliers, fixings):
        return np.array([5.0 if multipliers.any() else 10.2, 10.0]), 0.0

    def subgradient(self, multipliers, found):
        return np.ones(1)


def test_the_bound_counts_what_the_fixings_excluded():
    """Item 1 ties with the incumbent and is fixed off, then item 0 alone is bounded by 5: the node still has 10."""
    problem = Selection([5.0, 10.0], np.zeros((0, 2)), [], ((0, 1),))
    relaxed = lagrangian(TwoSteps(), SelectionMaximiser(problem), Fixings.none(2), SolveBudget(), incumbent=10.0)
    assert [step.off for step in relaxed.tightenings] == [(1,)]
    assert (relaxed.bound, relaxed.excluded_bound) == (10.0, 10.0)


def test_step_rule_without_steps_claims_nothing(hard):
    relaxed = lagrangian(
        CapacityPrices(hard), SelectionMaximiser(hard), Fixings.none(9), SolveBudget(), rule=StepRule(iterations=0)
    )
    assert relaxed.bound == math.inf
    assert relaxed.point is None


def test_infeasible_under_the_fixings(hard):
    off = Fixings.none(9).fix(off=hard.groups[0])
    relaxed = lagrangian(CapacityPrices(hard), SelectionMaximiser(hard), off, SolveBudget())
    assert relaxed.bound == -math.inf


def test_a_maximiser_without_off_max_marginals_fixes_off_only(hard):
    class OneSided(SelectionMaximiser):
        def max_marginals(self, weights, fixings):
            return attrs.evolve(super().max_marginals(weights, fixings), off=None)

    best = search(hard)
    relaxed = lagrangian(CapacityPrices(hard), OneSided(hard), Fixings.none(9), SolveBudget(), incumbent=best.value)
    assert all(not step.on for step in relaxed.tightenings)
    assert search(hard, maximiser=OneSided(hard)).value == best.value


def test_empty_maximum_needs_no_ids(hard):
    class Nothing(SelectionMaximiser):
        def solve(self, weights, fixings):
            return Optimum(-math.inf, np.zeros(0, np.int64))

    result = search(hard, maximiser=Nothing(hard))
    assert result.status is Status.INFEASIBLE
    assert not result.verify(hard)
