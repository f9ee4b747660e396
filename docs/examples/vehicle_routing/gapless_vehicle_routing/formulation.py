"""Input of both drivers: first columns and rows, pricing, cuts, branching, rounding, evidence."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial

import numpy as np

import gapless as gl
from gapless.column_generation.branching import Phase, StrongBranching, diving
from gapless.roles import Batch, Formulation, PricingOptions, RelaxationResult, Rows, Sparse
from gapless_vehicle_routing.branching import VehiclesThenRoads
from gapless_vehicle_routing.certificate import RoutePriceCertificate
from gapless_vehicle_routing.cuts import FLEET, CapacityCuts
from gapless_vehicle_routing.labelling import RouteLabelling
from gapless_vehicle_routing.network import VEHICLES
from gapless_vehicle_routing.pricing import RouteColumns, RoutePricing
from gapless_vehicle_routing.problem import Plan, Route, VehicleRoutingProblem
from gapless_vehicle_routing.routes import Workshop, round_flow, savings_plan
from gapless_vehicle_routing.ruin_and_recreate import ruin_and_recreate
from gapless_vehicle_routing.subset_rows import SubsetRows
from gapless_vehicle_routing.verifier_pricing import MOST_NEIGHBOURS

LOOKS = (Phase(candidates=8),)
"""Looks below a node: at some roads, without pricing."""
RELIABILITY = 2
"""Looks and children after which a road is believed."""

LONG_ROUTES = 12
"""Customers of a full vehicle beyond which prices jump so much that they are smoothed."""

FIRST_DIVE, DIVES, STEPS = 2, 8, 20
"""Number of the first rounding with a dive, the root's being 0, roundings from one dive to the next, and steps of
ruin and recreate for each customer in one rounding."""


def formulation(
    problem: VehicleRoutingProblem,
    *,
    neighbourhood: int = 8,
    subset_rows: int = 60,
    first_plan: Plan | None = None,
) -> Formulation[Plan]:
    """Build the set-partitioning master of Balinski and Quandt (1964): one column per walk, one row per customer.

    Parameters
    ----------
    problem : VehicleRoutingProblem
    neighbourhood : int
        Customers that a walk can remember at each place, itself included; from 1 to 62. More of them give better
        bounds and slower pricing.
    subset_rows : int
        Subset rows with a price beside which no more are sought; 0 for none.
    first_plan : Plan, optional
        Its routes are among the first columns; by default those of savings.

    Raises
    ------
    InvalidProblem
        A number is out of its range.
    """
    if not 1 <= neighbourhood <= MOST_NEIGHBOURS:
        raise gl.InvalidProblem(f"neighbourhood is {neighbourhood!r}, expected 1 to {MOST_NEIGHBOURS}")
    if subset_rows < 0:
        raise gl.InvalidProblem(f"subset_rows is {subset_rows!r}, expected 0 (none) or more")
    rows, cuts = SubsetRows(problem.demands.size, subset_rows), CapacityCuts(problem)
    columns = RouteColumns(problem, rows)
    shop = Workshop(problem)
    first: list[Route] = [(c,) for c in problem.customers if shop.length((c,)) < float("inf")]
    plan = savings_plan(problem) if first_plan is None else first_plan
    first += [route for route in plan or () if len(route) > 1]
    ones = np.ones(len(problem.customers))
    once = Rows(
        keys=np.append(np.array(problem.customers), FLEET),
        lower=np.append(ones, min(problem.fewest, problem.fleet)),
        upper=np.append(ones, problem.fleet),
        uses=Sparse.from_rows([[] for _ in ones] + [[VEHICLES]]),
    )
    smoothing = "wentges" if len(problem.customers) > LONG_ROUTES * problem.fewest else "none"
    return Formulation(
        initial=Batch(columns.write(first), once),
        generators=[RoutePricing(columns, RouteLabelling(problem, neighbourhood), cuts), cuts],
        brancher=StrongBranching(VehiclesThenRoads(problem), phases=LOOKS, reliability=RELIABILITY),
        rounding=_rounding(problem),
        rounding_frequency=4,
        pricing=PricingOptions(initial_columns_priceable=True, smoothing=smoothing),
        certify=partial(RoutePriceCertificate.from_view, problem, cuts, rows, neighbourhood),
    )


def _rounding(problem: VehicleRoutingProblem) -> Callable[[RelaxationResult[Plan]], Plan | None]:
    """Roads by their use, made shorter, and now and then a dive."""
    by_use, dive, calls = round_flow(problem), diving(discrepancies=0), itertools.count()
    steps = STEPS * len(problem.customers)

    def rounding(relaxed: RelaxationResult[Plan]) -> Plan | None:
        call, plan = next(calls), by_use(relaxed)
        stop = relaxed.probe.stop if relaxed.probe is not None else lambda: False
        found = [] if plan is None else [ruin_and_recreate(problem, plan, steps, seed=call, stop=stop)]
        if call % DIVES == FIRST_DIVE and (dived := dive(relaxed)) is not None:
            found.append(dived)
        return min(found, key=problem.value, default=None)

    return rounding
