"""`tree_search` against enumeration on random instances with ties, in all orders and for k best."""

import math

import attrs
from drawn import examples, generators, seeing
from hypothesis import given

from gapless import Status, Stop
from gapless.roles import MostFractional, Sense, SolveBudget
from gapless.testing import enumerate_best
from gapless.testing.examples import OptimisticBound, random_selection
from gapless.tree_search import tree_search

GROUPS = [(), (2,), (3,), (2, 2), (3, 3), (2, 2, 2), (4, 2)]
ORDERS = ["best-first", "depth-first", "breadth-first"]


@seeing("feasible", "infeasible")
@examples(200)
@given(rng=generators())
def test_every_order_and_k_best_equal_enumeration(seen, rng):
    groups = GROUPS[rng.integers(len(GROUPS))]
    items = max(sum(groups), int(rng.integers(1, 7)))
    sense = (Sense.MAXIMISE, Sense.MINIMISE)[rng.integers(2)]
    problem = random_selection(rng, items, capacities=int(rng.integers(1, 3)), group_sizes=groups, sense=sense)
    values = [s.value for s in enumerate_best(problem, k=64)]
    seen["feasible" if values else "infeasible"] += 1
    for order in ORDERS:
        brancher = MostFractional(on_first=bool(rng.integers(2)))
        check(problem, tree_search(problem, OptimisticBound(problem), brancher, order=order), values[:1])
    k, order = int(rng.integers(2, 6)), ORDERS[rng.integers(3)]
    result = tree_search(problem, OptimisticBound(problem), MostFractional(), k=k, order=order)
    check(problem, result, values[:k])


def check(problem, result, values):
    assert [s.value for s in result.solutions] == values
    assert len({s.structure for s in result.solutions}) == len(values)
    assert result.stop is Stop.PROVED
    assert result.status is (Status.OPTIMAL if values else Status.INFEASIBLE)
    assert result.bound == (values[0] if values else -problem.sense.sign * math.inf)
    verdict = result.verify(problem)
    assert verdict, (problem, verdict.location, verdict.reason)


@seeing("fewer")
@examples(20)
@given(rng=generators())
def test_granularity_rounds_bounds_and_still_verifies(seen, rng):
    plain = random_selection(rng, 6)
    best = enumerate_best(plain)[0].value
    rounded = type("Whole", (type(plain),), {"granularity": 1.0})(plain.worth, plain.weights, plain.capacities)
    weak = Weakened(rounded)
    result = tree_search(rounded, weak, MostFractional())
    assert result.value == best
    assert result.verify(rounded)
    seen["fewer"] += result.stats.nodes < tree_search(plain, Weakened(plain), MostFractional()).stats.nodes


class Weakened(OptimisticBound):
    """Bounds with 0.9 of slack: useless without rounding."""

    def solve(self, fixings, budget, *, incumbent=-math.inf, state=None):
        relaxed = super().solve(fixings, budget, incumbent=incumbent, state=state)
        return attrs.evolve(relaxed, bound=relaxed.bound + 0.9)


@examples(20)
@given(rng=generators())
def test_a_start_and_a_seed_change_no_answer(rng):
    problem = random_selection(rng, 6, group_sizes=(2, 2))
    found = enumerate_best(problem, k=100)
    if not found:
        return
    start = [found[-1].structure, found[0].structure, found[-1].structure]
    result = tree_search(problem, OptimisticBound(problem), MostFractional(), SolveBudget(), start=start)
    assert result.value == found[0].value
    assert result.stats.warm_start_used
