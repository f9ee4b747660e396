"""Least costs of the way home, for the verifier's program: walks of which no more is known than what is left."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gapless.roles import charge_work
from gapless_vehicle_routing.network import Ints
from gapless_vehicle_routing.problem import VehicleRoutingProblem

FORBIDDEN = 2**60
"""Cost of an arc that may not be driven."""

STEPS, PER_PLACE = 250, 8
"""Steps of the table that are wanted, in all and for each place; more where walks within a step never end."""
SWEEPS = 40
"""Arcs of a walk within a step; where more of them are cheaper still, steps are halved."""


class Completions:
    """Completion bounds: lower bounds on the cost from a place to the depot, by the remainder of one resource.

    The walks use at least what they do, may revisit any place, and only do not turn straight back to a place that
    they remember. What is left is rounded up to steps.

    Parameters
    ----------
    costs : int64 (n + 1, n + 1)
    turns : bool (n + 1, n + 1)
        ``[b, a]``: whether a walk may go from a to b and straight back.
    use : int64 (n + 1, n + 1)
        Of each arc; at least 1 between customers.
    most, least : int64 (n + 1,)
        Largest and least amount that is left at a place.
    """

    def __init__(self, costs: Ints, turns: NDArray[np.bool_], use: Ints, most: Ints, least: Ints) -> None:
        self.costs, self.turns, self.use, self.most, self.least = costs, turns, use, most, least
        total = max(0, int(most.max()))
        wanted = min(STEPS, PER_PLACE * most.size)
        between = use[1:, 1:][~np.eye(most.size - 1, dtype=bool)]
        self.unit, finest = max(1, -(-total // wanted)), max(1, int(between.min(initial=total)))
        while not self._filled(-(-total // self.unit)):
            self.unit = max(finest, self.unit // 2)

    def _filled(self, steps: int) -> bool:
        """Fill the tables; False where walks become ever cheaper within a step, and finer ones are needed."""
        places = self.most.size
        charge_work(3.0 * (steps + 1) * places)
        self.best = np.full((steps + 1, places), FORBIDDEN)
        self.second, self.next = self.best.copy(), np.zeros((steps + 1, places), np.int64)
        here, there = np.arange(places)[:, None], np.arange(places)[None]
        for step in range(steps + 1):
            left = np.minimum(step * self.unit - self.use, self.most)
            late = left < np.maximum(self.least, 0)
            within = np.any(-(-left // self.unit)[1:, 1:][~late[1:, 1:] & ~np.eye(places - 1, dtype=bool)] >= step)
            for _ in range(SWEEPS):
                charge_work(10.0 * places * places, 20.0)
                before = np.array((self.best[step], self.second[step], self.next[step]))
                onward = self.costs + self.bound(here, there, left)
                onward[:, 0] = self.costs[:, 0]
                onward[late] = FORBIDDEN
                self.next[step] = onward.argmin(axis=1)
                self.best[step] = np.minimum(onward.min(axis=1), FORBIDDEN)
                onward[here[:, 0], self.next[step]] = FORBIDDEN
                self.second[step] = np.minimum(onward.min(axis=1), FORBIDDEN)
                if not within or np.array_equal(before, (self.best[step], self.second[step], self.next[step])):
                    break
            else:
                return False
        return True

    def bound(self, before: Ints, place: Ints, left: Ints) -> Ints:
        """Bound the cost from `place` home for walks that come from `before` and have `left` of the resource."""
        step = np.minimum(np.maximum(-(-left // self.unit), 0), len(self.best) - 1)
        straight = (self.next[step, place] == before) & ~self.turns[place, before]
        return np.asarray(np.where(straight, self.second[step, place], self.best[step, place]))


def by_weight(problem: VehicleRoutingProblem, costs: Ints, turns: NDArray[np.bool_]) -> Completions:
    """Compute completion bounds by the capacity that is left."""
    weights = np.append(0, problem.weights[1:])
    use = np.tile(weights, (weights.size, 1))
    return Completions(costs, turns, use, np.full(weights.size, problem.room), np.zeros(weights.size, np.int64))


def by_time(problem: VehicleRoutingProblem, costs: Ints, turns: NDArray[np.bool_]) -> Completions | None:
    """Compute completion bounds by time until closing; None without windows, or if a visit takes no time."""
    if problem.windows is None:
        return None
    between = problem.travel[1:, 1:][~np.eye(problem.demands.size - 1, dtype=bool)]
    if between.min(initial=2**40) < 1:
        return None
    left = problem.windows[0, 1] - problem.windows
    return Completions(costs, turns, problem.travel, left[:, 0], np.append(0, left[1:, 1]))
