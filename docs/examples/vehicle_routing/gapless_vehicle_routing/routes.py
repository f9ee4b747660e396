"""Plans by simple rules: the savings of Clarke and Wright (1964), then moves that shorten."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from gapless.roles import RelaxationResult
from gapless_vehicle_routing.problem import Plan, Route, VehicleRoutingProblem

MOST_KNOWN = 300_000
"""Routes whose length is remembered between two calls."""


class Workshop:
    """Feasible routes of a problem, and moves between them."""

    def __init__(self, problem: VehicleRoutingProblem) -> None:
        self.problem = problem
        self.distances, self.demands = problem.distances.tolist(), problem.demands.tolist()
        self.timed = problem.windows is not None
        self.known: dict[Route, float] = {}

    def length(self, route: Route) -> float:
        """Return the length of a route, infinite where a vehicle cannot drive it."""
        if not route:
            return 0.0
        if (found := self.known.get(route)) is not None:
            return found
        length, before = 0, 0
        for place in (*route, 0):
            length, before = length + self.distances[before][place], place
        fits = sum(self.demands[c] for c in route) <= self.problem.capacity
        fits = fits and (not self.timed or self.problem.late(route) is None)
        self.known[route] = found = length if fits else float("inf")
        return found

    def merged(self, worth: NDArray[np.float64]) -> list[Route]:
        """Join routes end to end by decreasing `worth`, float64 (n + 1, n + 1), where a vehicle can drive them."""
        route_of: dict[int, Route] = {c: (c,) for c in self.problem.customers if self.length((c,)) < float("inf")}
        inner = worth[1:, 1:].copy()
        np.fill_diagonal(inner, -np.inf)
        order = np.argsort(-inner, axis=None, kind="stable")
        order = order[inner.ravel()[order] > 0]
        for a, b in zip(*(1 + ends for ends in np.unravel_index(order, inner.shape)), strict=True):
            one, other = route_of.get(int(a)), route_of.get(int(b))
            if one is None or other is None or one == other:
                continue
            for first, second in _turns(one, other, turn=not self.problem.network.directed):
                if first[-1] == a and second[0] == b and self.length(first + second) < float("inf"):
                    route_of.update(dict.fromkeys(first + second, first + second))
                    break
        return sorted(set(route_of.values()))

    def improved(self, routes: Sequence[Route], stop: Callable[[], bool] = lambda: False) -> list[Route]:
        """Improve to a local optimum under moves of one or two customers, exchanges, crossed tails, reversals.

        `stop` is asked for each route; once it is True, the routes may be improved further.
        """
        best = list(routes)
        while (shorter := self._step(best, stop)) is not None:
            best = shorter
        return best

    def _step(self, routes: list[Route], stop: Callable[[], bool]) -> list[Route] | None:
        """The plan after all improving moves, the best first, that touch different routes; None without any."""
        moves: list[tuple[float, tuple[int, ...], tuple[Route, ...]]] = []
        for i, one in enumerate(routes):
            if stop():
                break
            within = min(_within(one), key=self.length, default=one)
            if (gain := self.length(one) - self.length(within)) > 0:
                moves.append((gain, (i,), (within,)))
            for j in range(i):
                before = self.length(one) + self.length(routes[j])
                pair = min(_between(one, routes[j]), key=lambda p: self.length(p[0]) + self.length(p[1]))
                if (gain := before - self.length(pair[0]) - self.length(pair[1])) > 0:
                    moves.append((gain, (i, j), pair))
        if not moves:
            return None
        after, touched = list(routes), set[int]()
        for _, numbers, changed in sorted(moves, key=lambda move: -move[0]):
            if touched.isdisjoint(numbers):
                touched.update(numbers)
                for number, route in zip(numbers, changed, strict=True):
                    after[number] = route
        return [route for route in after if route]

    def plan(self, routes: Sequence[Route]) -> Plan | None:
        """Return the routes as a plan of the problem; None if it has violations."""
        plan = tuple(sorted(self.problem.oriented(route) for route in routes))
        return None if self.problem.violations(plan) else plan


def _turns(one: Route, other: Route, *, turn: bool) -> Iterator[tuple[Route, Route]]:
    """Both routes in either direction and order."""
    for first, second in ((one, other), (other, one)):
        yield first, second
        if turn:
            yield first, second[::-1]
            yield first[::-1], second
            yield first[::-1], second[::-1]


def _within(route: Route) -> Iterator[Route]:
    """A part reversed, or up to three customers moved."""
    count = len(route)
    for i in range(count):
        for j in range(i + 2, count + 1):
            yield (*route[:i], *route[i:j][::-1], *route[j:])
        for size in (1, 2, 3):
            rest, part = route[:i] + route[i + size :], route[i : i + size]
            for at in range(len(rest) + 1):
                if at != i and len(part) == size:
                    yield (*rest[:at], *part, *rest[at:])


def _between(one: Route, other: Route) -> Iterator[tuple[Route, Route]]:
    """Up to two customers moved or exchanged, or the tails crossed."""
    for i in range(len(one) + 1):
        for j in range(len(other) + 1):
            yield one[:i] + other[j:], other[:j] + one[i:]
            yield one[:i] + other[:j][::-1], one[i:][::-1] + other[j:]
            for a in (0, 1, 2):
                for b in (0, 1, 2):
                    if (a or b) and i + a <= len(one) and j + b <= len(other):
                        yield (
                            one[:i] + other[j : j + b] + one[i + a :],
                            other[:j] + one[i : i + a] + other[j + b :],
                        )


def savings_plan(problem: VehicleRoutingProblem, stop: Callable[[], bool] = lambda: False) -> Plan | None:
    """Make a first plan by savings; None if the rules find none, although one may exist.

    Once `stop` is True, the plan is improved no further.
    """
    distances = problem.distances.astype(float)
    saved = distances[:, :1] + distances[:1] - distances
    shop = Workshop(problem)
    return shop.plan(shop.improved(shop.merged(saved + 1e-9), stop))


def round_flow(problem: VehicleRoutingProblem) -> Callable[[RelaxationResult[Plan]], Plan | None]:
    """Join customers by decreasing use of their road, then by savings, and improve: a rounding heuristic."""
    shop, decisions, network = Workshop(problem), problem.decisions, problem.network
    distances = problem.distances.astype(float)
    saved = distances[:, :1] + distances[:1] - distances
    saved /= 1 + np.abs(saved).max()  # below the smallest use that counts

    def rounding(relaxed: RelaxationResult[Plan]) -> Plan | None:
        use = np.zeros(len(network))
        if relaxed.point is not None:
            use = np.bincount(decisions.quantity_index(), relaxed.point, len(network)).astype(float)
        driven = np.where(network.number >= 0, use[network.number], 0.0)
        worth = np.where(driven > 0.01, 1000 * driven, 0.0) + saved
        if len(shop.known) > MOST_KNOWN:
            shop.known.clear()
        stop = relaxed.probe.stop if relaxed.probe is not None else lambda: False
        return shop.plan(shop.improved(shop.merged(worth), stop))

    return rounding
