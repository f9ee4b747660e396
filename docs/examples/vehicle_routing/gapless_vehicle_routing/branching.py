"""The *Brancher* role: the number of vehicles first, then a road."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gapless.column_generation.branching import Candidate, CandidateBrancher
from gapless.roles import Branch, Fixings, RelaxationResult
from gapless_vehicle_routing.network import VEHICLES
from gapless_vehicle_routing.problem import Plan, VehicleRoutingProblem

INTEGRAL = 1e-6


class VehiclesThenRoads(CandidateBrancher[Plan]):
    """Two children: one more vehicle or not, or else the most fractional road driven or not, the longest of equals.

    Once every road is driven a whole number of times, the roads are routes, or a capacity cut forbids them.

    Parameters
    ----------
    problem : VehicleRoutingProblem
    """

    def __init__(self, problem: VehicleRoutingProblem) -> None:
        network, quantity = problem.network, problem.decisions.quantity_index()
        self._vehicles = quantity == VEHICLES
        length = problem.distances[network.tails, network.heads][quantity]
        self._length = length / (1.0 + length.max(initial=0))

    def candidates(self, fixings: Fixings, relaxed: RelaxationResult[Plan]) -> Sequence[Candidate]:
        """Return the number of vehicles if it is fractional, else each fractional road."""
        free = fixings.free
        if relaxed.point is None or not free.size:
            return ()
        free = free[np.abs(relaxed.point[free] - np.rint(relaxed.point[free])) > INTEGRAL]
        if np.any(self._vehicles[free]):
            free = free[self._vehicles[free]]
        return [self._candidate(int(d), float(relaxed.point[d])) for d in free]

    def last_resort(self, fixings: Fixings, relaxed: RelaxationResult[Plan]) -> Sequence[Branch]:
        """Choose a free decision of a node without fractional ones: the vehicles, then the longest road."""
        free = fixings.free
        if not free.size:
            return ()
        first = free[np.lexsort((free, -self._length[free], ~self._vehicles[free]))[0]]
        return self._candidate(int(first), 0.5).branches

    def _candidate(self, decision: int, value: float) -> Candidate:
        branches = Branch(on=(decision,), why="more"), Branch(off=(decision,), why="fewer")
        nearness = round(20 * (0.5 - abs(value - 0.5)))
        return Candidate(decision, branches, (1 - value, value), nearness + float(self._length[decision]))
