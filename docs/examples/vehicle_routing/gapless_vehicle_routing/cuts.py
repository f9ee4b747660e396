"""Rounded capacity cuts: a set of customers needs as many vehicles as its demand fills."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gapless.roles import Answer, Batch, Generator, LinearView, Rows, Sparse
from gapless_vehicle_routing.problem import VehicleRoutingProblem

VIOLATED = 1e-2
"""Smallest violation, in arcs, of a row that is worth adding at a fractional point."""

FLEET = -1
"""Key of the row that limits the routes; those of customers are their numbers, those of cuts follow."""

Inside = NDArray[np.bool_]


class CapacityCuts(Generator[LinearView]):
    """Separates ``x(border of S) >= 2 ceil(demand(S) / capacity)``; half, and inwards, of directed roads.

    Sets are the connected components of the flow without the depot, and those that grow from every customer, by two
    rules, until they hold all (Lysgaard, Letchford and Eglese 2004, sections 3.1 and 3.2). The rows are over
    quantities: pricing meets them as prices of arcs.

    Parameters
    ----------
    problem : VehicleRoutingProblem
    """

    def __init__(self, problem: VehicleRoutingProblem) -> None:
        self.problem, self.first_key = problem, problem.demands.size
        self.sets: list[frozenset[int]] = []
        self._keys: dict[frozenset[int], int] = {}

    def query(self, view: LinearView, *, limit: int | None = None) -> Answer:
        """Rows over sets whose border the solution uses too little; none while the master is infeasible."""
        if view.usage is None:
            return Answer()
        sets = self.violated(self.problem.network.flow(view.usage))
        return Answer(Batch(rows=self.rows(sets[: limit or 30])))

    def violated(self, flow: NDArray[np.float64]) -> list[Inside]:
        """Sets whose row is violated, bool (n + 1,) each, the most violated first.

        Parameters
        ----------
        flow : float64 (n + 1, n + 1)
            Use of each road in both directions together.
        """
        found: dict[bytes, tuple[float, Inside]] = {}
        candidates = np.concatenate(
            [self._components(flow), *(self._grown(flow, tight) for tight in (False, True))]
        )
        demand = candidates.astype(np.int64) @ self.problem.demands
        members = candidates.astype(np.float64)
        border = members @ flow.sum(axis=1) - ((members @ flow) * members).sum(axis=1)
        missing = 2.0 * -(-demand // self.problem.capacity) - border
        for at in np.argsort(-missing, kind="stable").tolist():
            if missing[at] < VIOLATED:
                break
            found.setdefault(candidates[at].tobytes(), (float(missing[at]), candidates[at]))
        return [inside for _, inside in found.values()]

    def rows(self, sets: list[Inside]) -> Rows:
        """The rows of some sets of customers."""
        network = self.problem.network
        least = [self.problem.needed(inside) * (1 if network.directed else 2) for inside in sets]
        return Rows(
            keys=np.array([self.key(inside) for inside in sets], np.int64),
            lower=np.array(least, float),
            upper=np.full(len(sets), np.inf),
            uses=Sparse.from_rows([network.entering(inside).tolist() for inside in sets]),
        )

    def key(self, inside: Inside) -> int:
        """Row key of a set; keys are numbers in order of first appearance."""
        members = frozenset(np.flatnonzero(inside).tolist())
        if members not in self._keys:
            self._keys[members] = self.first_key + len(self.sets)
            self.sets.append(members)
        return self._keys[members]

    def of_key(self, key: int) -> frozenset[int]:
        """The set of a row key."""
        return self.sets[key - self.first_key]

    def _components(self, flow: NDArray[np.float64]) -> Inside:
        """Connected components of the customers, their pairs where there are few, and what each leaves out."""
        joined = flow[1:, 1:] > 1e-6
        np.fill_diagonal(joined, True)
        reach = joined
        while np.any((wider := (reach.astype(np.int64) @ joined.astype(np.int64)) > 0) != reach):
            reach = wider
        sets = np.unique(reach, axis=0)
        if 1 < len(sets) <= 12:
            sets = np.concatenate([sets, ~sets])
        return np.insert(sets, 0, False, axis=1)

    def _grown(self, flow: NDArray[np.float64], tight: bool) -> Inside:
        """Every set on the way from each customer to all; the next member is the one that is tied most to the set.

        With `tight`, the one whose row would then be violated most.
        """
        problem, count = self.problem, flow.shape[0]
        inside = np.eye(count, dtype=bool)[1:]
        kept, degree = [inside], flow.sum(axis=1)
        border = degree[1:].copy()
        demand = problem.demands[1:].copy()
        rows = np.arange(count - 1)
        for _ in range(count - 2):
            tied = inside @ flow
            after = border[:, None] + degree - 2 * tied
            rank = tied
            if tight:
                needed = -(-(demand[:, None] + problem.demands) // problem.capacity)
                rank = 2.0 * needed - after
            rank = np.where(inside, -np.inf, rank)
            rank[:, 0] = -np.inf
            chosen = rank.argmax(axis=1)
            inside = inside.copy()
            inside[rows, chosen] = True
            border, demand = after[rows, chosen], demand + problem.demands[chosen]
            kept.append(inside)
        return np.concatenate(kept)
