"""Evidence for a bound: whole prices of customers, roads, capacity cuts and subset rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import attrs
import numpy as np

import gapless as gl
from gapless.roles import BoundCertificate, Fixings, GeneratorResult, LinearView, serialisable
from gapless_vehicle_routing.completions import FORBIDDEN
from gapless_vehicle_routing.cuts import FLEET, CapacityCuts
from gapless_vehicle_routing.network import VEHICLES
from gapless_vehicle_routing.problem import VehicleRoutingProblem
from gapless_vehicle_routing.subset_rows import SubsetRows
from gapless_vehicle_routing.verifier_pricing import MOST_NEIGHBOURS, largest_cost, least_cost

LARGEST_RECORD = 2**16
"""Limit on priced roads and sets, so that the cost of an arc stays a whole number of 64 bits."""

ROUNDING = 50
"""Units by which prices in whole numbers may make a route cheaper: one below those is looked at in full."""

HEADROOM = 32
"""Prices that meet on one arc, or on one route, may add up to so many times the largest."""


def _integers(values: Sequence[int]) -> tuple[int, ...]:
    return tuple(int(v) for v in values)


def _sets(values: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(map(_integers, values))


@serialisable("gapless_vehicle_routing.RoutePriceCertificate")
@attrs.frozen
class RoutePriceCertificate(BoundCertificate):
    """Prices under which every route has a high reduced cost, although all customers together are expensive.

    A route costs ``weight * distance``, less the prices of its customers, less those of the cuts whose border it
    crosses, plus those of its roads, plus those of the subsets for every second visit to their members; let v be
    the least such cost, recomputed by a dynamic program over walks. A plan crosses the border of a set at least as
    often as the demand of the set needs vehicles (both ways where roads have no direction), and its second visits
    to a subset are at most half of the members, rounded down. So the weighted distance of a plan of K routes is at
    least the prices of all customers, plus cut prices times the needed vehicles, minus subset prices times those
    halves, minus the largest cost of roads under the fixings, plus ``K * v``. This holds for any values of the
    fields, and is computed in whole numbers.

    Parameters
    ----------
    weight : int
        Units of price to a unit of distance; 0 where the prices prove that there is no plan.
    customers : sequence of int
        Price of each customer.
    roads, road_prices : sequences of int
        Quantities (see `Network`; 0 for the vehicles), and the price of each use.
    sets, set_prices : sequences
        Sets of customers, and the price of each crossing, at least 0.
    neighbourhood : int
        Customers that a walk can remember at each place.
    least : int
        Cost of a route that the dynamic program need not look below; at most 0.
    subsets, memories, subset_prices : sequences
        Subsets of customers, the customers at which a first visit is not forgotten (see `SubsetRow`), and the price
        of each second visit, at least 0.
    """

    kind: ClassVar[str] = "route prices"
    weight: int = attrs.field(converter=int)
    customers: tuple[int, ...] = attrs.field(converter=_integers)
    roads: tuple[int, ...] = attrs.field(converter=_integers, default=())
    road_prices: tuple[int, ...] = attrs.field(converter=_integers, default=())
    sets: tuple[tuple[int, ...], ...] = attrs.field(converter=_sets, default=())
    set_prices: tuple[int, ...] = attrs.field(converter=_integers, default=())
    neighbourhood: int = attrs.field(converter=int, default=8)
    least: int = attrs.field(converter=int, default=0)
    subsets: tuple[tuple[int, ...], ...] = attrs.field(converter=_sets, default=())
    memories: tuple[tuple[int, ...], ...] = attrs.field(converter=_sets, default=())
    subset_prices: tuple[int, ...] = attrs.field(converter=_integers, default=())

    @classmethod
    def from_view(
        cls,
        problem: VehicleRoutingProblem,
        cuts: CapacityCuts,
        rows: SubsetRows,
        neighbourhood: int,
        view: LinearView,
        answers: Sequence[GeneratorResult],
    ) -> RoutePriceCertificate:
        """Round the prices of a master to integers, and keep the least cost that pricing found under them."""
        places = problem.demands.size
        paid = -view.prices(np.arange(1, places))
        keys = view.row_keys[view.row_keys >= places]
        prices = -view.prices(keys)
        fixed = view.fixing_prices()
        fixed = np.where(np.isfinite(fixed), fixed, 0.0)
        fixed[VEHICLES] += float(view.prices(np.array([FLEET]))[0])
        held = rows.held(view)
        charges = np.maximum(view.prices(held), 0.0)
        evidence = {key: value for answer in answers for key, value in answer.evidence.items()}
        least, factor = float(evidence.get("least", 0.0)), float(evidence.get("factor", 1.0))
        weight = factor * view.objective_weight
        largest = max(1.0, *(float(np.abs(a).max(initial=0.0)) for a in (paid, prices, fixed)), charges.sum())
        largest = max(largest, max(weight, 1.0) * float(problem.distances.max()) / problem.scale)
        most = largest_cost(problem)
        unit = min(1e9, most / HEADROOM / largest)
        if unit >= problem.scale:  # then the weight is whole, where prices were not divided
            unit = unit // problem.scale * problem.scale
        charged = np.flatnonzero(np.rint(fixed * unit))
        priced = np.flatnonzero(np.rint(prices * unit) > 0)
        charged_rows = np.flatnonzero(np.rint(charges * unit))
        paying = rows.of(held[charged_rows])
        return cls(
            weight=math.ceil(weight * (unit / problem.scale)),
            customers=np.rint(paid * unit).astype(np.int64).tolist(),
            roads=charged.tolist(),
            road_prices=np.rint(fixed[charged] * unit).astype(np.int64).tolist(),
            sets=[sorted(cuts.of_key(int(keys[c]))) for c in priced],
            set_prices=np.rint(prices[priced] * unit).astype(np.int64).tolist(),
            neighbourhood=neighbourhood,
            least=max(-most, min(0, math.floor(least * unit) - ROUNDING)),
            subsets=[row.members for row in paying],
            memories=[row.memory for row in paying],
            subset_prices=np.rint(charges[charged_rows] * unit).astype(np.int64).tolist(),
        )

    def work_to_verify(self, problem: gl.Problem[Any]) -> float:
        """Estimate the work of a verification: some labels of each place and weight."""
        steps = super().work_to_verify(problem)
        if isinstance(problem, VehicleRoutingProblem):
            steps += 4e4 * problem.demands.size**2 + 5e6 * problem.demands.size
        return steps

    def upper_bound(self, problem: gl.Problem[Any], fixings: Fixings) -> float:
        """Return minus the distance that the prices prove; minus infinity if no plan is possible."""
        if not isinstance(problem, VehicleRoutingProblem):
            raise gl.InvalidProblem(f"these are prices for vehicle routing, not for {type(problem).__name__}")
        self._check(problem)
        network = problem.network
        least, most = problem.use_limits(fixings)
        if np.any(least > most):
            return -math.inf
        total = sum(self.customers)
        costs = self.weight * problem.distances
        costs[:, 1:] -= np.array(self.customers, np.int64)
        for road, price in zip(self.roads, self.road_prices, strict=True):
            total -= max(price * int(least[road]), price * int(most[road]))
            if road == VEHICLES:
                costs[0] += price
            else:
                costs[network.number == road] += price
        for members, price in zip(self.sets, self.set_prices, strict=True):
            inside = np.zeros(problem.demands.size, bool)
            inside[list(members)] = True
            total += price * problem.needed(inside) * (1 if network.directed else 2)
            crossing = inside[None] & ~inside[:, None]
            costs[crossing if network.directed else crossing | crossing.T] -= price
        open_roads = (network.number >= 0) & (most[network.number] > 0)
        if np.abs(costs[open_roads]).max(initial=0) > largest_cost(problem):
            raise gl.InvalidProblem(f"prices add up to more than {largest_cost(problem)} on an arc")
        costs = np.where(open_roads, costs, FORBIDDEN)
        total -= sum(p * (len(s) // 2) for s, p in zip(self.subsets, self.subset_prices, strict=True))
        paid = list(zip(self.subsets, self.memories, self.subset_prices, strict=True))
        cheapest = least_cost(problem, costs, self.neighbourhood, self.least, paid)
        total += cheapest * int(most[VEHICLES])
        if self.weight == 0:
            return -math.inf if total > 0 else 0.0
        return min(0.0, -total / (self.weight * problem.scale))

    def _check(self, problem: VehicleRoutingProblem) -> None:
        """Raise `InvalidProblem` where the fields do not fit the problem."""
        places = problem.demands.size
        if len(self.customers) != places - 1:
            raise gl.InvalidProblem(f"{len(self.customers)} prices for {places - 1} customers")
        if len(self.roads) != len(self.road_prices) or len(self.sets) != len(self.set_prices):
            raise gl.InvalidProblem("roads and sets need one price each")
        if self.roads and not 0 <= min(self.roads) <= max(self.roads) < len(problem.network):
            raise gl.InvalidProblem("a price is on a road that does not exist")
        if not len(self.subsets) == len(self.memories) == len(self.subset_prices):
            raise gl.InvalidProblem("each subset needs a memory and a price")
        if any(len(set(members)) < len(members) for members in self.subsets):
            raise gl.InvalidProblem("a subset names a customer twice")
        if any(not 0 < c < places for members in (*self.sets, *self.subsets, *self.memories) for c in members):
            raise gl.InvalidProblem("a set names a customer that does not exist")
        if self.weight < 0 or min((*self.set_prices, *self.subset_prices), default=0) < 0 or self.least > 0:
            raise gl.InvalidProblem("weight and prices of sets are at least 0, the least cost is at most 0")
        if not 1 <= self.neighbourhood <= MOST_NEIGHBOURS:
            raise gl.InvalidProblem(f"a neighbourhood of {self.neighbourhood}, expected 1 to {MOST_NEIGHBOURS}")
        numbers = (self.weight, *self.customers, *self.road_prices, *self.set_prices, self.least)
        numbers += (sum(self.subset_prices),)
        most = largest_cost(problem)
        if max(map(abs, numbers)) > most or self.weight * int(problem.distances.max()) > most:
            raise gl.InvalidProblem(f"a price is larger than {most}")
        if len(self.roads) + len(self.sets) + len(self.subsets) > LARGEST_RECORD:
            raise gl.InvalidProblem(f"{len(self.roads)} roads and {len(self.sets)} sets, too many to add up")
