"""Better plans by ruin and recreate: strings of neighbours leave their routes and come back (SISR)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from gapless_vehicle_routing.network import Ints
from gapless_vehicle_routing.problem import Plan, Route, VehicleRoutingProblem
from gapless_vehicle_routing.routes import Workshop

STRING, REMOVED = 8, 8.0
"""Longest string of one route, and customers that leave on average."""
HOT, COLD = 0.05, 0.0005
"""First and last temperature, in shares of the mean length of a route."""
BLINK = 0.01
"""Share of places that an insertion overlooks."""


def ruin_and_recreate(
    problem: VehicleRoutingProblem,
    plan: Plan,
    steps: int,
    *,
    seed: int = 0,
    stop: Callable[[], bool] = lambda: False,
) -> Plan:
    """Return a plan that is no longer than the given one, by simulated annealing.

    J. Christiaens and G. Vanden Berghe (2020), "Slack induction by string removals for vehicle routing problems",
    Transportation Science 54(2), sections 3 and 4, without their rule for the size of the fleet.

    Parameters
    ----------
    problem : VehicleRoutingProblem
    plan : Plan
        Feasible.
    steps : int
    seed : int
    stop : callable
        Asked at every step; True ends the search.
    """
    shop, rng = Workshop(problem), np.random.default_rng(seed)
    near = np.argsort(problem.distances[1:, 1:], axis=1, kind="stable") + 1
    now = best = list(plan)
    length = least = float(sum(map(shop.length, now)))
    warm = length / max(1, len(now))
    for step in range(steps):
        if stop():
            break
        kept, out = _ruined(now, near[int(rng.integers(len(near)))], rng)
        tried = _recreated(shop, kept, out, rng)
        found = float(sum(map(shop.length, tried)))
        heat = warm * HOT * (COLD / HOT) ** (step / steps)
        if len(tried) <= problem.fleet and found < length - heat * math.log(1.0 - rng.random()):
            now, length = tried, found
            if found < least:
                best, least = tried, found
    return shop.plan(best) or plan


def _ruined(routes: list[Route], near: Ints, rng: np.random.Generator) -> tuple[list[Route], list[int]]:
    """The rests of the routes, and the customers that left them: strings around a seed."""
    of = {c: number for number, route in enumerate(routes) for c in route}
    longest = min(STRING, sum(map(len, routes)) / len(routes))
    strings = int(rng.integers(1, max(2, int(4 * REMOVED / (1 + longest)))))
    left: dict[int, Route] = {}
    out: list[int] = []
    for c in near.tolist():
        number = of[c]
        if number in left:
            continue
        route = routes[number]
        size = int(rng.integers(1, max(2, int(min(longest, len(route))) + 1)))
        at = route.index(c)
        begin = int(rng.integers(max(0, at - size + 1), min(at, len(route) - size) + 1))
        left[number] = route[:begin] + route[begin + size :]
        out += route[begin : begin + size]
        if len(left) == strings:
            break
    kept = [left.get(number, route) for number, route in enumerate(routes)]
    return [route for route in kept if route], out


def _recreated(shop: Workshop, routes: list[Route], out: list[int], rng: np.random.Generator) -> list[Route]:
    """The routes after everyone that is out has come to the cheapest place that is not overlooked."""
    problem, distances, demands = shop.problem, shop.distances, shop.demands
    orders: tuple[Callable[[int], float], ...] = (
        lambda c: rng.random(),
        lambda c: -demands[c],
        lambda c: -distances[0][c],
        lambda c: distances[0][c],
    )
    routes = list(routes)
    loads = [sum(demands[c] for c in route) for route in routes]
    for c in sorted(out, key=orders[int(rng.choice(4, p=[0.4, 0.2, 0.3, 0.1]))]):
        places = []
        for number, route in enumerate(routes):
            if loads[number] + demands[c] > problem.capacity:
                continue
            before = 0
            for at, after in enumerate((*route, 0)):
                places.append((distances[before][c] + distances[c][after] - distances[before][after], number, at))
                before = after
        if places:
            seen = rng.random(len(places)) >= BLINK
            places = [place for place, kept in zip(places, seen.tolist(), strict=True) if kept]
        for _, number, at in sorted(places) if shop.timed else [min(places)] if places else []:
            longer = (*routes[number][:at], c, *routes[number][at:])
            if not shop.timed or problem.late(longer) is None:
                routes[number] = longer
                loads[number] += demands[c]
                break
        else:
            routes.append((c,))
            loads.append(demands[c])
    return routes
