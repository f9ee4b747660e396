"""Rounded capacity cuts: a set of customers needs as many vehicles as its demand fills."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gapless.roles import Batch, Generator, GeneratorResult, LinearView, Rows, Sparse
from gapless_vehicle_routing.problem import VehicleRoutingProblem

VIOLATED = 1e-2
"""Smallest violation, in arcs, of a row that is worth adding at a fractional point."""

FLEET = -1
"""Key of the row that limits the routes; those of customers are their numbers, those of cuts follow."""

Inside = NDArray[np.bool_]


class CapacityCuts(Generator[LinearView]):
    """Generator of ``x(border of S) >= 2 ceil(demand(S) / capacity)``; half of that, inwards, for directed roads.

    Sets are the connected components of the flow without the depot, and those that grow from every customer, by two
    rules, until they hold all (Lysgaard, Letchford and Eglese 2004, sections 3.1 and 3.2). The rows are over
    quantities: pricing meets them as prices of arcs.

    Parameters
    ----------
    problem : VehicleRoutingProblem
    """

    def __init__(self, problem: VehicleRoutingProblem) -> None:
        self.problem, self.first_key = problem, problem.demands.size
        self._demands = problem.demands.astype(np.float64)
        self.sets: list[frozenset[int]] = []
        self._keys: dict[frozenset[int], int] = {}

    def query(self, view: LinearView, *, limit: int | None = None) -> GeneratorResult:
        """Return rows over sets whose border the solution uses too little; none while the master is infeasible."""
        if view.usage is None:
            return GeneratorResult(pricing_gap=0.0)
        sets = self.violated(self.problem.network.flow(view.usage), lambda: not view.time_left)
        return GeneratorResult(Batch(rows=self.rows(sets[: limit or 30])), pricing_gap=0.0)  # it misses no columns

    def violated(self, flow: NDArray[np.float64], stop: Callable[[], bool] = lambda: False) -> list[Inside]:
        """Find sets whose row is violated, bool (n + 1,) each, the most violated first.

        Parameters
        ----------
        flow : float64 (n + 1, n + 1)
            Use of each road in both directions together.
        stop : callable
            Asked for each size of sets; True ends the search.
        """
        found: dict[bytes, tuple[float, Inside]] = {}
        every = [self._components(flow), *(self._grown(flow, stop, tight=tight) for tight in (False, True))]
        for missing, sets in every:
            for each, inside in zip(missing.tolist(), sets, strict=True):
                found.setdefault(inside.tobytes(), (each, inside))
        return [inside for _, inside in sorted(found.values(), key=lambda pair: (-pair[0], pair[1].tobytes()))]

    def rows(self, sets: list[Inside]) -> Rows:
        """Make the rows of some sets of customers."""
        network = self.problem.network
        least = [self.problem.needed(inside) * (1 if network.directed else 2) for inside in sets]
        return Rows(
            keys=np.array([self.key(inside) for inside in sets], np.int64),
            lower=np.array(least, float),
            upper=np.full(len(sets), np.inf),
            uses=Sparse.from_rows([network.entering(inside).tolist() for inside in sets]),
        )

    def key(self, inside: Inside) -> int:
        """Return the row key of a set; keys are numbers in order of first appearance."""
        members = frozenset(np.flatnonzero(inside).tolist())
        if members not in self._keys:
            self._keys[members] = self.first_key + len(self.sets)
            self.sets.append(members)
        return self._keys[members]

    def of_key(self, key: int) -> frozenset[int]:
        """Return the set of a row key."""
        return self.sets[key - self.first_key]

    def _components(self, flow: NDArray[np.float64]) -> tuple[NDArray[np.float64], Inside]:
        """Connected components of the customers, and what each leaves out; only those whose row is violated."""
        joined = flow[1:, 1:] > 1e-6
        np.fill_diagonal(joined, True)
        reach = joined
        while np.any((wider := reach.astype(float) @ joined > 0) != reach):
            reach = wider
        sets = np.unique(reach, axis=0)
        if len(sets) > 1:
            sets = np.concatenate([sets, ~sets])
        inside = np.insert(sets, 0, False, axis=1)
        members = inside.astype(float)
        border = members @ flow.sum(axis=1) - ((members @ flow) * members).sum(axis=1)
        missing = self._needed(members @ self._demands) - border
        return missing[missing >= VIOLATED], inside[missing >= VIOLATED]

    def _grown(
        self, flow: NDArray[np.float64], stop: Callable[[], bool], *, tight: bool
    ) -> tuple[NDArray[np.float64], Inside]:
        """Grow sets from each customer to all, and return those whose row is violated.

        The next member is the one that is tied most to the set; with `tight`, the one whose row would then be
        violated most.
        """
        count = flow.shape[0]
        inside = np.eye(count, dtype=bool)[1:]
        degree, rows = flow.sum(axis=1), np.arange(count - 1)
        border, demand, tied = degree[1:].copy(), self._demands[1:].copy(), flow[1:].copy()
        found: list[tuple[NDArray[np.float64], Inside]] = []
        for step in range(count - 1):
            if step and stop():
                break
            if step:
                rank = tied
                if tight:
                    rank = self._needed(demand[:, None] + self._demands) - border[:, None] - degree + 2 * tied
                rank = np.where(inside, -np.inf, rank)
                rank[:, 0] = -np.inf
                chosen = rank.argmax(axis=1)
                border = border + degree[chosen] - 2 * tied[rows, chosen]
                demand = demand + self._demands[chosen]
                tied = tied + flow[chosen]
                inside[rows, chosen] = True
            missing = self._needed(demand) - border
            violated = missing >= VIOLATED
            found.append((missing[violated], inside[violated]))
        return np.concatenate([m for m, _ in found]), np.concatenate([i for _, i in found])

    def _needed(self, demand: NDArray[np.float64]) -> NDArray[np.float64]:
        """Least use of the border, in both directions, for sets of these demands."""
        return -2.0 * (-demand // self.problem.capacity)
