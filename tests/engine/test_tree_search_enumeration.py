"""`tree_search` against enumeration on 2,100 random instances with ties, in all orders and for k best."""

import math

import attrs
import numpy as np
import pytest

from gapless import Budget, MostFractional, Sense, Status, Stop
from gapless.engine import tree_search
from gapless.testing import enumerate_best
from gapless.testing.examples import OptimisticBound, random_selection

CHUNKS, EACH = 14, 150
GROUPS = [(), (2,), (3,), (2, 2), (3, 3), (2, 2, 2), (4, 2)]
ORDERS = ["best-first", "depth-first", "breadth-first"]


def instances(chunk):
    rng = np.random.default_rng(1000 + chunk)
    for number in range(EACH):
        groups = GROUPS[(chunk + number) % len(GROUPS)]
        items = max(sum(groups), int(rng.integers(1, 7)))
        sense = Sense.MINIMISE if number % 2 else Sense.MAXIMISE
        yield number, random_selection(rng, items, capacities=1 + number % 2, group_sizes=groups, sense=sense)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_order_and_k_best_equal_enumeration(chunk):
    infeasible = 0
    for number, problem in instances(chunk):
        values = [s.value for s in enumerate_best(problem, k=64)]
        infeasible += not values
        for order in ORDERS:
            result = tree_search(
                problem, OptimisticBound(problem), MostFractional(on_first=bool(number % 3)), order=order
            )
            check(problem, result, values[:1])
        k = 2 + number % 4
        result = tree_search(problem, OptimisticBound(problem), MostFractional(), k=k, order=ORDERS[number % 3])
        check(problem, result, values[:k])
    assert infeasible < EACH / 2


def check(problem, result, values):
    assert [s.value for s in result.solutions] == values
    assert len({s.structure for s in result.solutions}) == len(values)
    assert result.stop is Stop.PROVED
    assert result.status is (Status.OPTIMAL if values else Status.INFEASIBLE)
    assert result.bound == (values[0] if values else -problem.sense.sign * math.inf)
    verdict = result.verify(problem)
    assert verdict, (problem, verdict.place, verdict.reason)


def test_granularity_rounds_bounds_and_still_verifies():
    rng = np.random.default_rng(5)
    fewer = 0
    for _ in range(60):
        plain = random_selection(rng, 6)
        best = enumerate_best(plain)[0].value
        rounded = type("Whole", (type(plain),), {"granularity": 1.0})(plain.worth, plain.weights, plain.capacities)
        loose = Loosened(rounded)
        result = tree_search(rounded, loose, MostFractional())
        assert result.value == best
        assert result.verify(rounded)
        fewer += result.stats.nodes < tree_search(plain, Loosened(plain), MostFractional()).stats.nodes
    assert fewer > 10


class Loosened(OptimisticBound):
    """Bounds with 0.9 of slack: useless without rounding."""

    def solve(self, fixings, budget, *, incumbent=-math.inf, state=None):
        relaxed = super().solve(fixings, budget, incumbent=incumbent, state=state)
        return attrs.evolve(relaxed, bound=relaxed.bound + 0.9)


def test_a_start_and_a_seed_change_no_answer():
    rng = np.random.default_rng(6)
    for _ in range(50):
        problem = random_selection(rng, 6, group_sizes=(2, 2))
        found = enumerate_best(problem, k=100)
        if not found:
            continue
        start = [found[-1].structure, found[0].structure, found[-1].structure]
        result = tree_search(problem, OptimisticBound(problem), MostFractional(), Budget(), start=start)
        assert result.value == found[0].value
        assert result.stats.warm_start_used
