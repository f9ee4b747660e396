"""Cheap routes by labelling with one partial route for each place and weight: the first stage of pricing."""

from __future__ import annotations

import numpy as np

from gapless_vehicle_routing.labels import NEVER, STEPS, Floats
from gapless_vehicle_routing.problem import Route, VehicleRoutingProblem


class HeuristicLabelling:
    """The cheapest partial route of each weight to each place, extended without a second visit to any customer.

    Parameters
    ----------
    problem : VehicleRoutingProblem
    """

    def __init__(self, problem: VehicleRoutingProblem) -> None:
        self.problem = problem
        self.order = np.argsort(problem.weights[1:], kind="stable") + 1

    def walks(self, costs: Floats, *, below: float = -1e-9, limit: int = 50) -> list[Route]:
        """Routes that cost less than `below`, at most `limit`, the cheapest first, each set of customers once.

        None where vehicles hold more than some thousand units of weight: the table would be too large.
        """
        problem = self.problem
        places, weights, room, windows = problem.demands.size, problem.weights, problem.room, problem.windows
        if room > STEPS:
            return []
        timed = windows is not None
        opens, closes = (np.zeros(places, np.int64), np.full(places, NEVER)) if windows is None else windows.T
        best, time = np.full((room + 1, places), np.inf), np.zeros((room + 1, places), np.int64)
        before = np.zeros((room + 1, places), np.int64)
        visited = np.zeros((room + 1, places, places), bool)
        best[0, 0], time[0, 0] = 0.0, opens[0]
        inward = costs.T
        for weight in range(1, room + 1):
            to = self.order[: np.searchsorted(weights[self.order], weight, side="right")]
            if not to.size:
                continue
            old = weight - weights[to]
            made = best[old] + inward[to]
            made[visited[old, :, to]] = np.inf
            if timed:
                arrival = np.maximum(time[old] + problem.travel[:, to].T, opens[to, None])
                made[arrival > closes[to, None]] = np.inf
            chosen, rows = made.argmin(axis=1), np.arange(to.size)
            best[weight, to] = made[rows, chosen]
            before[weight, to] = chosen
            visited[weight, to] = visited[old, chosen]
            visited[weight, to, to] = True
            if timed:
                time[weight, to] = arrival[rows, chosen]
        home = best + costs[:, 0]
        home[:, 0] = np.inf
        if timed:
            home[time + problem.travel[:, 0] > closes[0]] = np.inf
        cheap = np.flatnonzero(home.ravel() < below)
        cheap = cheap[np.argsort(home.ravel()[cheap], kind="stable")]
        routes: dict[bytes, Route] = {}
        for end in cheap.tolist():
            weight, place = divmod(end, places)
            key = visited[weight, place].tobytes()
            if key in routes:
                continue
            route = []
            while place:
                route.append(place)
                weight, place = weight - int(weights[place]), int(before[weight, place])
            routes[key] = tuple(reversed(route))
            if len(routes) == limit:
                break
        return list(routes.values())
