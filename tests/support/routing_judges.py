"""Vehicle-routing instances, and judges that share no code with the example."""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import strategies as st

import gapless as gl

pytest.importorskip(
    "gapless_vehicle_routing", reason="the example is not installed: pip install -e docs/examples/vehicle_routing"
)
from gapless_vehicle_routing import Plan, VehicleRoutingProblem

METHODS = ("branch-price-and-cut", "scip")


@st.composite
def problems(draw, customers=5):
    """Small instances of every kind: one-way streets, windows, a small fleet, customers who order nothing, ties."""
    count = draw(st.integers(1, customers)) + 1
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    distances = rng.integers(0, draw(st.sampled_from([2, 10, 100])), (count, count))
    if draw(st.booleans()):
        distances = np.minimum(distances, distances.T)
    np.fill_diagonal(distances, 0)
    capacity = draw(st.integers(3, 12))
    demands = np.append(0, rng.integers(draw(st.integers(0, 1)), 5, count - 1))
    windows = service = durations = None
    if draw(st.booleans()):
        opens = rng.integers(0, 60, count)
        windows = np.column_stack([opens, opens + rng.integers(0, 80, count)])
        windows[0] = 0, draw(st.integers(60, 300))
        service = draw(st.sampled_from([None, np.append(0, rng.integers(0, 10, count - 1))]))
        durations = draw(st.sampled_from([None, rng.integers(0, 30, (count, count))]))
    vehicles = draw(st.sampled_from([None, None, 1, 2, 3]))
    scale = draw(st.sampled_from([1, 10]))
    return VehicleRoutingProblem(distances, demands, capacity, vehicles, windows, service, durations, scale=scale)


def drivable(problem, route):
    """Whether one vehicle can drive the route: the rules, read off the definition once more."""
    if sum(int(problem.demands[c]) for c in route) > problem.capacity:
        return False
    if problem.windows is None:
        return True
    drive = problem.distances if problem.durations is None else problem.durations
    now, at = int(problem.windows[0, 0]), 0
    for place in (*route, 0):
        now += (0 if problem.service is None else int(problem.service[at])) + int(drive[at, place])
        if place:
            now = max(now, int(problem.windows[place, 0]))
        if now > problem.windows[place, 1]:
            return False
        at = place
    return True


def shortest_total(problem):
    """Enumeration: the shortest route over each set of customers, and the best partition; infinite without one."""
    customers = range(1, problem.demands.size)
    most = len(customers) if problem.vehicles is None else problem.vehicles
    best = {}
    for size in customers:
        for chosen in itertools.combinations(customers, size):
            for route in itertools.permutations(chosen):
                if drivable(problem, route):
                    stops = [0, *route, 0]
                    length = sum(int(problem.distances[a, b]) for a, b in itertools.pairwise(stops))
                    best[frozenset(chosen)] = min(length, best.get(frozenset(chosen), length))
    table = {}

    def rest(left: frozenset[int], vehicles: int) -> float:
        if not left:
            return 0.0
        if not vehicles:
            return math.inf
        if (left, vehicles) not in table:
            first = min(left)
            table[left, vehicles] = min(
                (n + rest(left - s, vehicles - 1) for s, n in best.items() if first in s and s <= left),
                default=math.inf,
            )
        return table[left, vehicles]

    return rest(frozenset(customers), most) / problem.scale


def all_plans(problem):
    """Every feasible plan, each once; without direction, each route in one."""
    directed = problem.network.directed

    def routes(left: frozenset[int], vehicles: int) -> Iterator[Plan]:
        if not left:
            yield ()
            return
        if not vehicles:
            return
        first, others = min(left), sorted(left - {min(left)})
        for size in range(len(left)):
            for chosen in itertools.combinations(others, size):
                for route in itertools.permutations((first, *chosen)):
                    if (directed or route <= route[::-1]) and drivable(problem, route):
                        for rest in routes(left - set(route), vehicles - 1):
                            yield (route, *rest)

    most = problem.demands.size if problem.vehicles is None else problem.vehicles
    for plan in routes(frozenset(range(1, problem.demands.size)), most):
        yield tuple(sorted(plan))


def proved(problem, method, **options):
    result = gl.solve(problem, method, **options)
    assert result.status is gl.Status.OPTIMAL
    assert result.gap == 0
    assert problem.violations(result.best) == []
    return result


def verified(problem, result):
    verdict = result.verify(problem)
    assert verdict, f"{verdict.location}: {verdict.reason}"
    again = gl.Result.from_json(result.to_json())
    assert [tuple(route) for route in again.best] == [tuple(route) for route in result.best]
    assert again.verify(gl.loads(gl.dumps(problem)))
    return verdict


def arguments(**given):
    """Options of the task, on one small instance."""
    usual = {"sizes": [6], "seeds": 1, "data": None, "time": None, "customers": None, "methods": list(METHODS)}
    return argparse.Namespace(**(usual | given))
