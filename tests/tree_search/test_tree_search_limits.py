"""Limits and Ctrl-C in every phase of `tree_search`: no error, the best so far, a true bound."""

import math

import pytest
from role_mocks import BadBrancher, BadRelaxation, Clock, Sabotage, check_stopped

from gapless import Limits, Status, Stop
from gapless.column_generation import PricedRelaxation
from gapless.roles import MostFractional, SolveBudget
from gapless.search.lagrangian import LagrangianRelaxation
from gapless.testing.example_pricing import ItemGenerator, KnownItems
from gapless.testing.examples import CapacityPrices, OptimisticBound, SelectionMaximiser
from gapless.tree_search import tree_search
from gapless.tree_search.frontier import Frontier, OpenNode

ORDERS = ["best-first", "depth-first", "breadth-first"]
PHASES = [
    "root solve",
    "later solve",
    "branching",
    "rounding",
    "observer at start",
    "observer at node",
    "observer at branch",
]


def staged(problem, phase, happens):
    """A search in which `happens` is called once in the named phase."""
    once = Sabotage(lambda answer: (happens(), answer())[1], {"root solve": 1, "later solve": 4}.get(phase, 3))
    idle = Sabotage(None, at=0)
    relaxation = BadRelaxation(OptimisticBound(problem), once if phase.endswith("solve") else idle)
    brancher = BadBrancher(MostFractional(), once if phase == "branching" else idle)
    rounding = (lambda relaxed: once(lambda: None)) if phase == "rounding" else None
    kind = phase.rpartition(" ")[2]
    observers = [lambda event: happens() if event.kind == kind else None] if phase.startswith("observer") else []
    return relaxation, brancher, rounding, observers


def interrupt():
    raise KeyboardInterrupt


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("phase", PHASES)
def test_control_c(knapsack, phase, order):
    relaxation, brancher, rounding, observers = staged(knapsack, phase, interrupt)
    budget = SolveBudget(observers=observers)
    result = tree_search(knapsack, relaxation, brancher, budget, rounding=rounding, order=order, start=[(0, 2)])
    check_stopped(knapsack, result)
    assert (result.stop, result.status) == (Stop.INTERRUPTED, Status.FEASIBLE)
    assert abs(result.value) >= 8.0


@pytest.mark.parametrize("call", [2, 3])
@pytest.mark.parametrize(("cls", "name"), [(Frontier, "push"), (OpenNode, "__init__")])
def test_control_c_between_making_and_queueing_children(monkeypatch, knapsack, cls, name, call):
    """The certificate still covers what was made and never queued."""
    honest, calls = getattr(cls, name), []

    def method(self, *args, **kwargs):
        calls.append(1)
        if len(calls) == call:
            interrupt()
        return honest(self, *args, **kwargs)

    monkeypatch.setattr(cls, name, method)
    result = tree_search(knapsack, OptimisticBound(knapsack), MostFractional(), start=[(0, 2)])
    check_stopped(knapsack, result)
    assert result.stop is Stop.INTERRUPTED


def test_control_c_at_a_start_structure(knapsack):
    budget = SolveBudget(observers=[lambda _event: interrupt()])
    result = tree_search(knapsack, OptimisticBound(knapsack), MostFractional(), budget, start=[(0, 2)])
    check_stopped(knapsack, result)
    assert (result.stop, abs(result.value)) == (Stop.INTERRUPTED, 8.0)
    assert math.isinf(result.bound)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("phase", PHASES)
def test_time(knapsack, phase, order):
    clock = Clock()

    def late():
        clock.now = 11.0

    relaxation, brancher, rounding, observers = staged(knapsack, phase, late)
    budget = SolveBudget(Limits(time=10.0), observers=observers, clock=clock)
    result = tree_search(knapsack, relaxation, brancher, budget, rounding=rounding, order=order, start=[(0, 2)])
    check_stopped(knapsack, result)
    assert (result.stop, result.status) == (Stop.TIME, Status.FEASIBLE)
    assert result.stats.seconds == 11.0
    if phase != "observer at start":
        assert abs(result.bound) == 18.0


@pytest.mark.parametrize("observed", [False, True])
def test_the_bound_of_a_node_put_back_is_its_own(knapsack, observed):
    """Whether somebody watches must not change the bound."""
    budget = SolveBudget(Limits(iterations=1), observers=[lambda _event: None] if observed else [])
    result = tree_search(knapsack, OptimisticBound(knapsack), MostFractional(), budget)
    assert (result.stop, abs(result.bound)) == (Stop.ITERATIONS, 18.0)


@pytest.mark.parametrize("nodes", range(12))
@pytest.mark.parametrize("order", ORDERS)
def test_nodes(knapsack, nodes, order):
    budget = SolveBudget(Limits(nodes=nodes))
    result = check_stopped(
        knapsack, tree_search(knapsack, OptimisticBound(knapsack), MostFractional(), budget, order=order)
    )
    assert result.stats.nodes == nodes
    assert result.stop is Stop.NODES
    assert math.isinf(result.bound) == (nodes == 0)


