"""The *Problem* role: routes from a depot to customers and back, as short as possible in all."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, ClassVar, SupportsIndex

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

import gapless as gl
from gapless.roles import Decisions, Fixings, LinearModel, Sense, serialisable
from gapless_vehicle_routing.linear import two_index_model
from gapless_vehicle_routing.network import VEHICLES, Ints, Network

Route = tuple[int, ...]
"""Customers in the order of their visits."""

Plan = tuple[Route, ...]
"""One route for each vehicle that leaves the depot."""

LARGEST = 2**40
"""Limit on distances, times and demands: sums stay exact in float64."""


def _whole(value: SupportsIndex) -> int:
    try:
        return operator.index(value)
    except TypeError as error:
        raise gl.InvalidProblem(f"capacity, vehicles and scale are whole numbers, got {value!r}") from error


def _wholes(values: ArrayLike) -> Ints:
    """An int64 array; whole numbers in float64 are taken, anything else is refused."""
    given = np.asarray(values)
    if given.dtype.kind not in "iuf" or not np.all(np.isfinite(given)) or np.any(given != np.rint(given)):
        raise gl.InvalidProblem(
            "distances, demands, windows and times are whole numbers; multiply them, and give the factor as `scale`"
        )
    if given.size and np.abs(given).max() > LARGEST:
        raise gl.InvalidProblem(f"a number is larger than {LARGEST}; `windows` need an end within that")
    whole = given.astype(np.int64)
    whole.flags.writeable = False
    return whole


def _places(values: ArrayLike) -> NDArray[np.float64]:
    places = np.array(values, np.float64)
    places.flags.writeable = False
    return places


def _optional_wholes(values: ArrayLike | None) -> Ints | None:
    return None if values is None else _wholes(values)


@serialisable("gapless_vehicle_routing.VehicleRoutingProblem")
@attrs.frozen(eq=False, slots=False)
class VehicleRoutingProblem(gl.Problem[Plan]):
    """Visit every customer once, each route within the capacity and the time windows; minimise the distance.

    Place 0 is the depot, places 1 to n are customers. All numbers are whole. Where distances are multiples of a
    tenth, as in the DIMACS convention for Solomon's instances, give them in tenths and set ``scale=10``.

    Parameters
    ----------
    distances : int64 (n + 1, n + 1)
        At least 0. The diagonal is ignored.
    demands : int64 (n + 1,)
        At least 0, and 0 for the depot.
    capacity : int
        Of each vehicle, at least 1.
    vehicles : int, optional
        Limit on routes; by default one for each customer.
    windows : int64 (n + 1, 2), optional
        Earliest and latest begin of service; for the depot, departure and return. A vehicle that is early waits.
    service : int64 (n + 1,), optional
        Time that a visit takes; 0 by default, and for the depot.
    durations : int64 (n + 1, n + 1), optional
        Travel times; the distances by default.
    places : float64 (n + 1, 2), optional
        Coordinates, for drawings only.
    scale : int
        The value of a plan is its distance divided by this number.

    Raises
    ------
    InvalidProblem
        A shape, a sign or a number does not fit; the message names the argument.
    """

    sense: ClassVar[Sense] = Sense.MINIMISE

    distances: Ints = attrs.field(converter=_wholes, repr=False)
    demands: Ints = attrs.field(converter=_wholes, repr=False)
    capacity: int = attrs.field(converter=_whole)
    vehicles: int | None = attrs.field(converter=attrs.converters.optional(_whole), default=None)
    windows: Ints | None = attrs.field(converter=_optional_wholes, default=None, repr=False)
    service: Ints | None = attrs.field(converter=_optional_wholes, default=None, repr=False)
    durations: Ints | None = attrs.field(converter=_optional_wholes, default=None, repr=False)
    places: NDArray[np.float64] | None = attrs.field(
        converter=attrs.converters.optional(_places), default=None, repr=False
    )
    scale: int = attrs.field(converter=_whole, default=1)

    def __attrs_post_init__(self) -> None:
        count = self.demands.size
        if count < 2:
            raise gl.InvalidProblem("give the demands of the depot (0) and of one customer at least")
        shapes = {"distances": (count, count), "demands": (count,), "windows": (count, 2), "service": (count,)}
        shapes |= {"durations": (count, count), "places": (count, 2)}
        for name, shape in shapes.items():
            array = getattr(self, name)
            if array is not None and array.shape != shape:
                raise gl.InvalidProblem(f"{name} has shape {array.shape}, expected {shape} for {count} places")
            if array is not None and name not in ("windows", "places") and array.min() < 0:
                raise gl.InvalidProblem(f"{name} holds {array.min()}, and nothing there may be below 0")
        if self.places is not None and not np.all(np.isfinite(self.places)):
            raise gl.InvalidProblem("places holds a coordinate that is not a finite number")
        if self.demands[0] or (self.service is not None and self.service[0]):
            raise gl.InvalidProblem("the depot, place 0, has no demand and no service time")
        for name, least in (("capacity", 1), ("vehicles", 0), ("scale", 1)):
            number = getattr(self, name)
            if number is not None and not least <= number <= LARGEST:
                raise gl.InvalidProblem(f"{name} is {number}, expected {least} at least and {LARGEST} at most")

    # -- what follows from the numbers --------------------------------------------------------------------------

    @property
    def granularity(self) -> float:  # type: ignore[override]
        """Every value is a multiple of this."""
        return 1 / self.scale

    @property
    def customers(self) -> range:
        """The places to visit."""
        return range(1, self.demands.size)

    @property
    def fleet(self) -> int:
        """Limit on routes."""
        most = len(self.customers)
        return most if self.vehicles is None else min(most, self.vehicles)

    @property
    def fewest(self) -> int:
        """Routes without which the demand does not fit."""
        return max(1, self.needed(np.ones(self.demands.size, bool)))

    def needed(self, inside: NDArray[np.bool_]) -> int:
        """Count the vehicles that the demand of a set of places needs."""
        return -(-int(self.demands[inside].sum()) // self.capacity)

    @cached_property
    def weights(self) -> Ints:
        """Demands that are positive at every customer, so that no walk goes on forever; see `room`.

        Where z customers order nothing, they weigh 1 and the others ``demand * (z + 1)``, against
        ``capacity * (z + 1) + z``: the same routes fit, because no route visits one of them twice.
        """
        light = self.demands[1:] == 0
        return np.append(0, self.demands[1:] * (light.sum() + 1) + light)

    @cached_property
    def room(self) -> int:
        """Capacity in the unit of `weights`; no more than all customers weigh."""
        light = int(np.count_nonzero(self.demands[1:] == 0))
        return min(self.capacity, int(self.demands.sum())) * (light + 1) + light

    @cached_property
    def travel(self) -> Ints:
        """Time from the begin of service at one place to the arrival at another, int64 (n + 1, n + 1)."""
        drive = self.distances if self.durations is None else self.durations
        return np.asarray(drive if self.service is None else drive + self.service[:, None])

    @cached_property
    def network(self) -> Network:
        """Arcs that some route may drive: the quantities of the decisions."""
        possible = self.demands[:, None] + self.demands[None] <= self.capacity
        np.fill_diagonal(possible, False)
        symmetric = np.array_equal(self.distances, self.distances.T)
        if self.windows is not None:
            opens, closes = self.windows.T
            possible &= opens[:, None] + self.travel <= closes[None]
            possible &= (opens <= closes)[:, None] & (opens <= closes)[None]
        return Network.build(possible, directed=self.windows is not None or not symmetric)

    @cached_property
    def decisions(self) -> Decisions:
        """*At least t vehicles leave the depot*, then *the road is driven*; edges at the depot, once and twice."""
        network, fleet = self.network, self.fleet
        twice = np.flatnonzero((network.tails == 0) & (network.heads > 0) & (not network.directed))
        roads = np.sort(np.concatenate([np.arange(1, len(network)), twice]))
        quantity = np.concatenate([np.full(fleet, VEHICLES), roads])
        second = np.append(False, roads[1:] == roads[:-1]) if roads.size else np.zeros(0, bool)
        threshold = np.concatenate([np.arange(1, fleet + 1), 1 + second])
        entering = [
            (fleet - 1 + np.flatnonzero(network.heads == place)).tolist()
            for place in self.customers
            if network.directed
        ]

        def name(decision: int) -> str:
            least, place = threshold[decision], quantity[decision]
            if place == VEHICLES:
                return f"at least {least} vehicles leave the depot"
            joint = "to" if network.directed else "and"
            often = "twice" if least == 2 else "once"
            return f"{network.tails[place]} {joint} {network.heads[place]}, driven {often}"

        return Decisions(quantity.size, name, quantity, threshold, [group for group in entering if group])

    # -- plans --------------------------------------------------------------------------------------------------

    def length(self, route: Route) -> int:
        """Return the distance of a route, in units of ``1 / scale``."""
        stops = [0, *route, 0]
        return int(self.distances[stops[:-1], stops[1:]].sum())

    def value(self, structure: Plan) -> float:
        """Return the distance of all routes."""
        return sum(map(self.length, structure)) / self.scale

    def late(self, route: Route) -> str | None:
        """Describe the first visit that begins too late; None if every window is respected."""
        if self.windows is None:
            return None
        time, before = int(self.windows[0, 0]), 0
        for place in (*route, 0):
            arrival = time + int(self.travel[before, place])
            opens, closes = self.windows[place].tolist()
            time = max(arrival, opens) if place else arrival
            if time > closes:
                return f"reaches place {place} at {time}, which closes at {closes}"
            before = place
        return None

    def describe(self, structure: Plan, words: Sequence[str] = ()) -> tuple[str, ...]:
        """Describe each route by its places, the depot at both ends."""
        del words
        return tuple("-".join(map(str, (0, *route, 0))) for route in structure)

    def violations(self, structure: Plan) -> list[str]:
        """List empty, overloaded or late routes, customers left out or visited twice, and surplus vehicles."""
        broken: list[str] = []
        visits = np.zeros(self.demands.size, np.int64)
        for number, route in enumerate(structure):
            unknown = [place for place in route if place not in self.customers]
            if unknown or not route:
                fault = f"visits the unknown customer {unknown[0]}" if unknown else "is empty"
                broken.append(f"route {number} {fault}")
                continue
            stops = np.array(route, np.int64)
            np.add.at(visits, stops, 1)
            if (load := int(self.demands[stops].sum())) > self.capacity:
                broken.append(f"route {number} carries {load} of {self.capacity}")
            if late := self.late(tuple(stops.tolist())):
                broken.append(f"route {number} {late}")
        broken += [f"customer {c} is visited {visits[c]} times" for c in self.customers if visits[c] != 1]
        if self.vehicles is not None and len(structure) > self.vehicles:
            broken.append(f"{len(structure)} routes for {self.vehicles} vehicles")
        return broken

    def encode(self, structure: Plan) -> Ints:
        """Return the decisions that hold when every route is driven in the given order."""
        use = np.zeros(len(self.network), np.int64)
        use[VEHICLES] = len(structure)
        for route in structure:
            np.add.at(use, self.network.along(route), 1)
        decisions = self.decisions
        return np.flatnonzero(use[decisions.quantity_index()] >= decisions.thresholds())

    def decode(self, on_ids: Ints) -> Plan:
        """Return the routes along the roads in use; raise `ValueError` if these form no routes."""
        network = self.network
        use = np.bincount(self.decisions.quantity_index()[on_ids], minlength=len(network))
        leaving: dict[int, list[int]] = {}
        for road in np.flatnonzero(use[1:]) + 1:
            a, b = int(network.tails[road]), int(network.heads[road])
            for _ in range(int(use[road])):
                leaving.setdefault(a, []).append(b)
                if not network.directed:
                    leaving.setdefault(b, []).append(a)
        routes: list[Route] = []
        while leaving.get(0):
            before, place, route = 0, leaving[0].pop(), []
            while place:
                route.append(place)
                ahead = leaving.get(place, [])
                if not network.directed:
                    ahead.remove(before)
                if len(ahead) != 1:
                    raise ValueError(f"{len(ahead)} roads leave customer {place}")
                before, place = place, ahead.pop()
            if not network.directed:
                leaving[0].remove(before)
            routes.append(self.oriented(route))
        if any(leaving.values()):
            raise ValueError("customers in a circle without the depot")
        return tuple(sorted(routes))

    def oriented(self, route: Iterable[int]) -> Route:
        """Orient a route: where direction does not matter, the smaller of its two ends comes first."""
        one = tuple(route)
        return one if self.network.directed else min(one, one[::-1])

    def use_limits(self, fixings: Fixings) -> tuple[Ints, Ints]:
        """Return the least and the largest use of each quantity in the plans under the fixings."""
        decisions, network = self.decisions, self.network
        quantity, threshold = decisions.quantity_index(), decisions.thresholds()
        least = np.zeros(len(network), np.int64)
        most = np.bincount(quantity, minlength=len(network))
        least[VEHICLES] = self.fewest
        np.maximum.at(least, quantity[fixings.on], threshold[fixings.on])
        np.minimum.at(most, quantity[fixings.off], threshold[fixings.off] - 1)
        return least, most

    def infeasibility(self) -> list[str]:
        """List customers that no vehicle can serve, and demand beyond the fleet."""
        reasons = [
            f"customer {c} orders {self.demands[c]}, a vehicle carries {self.capacity}"
            for c in self.customers
            if self.demands[c] > self.capacity
        ]
        if self.fleet < self.fewest:
            reasons.append(f"the demand needs {self.fewest} vehicles, there are {self.fleet}")
        if not reasons:
            arcs = self.network.number >= 0
            reasons += [
                f"no route that keeps the windows visits customer {c}"
                for c in self.customers
                if not (arcs[:, c].any() and arcs[c].any())
            ]
        return reasons

    def linear_model(self) -> LinearModel:
        """Build a program over arcs, with loads and times of arrival, for export and as an independent check."""
        return two_index_model(self)

    def to_fields(self) -> dict[str, Any]:
        """Return the constructor's arguments, for files."""
        return {field.name: getattr(self, field.name) for field in attrs.fields(type(self))}
