"""Bounds and proofs for users of PyVRP, which finds good plans but no bounds.

PyVRP is not imported: its objects are asked for what they hold, in the names of versions 0.11 to 0.14.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import gapless as gl
from gapless_vehicle_routing.network import Ints
from gapless_vehicle_routing.problem import LARGEST, Plan, VehicleRoutingProblem

UNLIMITED = 2**40
"""Times and distances from here on limit nothing."""


def bound(
    pyvrp_problem: Any,
    incumbent: Any = None,
    *,
    method: str | None = None,
    limits: gl.Limits | None = None,
    **options: Any,
) -> gl.Result[Plan]:
    """Compute a certified lower bound on the cost of every plan, and a better plan if one is found.

    Parameters
    ----------
    pyvrp_problem : pyvrp.ProblemData or pyvrp.Model
        One depot and one type of vehicle; see `from_pyvrp`.
    incumbent : pyvrp.Result or pyvrp.Solution, optional
        The plan to improve on: ``result.value`` is at most its cost, and ``result.gap`` the
        difference between that and the bound.
    method : str, optional
    limits : Limits, optional
        ``gl.Limits(time=60)`` returns the bound that is proved after a minute.
    **options
        Of the method.

    Returns
    -------
    Result
        Customer c of its plans is PyVRP's client c - 1.

    Raises
    ------
    InvalidProblem
        The problem has something that this example does not solve, or the incumbent is not feasible; the message
        names it.
    """
    data = pyvrp_problem.data() if hasattr(pyvrp_problem, "data") else pyvrp_problem
    problem = from_pyvrp(data)
    start = None if incumbent is None else _plan(problem, data, getattr(incumbent, "best", incumbent))
    return gl.solve(problem, method, limits=limits or gl.Limits(), start=start, **options)


def from_pyvrp(data: Any) -> VehicleRoutingProblem:
    """Convert a ``pyvrp.ProblemData`` with its capacity, windows, service times, and cost of distance.

    A fixed cost of vehicles is spread over the roads at the depot, half on either end of a route.

    Raises
    ------
    InvalidProblem
        Several depots or types of vehicle, several dimensions of load, pick-ups, shipments, reloading, clients that
        may be left out, groups, release times, or limits and costs of duration; the message names the first.
    """
    depots, clients, types = _all(data, "depots"), _all(data, "clients"), _all(data, "vehicle_types")
    _refuse_beyond(data, depots, clients, types)
    vehicle, depot = types[0], depots[0]
    at = [getattr(place, "location", number) for number, place in enumerate([depot, *clients])]
    profile = int(vehicle.profile)
    distances = np.array(data.distance_matrix(profile), np.int64)[np.ix_(at, at)]
    durations = np.array(data.duration_matrix(profile), np.int64)[np.ix_(at, at)]
    np.fill_diagonal(distances, 0)
    np.fill_diagonal(durations, 0)
    if max(distances.max(), durations.max()) > LARGEST:
        raise gl.InvalidProblem("an edge is missing, or longer than 2**40; give one for every pair")
    fixed = int(vehicle.fixed_cost)
    scale = 1 if fixed % 2 == 0 else 2
    if scale * (int(vehicle.unit_distance_cost) * int(distances.max()) + fixed) > LARGEST:
        raise gl.InvalidProblem("an edge and a vehicle together cost more than 2**40; divide all costs")
    distances = scale * int(vehicle.unit_distance_cost) * distances
    distances[0, 1:] += scale * fixed // 2
    distances[1:, 0] += scale * fixed // 2
    loads = [list(client.delivery) or [0] for client in clients]
    capacity = list(vehicle.capacity)
    windows = _windows(depot, vehicle, clients)
    return VehicleRoutingProblem(
        distances=distances,
        demands=[0, *(int(load[0]) for load in loads)],
        capacity=max(1, min(LARGEST, int(capacity[0]))) if capacity else LARGEST,
        vehicles=sum(int(each.num_available) for each in types),
        windows=windows,
        service=None if windows is None else [0, *(int(client.service_duration) for client in clients)],
        durations=None if windows is None else durations,
        scale=scale,
    )


def _all(data: Any, name: str) -> list[Any]:
    return list(getattr(data, name)())


def _windows(depot: Any, vehicle: Any, clients: list[Any]) -> Ints | None:
    """Windows of depot and clients; None where none is narrower than all time."""
    early = max(0, int(getattr(depot, "tw_early", 0)), int(vehicle.tw_early))
    late = min(int(getattr(depot, "tw_late", UNLIMITED)), int(vehicle.tw_late), UNLIMITED)
    spans = [(early, late), *((int(c.tw_early), min(int(c.tw_late), UNLIMITED)) for c in clients)]
    if all(opens <= early and closes >= UNLIMITED for opens, closes in spans):
        return None
    return np.array(spans, np.int64)


def _refuse_beyond(data: Any, depots: list[Any], clients: list[Any], types: list[Any]) -> None:
    """Raise `InvalidProblem` for the first thing that `VehicleRoutingProblem` cannot say."""
    for reason in _beyond(data, depots, clients, types):
        raise gl.InvalidProblem(f"{reason}, which this example does not solve")


def _beyond(data: Any, depots: list[Any], clients: list[Any], types: list[Any]) -> Iterator[str]:
    if len(depots) != 1:
        yield f"there are {len(depots)} depots"
    if not clients:
        yield "there are no clients"
    if not types or any(_words(one) != _words(types[0]) for one in types):
        yield f"there are {len(types)} types of vehicle that differ"
    if int(getattr(depots[0], "service_duration", 0)):
        yield "the depot has a service duration"
    for name in ("groups", "shipments"):
        if hasattr(data, name) and _all(data, name):
            yield f"there are {name}"
    vehicle = types[0]
    if len(vehicle.capacity) > 1:
        yield f"loads have {len(vehicle.capacity)} dimensions"
    for name in ("unit_duration_cost", "unit_overtime_cost", "max_overtime"):
        if int(getattr(vehicle, name, 0)):
            yield f"{name} of a vehicle is {getattr(vehicle, name)}"
    for name in ("max_duration", "shift_duration", "max_distance", "start_late"):
        limit = getattr(vehicle, name, None)
        if limit is not None and int(limit) < min(UNLIMITED, int(vehicle.tw_late)):
            yield f"{name} of a vehicle is {getattr(vehicle, name)}"
    for name in ("reload_depots", "initial_load"):
        if any(True for each in getattr(vehicle, name, ()) if name == "reload_depots" or int(each)):
            yield f"{name} of a vehicle is not empty"
    for number, client in enumerate(clients):
        if not client.required:
            yield f"client {number} may be left out"
        if any(map(int, client.pickup)):
            yield f"client {number} has a pick-up"
        if int(client.release_time):
            yield f"client {number} has a release time"


def _words(vehicle: Any) -> tuple[Any, ...]:
    """All that tells one type of vehicle from another, except its number and its name."""
    names = (name for name in dir(vehicle) if not name.startswith("_") and name not in ("name", "num_available"))
    return tuple((name, str(value)) for name in names if not callable(value := getattr(vehicle, name)))


def _plan(problem: VehicleRoutingProblem, data: Any, solution: Any) -> Plan:
    """The routes of a ``pyvrp.Solution``."""
    depots = len(_all(data, "depots"))
    routes = []
    for route in solution.routes():
        if hasattr(route, "visits"):  # up to 0.12: numbers of locations, depots first
            clients = [int(place) - depots for place in route.visits()]
        else:
            clients = [int(stop.idx) for stop in route if stop.is_client()]
        routes.append(problem.oriented(client + 1 for client in clients))
    plan = tuple(sorted(route for route in routes if route))
    if broken := problem.violations(plan):
        raise gl.InvalidProblem(f"the incumbent is not feasible: {broken[0]}")
    return plan