@pytest.mark.parametrize("iterations", range(6))
def test_iterations_of_each_engine(knapsack, iterations):
    lagrangian = LagrangianRelaxation(CapacityPrices(knapsack), SelectionMaximiser(knapsack))
    priced = PricedRelaxation(KnownItems(knapsack), [ItemGenerator(knapsack)], knapsack.decisions)
    for relaxation in (OptimisticBound(knapsack), lagrangian, priced):
        budget = SolveBudget(Limits(iterations=iterations))
        result = check_stopped(knapsack, tree_search(knapsack, relaxation, MostFractional(), budget))
        assert budget.iterations <= iterations
        assert result.stop is Stop.ITERATIONS or result.status is Status.OPTIMAL
        assert result.stop is Stop.ITERATIONS or iterations > 1


@pytest.mark.parametrize("gap", [0.9, 0.5, 0.1, 0.01])
@pytest.mark.parametrize("order", ORDERS)
def test_gap(knapsack, gap, order):
    budget = SolveBudget(Limits(relative_gap=gap))
    result = tree_search(knapsack, OptimisticBound(knapsack), MostFractional(), budget, order=order, start=[(0, 2)])
    check_stopped(knapsack, result)
    assert result.gap <= gap * abs(result.value)
    assert result.stop is (Stop.GAP if result.gap else Stop.PROVED)


def test_target_in_the_sense_of_the_problem(knapsack):
    target = knapsack.sense.sign * 8.0
    budget = SolveBudget(Limits(target=target))
    result = tree_search(knapsack, OptimisticBound(knapsack), MostFractional(), budget)
    check_stopped(knapsack, result)
    assert result.stop is Stop.TARGET
    assert abs(result.value) >= 8.0
    met = tree_search(
        knapsack, OptimisticBound(knapsack), MostFractional(), SolveBudget(Limits(target=target)), start=[(0, 2)]
    )
    assert (met.stop, met.stats.nodes) == (Stop.TARGET, 0)


def test_target_out_of_reach_changes_nothing(knapsack):
    budget = SolveBudget(Limits(target=knapsack.sense.sign * 11.0))
    assert tree_search(knapsack, OptimisticBound(knapsack), MostFractional(), budget).status is Status.OPTIMAL


def test_k_best_that_ends_early_says_so(knapsack):
    budget = SolveBudget(Limits(nodes=5))
    result = check_stopped(
        knapsack, tree_search(knapsack, OptimisticBound(knapsack), MostFractional(), budget, k=3)
    )
    assert "the list may miss some" in result.explanation[0]


def test_a_list_that_ends_early_has_the_gap_of_its_last_place(knapsack):
    """The best is proved long before the others: a gap of 0 would say that they are, too."""
    settled = tree_search(knapsack, OptimisticBound(knapsack), MostFractional(), SolveBudget(), k=3)
    assert (settled.status, settled.gap, settled.requested_k) == (Status.OPTIMAL, 0.0, 3)
    seen = set()
    for nodes in range(settled.stats.nodes):
        budget = SolveBudget(Limits(nodes=nodes))
        result = tree_search(
            knapsack, OptimisticBound(knapsack), MostFractional(), budget, k=3, start=[settled.best]
        )
        check_stopped(knapsack, result)
        assert result.status is Status.FEASIBLE
        held = len(result.solutions)
        seen.add(held)
        if held < 3:
            assert result.gap == math.inf
        else:
            last = result.solutions[-1].value
            assert result.gap == knapsack.sense.sign * (result.bound - last) > 0
        assert type(result).from_json(result.to_json()).gap == result.gap
    assert seen == {1, 2, 3}


@pytest.mark.parametrize(
    "limits",
    [{"time": -1.0}, {"nodes": -1}, {"relative_gap": math.nan}, {"relative_gap": None}, {"iterations": -0.5}],
)
def test_limits_refuse_nonsense(limits):
    with pytest.raises(ValueError, match=f"Limits: {next(iter(limits))} is"):
        Limits(**limits)


def test_events_tell_the_story(knapsack):
    budget = SolveBudget(trace=True)
    result = tree_search(knapsack, OptimisticBound(knapsack), MostFractional(), budget, start=[(5,)])
    kinds = [event.kind for event in result.trace]
    assert kinds[:2] == ["incumbent", "start"]
    assert kinds.count("node") == result.stats.nodes
    sign = knapsack.sense.sign
    bounds = [sign * event.bound for event in result.trace]
    assert bounds == sorted(bounds, reverse=True)
    values = [sign * event.value for event in result.trace]
    assert values == sorted(values)
    assert (values[-1], values[0]) == (10.0, 1.0)
