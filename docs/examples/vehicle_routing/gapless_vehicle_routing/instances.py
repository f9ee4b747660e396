"""Random instances like those of the literature."""

from __future__ import annotations

import numpy as np

from gapless_vehicle_routing.problem import VehicleRoutingProblem


def random_instance(
    seed: int,
    customers: int,
    *,
    vehicles: int | None = None,
    windows: bool = False,
    per_route: float = 4.0,
    side: int = 100,
) -> VehicleRoutingProblem:
    """Draw places in a square, with rounded Euclidean distances and demands of 1 to 20.

    Parameters
    ----------
    seed : int
    customers : int
    vehicles : int, optional
    windows : bool
        Whether visits have windows, that the tour of one vehicle to one customer keeps, and take 10.
    per_route : float
        Customers that fill a vehicle, on average.
    side : int
        Of the square. A short one makes ties, and customers at the same place.
    """
    rng = np.random.default_rng(seed)
    places = rng.integers(0, side + 1, (customers + 1, 2)).astype(float)
    distances = np.rint(np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))).astype(np.int64)
    demands = np.append(0, rng.integers(1, 21, customers))
    capacity = max(int(demands.max()), round(float(demands.mean()) * per_route))
    if not windows:
        return VehicleRoutingProblem(distances, demands, capacity, vehicles, places=places)
    service = np.append(0, np.full(customers, 10))
    horizon = 400
    centre = rng.integers(distances[0], horizon - distances[0] - service, endpoint=True)
    width = rng.integers(10, 100, customers + 1)
    opens = np.maximum(distances[0], centre - width)
    closes = np.minimum(centre + width, horizon - distances[0] - service)
    spans = np.column_stack([opens, closes])
    spans[0] = 0, horizon
    return VehicleRoutingProblem(distances, demands, capacity, vehicles, spans, service, places=places)
