"""The *Brancher* role: the number of vehicles first, then a road."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gapless.roles import Branch, Brancher, Fixings, Relaxed
from gapless_vehicle_routing.network import VEHICLES
from gapless_vehicle_routing.problem import Plan, VehicleRoutingProblem

INTEGRAL = 1e-6


class VehiclesThenRoads(Brancher[Plan]):
    """Two children: one more vehicle or not, or else the most fractional road driven or not, the longest of equals.

    Once every road is driven a whole number of times, the roads are routes, or a capacity cut forbids them.

    Parameters
    ----------
    problem : VehicleRoutingProblem
    """

    def __init__(self, problem: VehicleRoutingProblem) -> None:
        network, quantity = problem.network, problem.decisions.quantity_of()
        self._vehicles = quantity == VEHICLES
        self._length = problem.distances[network.tails, network.heads][quantity]

    def split(self, fixings: Fixings, relaxed: Relaxed[Plan]) -> Sequence[Branch]:
        """The decision on, and off."""
        free = fixings.free
        if not free.size:
            return ()
        distance = np.zeros(free.size) if relaxed.point is None else np.abs(relaxed.point[free] - 0.5)
        fractional = distance < 0.5 - INTEGRAL
        if np.any(fractional):
            free, distance = free[fractional], distance[fractional]
        nearness = np.rint(distance * 20)
        first = np.lexsort((free, distance, -self._length[free], nearness, ~self._vehicles[free]))[0]
        chosen = int(free[first])
        return Branch(on=(chosen,), why="more"), Branch(off=(chosen,), why="fewer")
