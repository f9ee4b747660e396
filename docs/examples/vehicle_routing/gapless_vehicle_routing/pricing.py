"""The *Oracle* role, second kind: the generator of missing routes and subset rows for the restricted master."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from gapless.roles import Batch, Columns, Generator, GeneratorResult, LinearView, Rows, Sparse
from gapless_vehicle_routing.cuts import CapacityCuts
from gapless_vehicle_routing.labelling import Floats, RouteLabelling
from gapless_vehicle_routing.network import VEHICLES, Ints
from gapless_vehicle_routing.problem import Route, VehicleRoutingProblem
from gapless_vehicle_routing.subset_rows import SubsetRows

SMALLEST_GAIN = 1e-9
HEURISTIC_GAIN = 1e-6
"""Smallest gain for which a route enters without a bound on the others."""
WANTED = 60
"""Routes of one answer."""
NO_KEYS = np.zeros(0, np.int64)


class RouteColumns:
    """Walks as columns of the master: a unit in the row of each visit, a use of each arc and of a vehicle.

    Row keys are customers, and those of `SubsetRows`. Column keys are numbers in order of first appearance.
    """

    def __init__(self, problem: VehicleRoutingProblem, rows: SubsetRows) -> None:
        self.problem, self.rows = problem, rows
        self._keys: dict[Route, int] = {}
        self._walks: list[Route] = []

    def write(self, walks: Sequence[Route], row_keys: Ints = NO_KEYS) -> Columns:
        """Write columns for `walks` with the subset rows `row_keys`; the master maximises minus the distance."""
        problem = self.problem
        visits = [np.unique(np.array(walk, np.int64), return_counts=True) for walk in walks]
        paid = self.rows.coefficients(walks, self.rows.of(row_keys))
        nonzero = [np.flatnonzero(entries) for entries in paid]
        used = [np.append(VEHICLES, problem.network.along(walk)) for walk in walks]
        uses = [np.unique(quantities, return_counts=True) for quantities in used]
        return Columns(
            keys=np.array([self._key(walk) for walk in walks], np.int64),
            objective=-np.array([problem.length(walk) for walk in walks], float) / problem.scale,
            coefficients=Sparse.from_rows(
                [v.tolist() + row_keys[at].tolist() for (v, _), at in zip(visits, nonzero, strict=True)],
                [
                    n.tolist() + entries[at].tolist()
                    for (_, n), entries, at in zip(visits, paid, nonzero, strict=True)
                ],
            ),
            uses=Sparse.from_rows([u.tolist() for u, _ in uses], [n.tolist() for _, n in uses]),
        )

    def walks(self, keys: Ints) -> list[Route]:
        """Return the walks of existing columns."""
        return [self._walks[key] for key in keys.tolist()]

    def _key(self, walk: Route) -> int:
        if walk not in self._keys:
            self._keys[walk] = len(self._walks)
            self._walks.append(walk)
        return self._keys[walk]


def arc_costs(problem: VehicleRoutingProblem, view: LinearView) -> Floats:
    """Return reduced costs of arcs: float64 (n + 1, n + 1), infinite where banned; routes also pay subset rows."""
    prices = view.usage_prices()
    costs = problem.network.spread(prices) + view.objective_weight / problem.scale * problem.distances
    costs[0] += prices[VEHICLES]
    costs[:, 1:] += view.prices(np.arange(1, problem.demands.size))
    return np.asarray(costs)


class RoutePricing(Generator[LinearView]):
    """Generator of walks of positive reduced cost in two stages, with a bound on all missing ones.

    Once no walk is missing and no capacity cut either, it finds subset rows that the point violates. Their prices
    make pricing harder, so there are few.

    Parameters
    ----------
    columns : RouteColumns
    labelling : RouteLabelling
    cuts : CapacityCuts
    """

    stages = ("heuristic", "exact")

    def __init__(self, columns: RouteColumns, labelling: RouteLabelling, cuts: CapacityCuts) -> None:
        self.columns, self.labelling, self.cuts = columns, labelling, cuts
        self.problem = columns.problem

    def query(self, view: LinearView, *, limit: int | None = None, stage: str = "exact") -> GeneratorResult:
        """Return the cheapest walks, and the slack that they leave; if there are none, violated rows."""
        with np.errstate(invalid="ignore"):
            costs = self.labelling.arcs(arc_costs(self.problem, view))
        if not np.all(costs > -np.inf):  # NaN fails, too: comparisons with it would make all labels cheap, or none
            raise FloatingPointError("a price of the master is minus infinity or no number")
        rows = self.columns.rows
        held = rows.held(view)
        charges = np.maximum(view.prices(held), 0.0)
        unit = 1.0
        if (
            not view.objective_weight
        ):  # Farkas prices are a ray without a unit: normalise them, so that small reduced costs count
            unit = float(np.abs(costs[np.isfinite(costs)]).max(initial=1e-30))
        exact = stage == self.stages[-1]
        wanted = limit or WANTED
        found = self.labelling.beside(rows.of(held)).routes(
            costs / unit,
            below=-SMALLEST_GAIN if exact else -HEURISTIC_GAIN,
            limit=2 * wanted,
            stage="exact" if exact else "heuristic",
            charges=charges / unit,
            stop=view.stop,
        )
        walks = self.labelling.walks(found)[:wanted]
        slack, evidence = self._slack(view, min(0.0, found.bound * unit))
        if walks:
            return GeneratorResult(Batch(self.columns.write(walks, held)), slack, evidence, found.labels)
        if slack is None and exact and found.bound >= -2 * SMALLEST_GAIN:
            slack = 0.0  # a search that ran out of memory claims nothing
        return GeneratorResult(
            Batch(rows=self._missing_rows(view) if exact else Rows.none()), slack, evidence, found.labels
        )

    def _slack(self, view: LinearView, least: float) -> tuple[float | None, dict[str, float]]:
        """Bound the reduced costs of all missing walks, if none costs less than `least`, and return the evidence.

        The smaller of two: so much for each vehicle; or, with prices divided by a factor, nothing (Farley 1990).
        """
        if not (view.objective_weight and least > -np.inf):
            return None, {"least": least}
        each = -least * most_routes(self.problem, view)
        shortest = self._shortest / self.problem.scale
        divided = view.farley(-least, cost=shortest) if shortest > 0 else None
        if divided is not None and divided < each:
            return divided, {"least": 0.0, "factor": 1 - least / shortest}
        return each, {"least": least}

    @cached_property
    def _shortest(self) -> int:
        """No route is shorter."""
        network, distances = self.problem.network, self.problem.distances
        leaving, coming = distances[0][network.number[0] > 0], distances[:, 0][network.number[:, 0] > 0]
        return int(leaving.min(initial=2**40) + coming.min(initial=2**40))

    def _missing_rows(self, view: LinearView) -> Rows:
        """Subset rows, where the point keeps the capacity cuts, which cost pricing nothing."""
        if view.usage is None or not view.time_left:
            return Rows.none()
        if self.cuts.violated(self.problem.network.flow(view.usage), lambda: not view.time_left):
            return Rows.none()
        return self.columns.rows.separate(view, self.columns.walks)


def most_routes(problem: VehicleRoutingProblem, view: LinearView) -> int:
    """Bound the number of routes under the fixings of a view."""
    return max(0, int(problem.use_limits(view.fixings)[1][VEHICLES]))
