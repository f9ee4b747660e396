"""The pricing problem in the words of `gapless.rcsp`: time, load and visits of a route from depot to depot."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gapless.rcsp import Additive, LabelSetting, Network, RankOneCuts, Routes, Visits
from gapless_vehicle_routing.problem import Route, VehicleRoutingProblem
from gapless_vehicle_routing.subset_rows import SubsetRow

Floats = NDArray[np.float64]

TABLES = 4
"""Labellings that are kept; nodes of a tree come back to the rows of an earlier one."""


def nearest(problem: VehicleRoutingProblem, size: int) -> list[list[int]]:
    """Choose the ng-neighbourhood of each customer: itself and the nearest, there and back; empty for the depot."""
    between = (problem.distances + problem.distances.T)[1:, 1:].astype(np.float64)
    np.fill_diagonal(between, -1)
    order = np.argsort(between, axis=1, kind="stable")[:, :size] + 1
    return [[], *order.tolist()]


class RouteLabelling:
    """Cheapest ng-walks from the depot to its copy, place n + 1.

    Parameters
    ----------
    problem : VehicleRoutingProblem
    neighbourhood : int
        Customers in each ng-neighbourhood (Baldacci, Mingozzi and Roberti 2011), itself included.
    """

    def __init__(self, problem: VehicleRoutingProblem, neighbourhood: int) -> None:
        places = problem.demands.size
        self.problem = problem
        self.tails, self.heads = np.nonzero(problem.network.number >= 0)
        back = np.where(self.heads == 0, places, self.heads)
        self.network = Network(self.tails, back, 0, places)
        self.resources: list[Additive | Visits] = []
        if problem.windows is not None:  # before the load, because it rises on more arcs
            spans = np.concatenate([problem.windows, problem.windows[:1]]) - problem.windows[0, 0]
            spans[places, 0] = 0
            travel = problem.travel[self.tails, self.heads]
            self.resources.append(Additive(travel, spans[:, 0], spans[:, 1], waits=True))
        self.resources.append(Additive(problem.weights[self.heads], upper=problem.room))
        self.resources.append(Visits([*nearest(problem, neighbourhood), ()]))
        self._made: dict[tuple[SubsetRow, ...], LabelSetting] = {}

    def arcs(self, matrix: Floats) -> Floats:
        """Select the entries of float64 (n + 1, n + 1) that belong to arcs."""
        return np.asarray(matrix[self.tails, self.heads])

    def beside(self, rows: Sequence[SubsetRow]) -> LabelSetting:
        """Return the labelling whose routes pay these rows."""
        key = tuple(rows)
        if key not in self._made:
            if len(self._made) == TABLES:
                del self._made[next(iter(self._made))]
            paid = (
                [RankOneCuts([r.memory for r in rows], [(1, 2)] * len(rows), [r.members for r in rows])]
                if rows
                else []
            )
            self._made[key] = LabelSetting(self.network, [*self.resources, *paid])
        return self._made[key]

    def walks(self, found: Routes) -> list[Route]:
        """Return the customers of each route, the cheapest first, each set of customers once."""
        heads, first = self.heads[found.arcs].tolist(), found.first.tolist()
        walks: dict[Route, Route] = {}
        for begin, end in itertools.pairwise(first):
            walk = tuple(heads[begin : end - 1])
            walks.setdefault(tuple(sorted(walk)), self.problem.oriented(walk))
        return list(walks.values())
