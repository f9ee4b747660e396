"""The *Oracle* role, second kind: the generator of missing routes for the restricted master."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gapless.roles import Answer, Batch, Columns, Generator, LinearView, Sparse
from gapless_vehicle_routing.heuristic_labels import HeuristicLabelling
from gapless_vehicle_routing.labels import Floats, Labelling, Walks
from gapless_vehicle_routing.network import VEHICLES
from gapless_vehicle_routing.problem import Route, VehicleRoutingProblem

SMALLEST_GAIN = 1e-9
HEURISTIC_GAIN = 1e-6
"""Smallest gain for which a route enters without a bound on the others."""


class RouteColumns:
    """Writes walks as columns of the master: a unit in the row of each visit, a use of each arc and of a vehicle.

    Row keys are customers. Column keys are numbers in order of first appearance.
    """

    def __init__(self, problem: VehicleRoutingProblem) -> None:
        self.problem = problem
        self._keys: dict[Route, int] = {}

    def write(self, walks: Sequence[Route]) -> Columns:
        """Columns for `walks`; the master maximises, so distances count negative."""
        problem = self.problem
        visits = [np.unique(np.array(walk, np.int64), return_counts=True) for walk in walks]
        used = [np.append(VEHICLES, problem.network.along(walk)) for walk in walks]
        uses = [np.unique(quantities, return_counts=True) for quantities in used]
        return Columns(
            keys=np.array([self._keys.setdefault(walk, len(self._keys)) for walk in walks], np.int64),
            objective=-np.array([problem.length(walk) for walk in walks], float) / problem.scale,
            coefficients=Sparse.from_rows([v.tolist() for v, _ in visits], [n.tolist() for _, n in visits]),
            uses=Sparse.from_rows([u.tolist() for u, _ in uses], [n.tolist() for _, n in uses]),
        )


def arc_costs(problem: VehicleRoutingProblem, view: LinearView) -> Floats:
    """Reduced costs of arcs, which add up to a route's: float64 (n + 1, n + 1), infinite where banned."""
    prices = view.usage_prices()
    costs = problem.network.spread(prices) + view.objective_weight / problem.scale * problem.distances
    costs[0] += prices[VEHICLES]
    costs[:, 1:] += view.prices(np.arange(1, problem.demands.size))
    return np.asarray(costs)


class RoutePricing(Generator[LinearView]):
    """Finds walks of positive gain in two stages, and bounds the gain of all that are missing.

    The first stage keeps one partial route for each place and weight, and claims nothing; where it finds none, the
    second is exact.

    Parameters
    ----------
    columns : RouteColumns
    labelling : Labelling
    """

    def __init__(self, columns: RouteColumns, labelling: Labelling) -> None:
        self.columns, self.labelling, self.problem = columns, labelling, columns.problem
        self.heuristic = HeuristicLabelling(self.problem)

    def query(self, view: LinearView, *, limit: int | None = None) -> Answer:
        """The cheapest walks, and the slack that they leave."""
        with np.errstate(invalid="ignore"):
            costs = arc_costs(self.problem, view)
        if not np.all(costs > -np.inf):  # nor a NaN, before which every label would be cheap or none
            raise FloatingPointError("a price of the master is minus infinity or no number")
        if not view.objective_weight:  # a ray has no unit: bring it to one, so that small gains are gains
            costs /= np.abs(costs[np.isfinite(costs)]).max(initial=1e-30)
        wanted = limit or 60
        quick = self.heuristic.walks(costs, below=-HEURISTIC_GAIN, limit=wanted)
        if quick:
            columns = self.columns.write(quick)
            if not np.all(np.isin(columns.keys, view.column_keys)):
                return Answer(Batch(columns), None, scored=len(quick))
        # Where the master has all of them, their gain is what the linear program leaves over: it counts below.
        found = self.labelling.walks(costs, below=-SMALLEST_GAIN, limit=wanted)
        slack = self._slack(view, found) if view.objective_weight else None if found.walks else 0.0
        batch = Batch(self.columns.write(found.walks)) if found.walks else Batch()
        return Answer(batch, slack, self._evidence(found), found.labels)

    def _evidence(self, found: Walks) -> dict[str, float]:
        return {"least": found.least, "least_per_weight": found.least_per_weight}

    def _slack(self, view: LinearView, found: Walks) -> float:
        """Limit to the gains of all missing walks: so much each, and so much for each unit of weight."""
        return min(
            -found.least * most_routes(self.problem, view),
            -found.least_per_weight * float(self.problem.weights.sum()),
        )


def most_routes(problem: VehicleRoutingProblem, view: LinearView) -> int:
    """Limit on routes under the fixings of a view."""
    return max(0, int(problem.use_limits(view.fixings)[1][VEHICLES]))
