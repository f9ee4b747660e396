"""Pricing graphs of vehicle routing with time windows, drawn like Solomon's, with duals of rounds of pricing.

Customers are spread evenly (R), in clusters (C) or both (RC), demands and windows drawn as Solomon did (*Algorithms
for the vehicle routing and scheduling problems with time window constraints*, 1987); one decimal of distances is
kept, in tenths.
"""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from gapless.rcsp import Additive, LabelSetting, Network, Visits

Floats = npt.NDArray[np.float64]

TENTHS = 10
SERVICE = 10 * TENTHS


@attrs.frozen(eq=False)
class PricingGraph:
    """A pricing problem; the depot is the first vertex and the last.

    Parameters
    ----------
    name : str
    network : Network
    distance : float64 (vertices, vertices)
        Tenths.
    demand : float64 (vertices,)
    capacity : float
    ready, due : float64 (vertices,)
        Tenths.
    duals : list of float64 (vertices,)
        Of some rounds of pricing.
    """

    name: str
    network: Network
    distance: Floats
    demand: Floats
    capacity: float
    ready: Floats
    due: Floats
    duals: list[Floats] = attrs.Factory(list)

    @property
    def time(self) -> Floats:
        """Travel and the service before it, float64 (arcs,)."""
        tails, heads = self.network.tails, self.network.heads
        return self.distance[tails, heads] + np.where(tails == 0, 0, SERVICE)

    def costs(self, duals: Floats) -> Floats:
        """Compute reduced costs as integers, which some peers require, float64 (arcs,)."""
        tails, heads = self.network.tails, self.network.heads
        return self.distance[tails, heads] - np.rint(duals)[heads]

    def labelling(self, visits: Visits | None, windows: bool = True) -> LabelSetting:
        """Build time with its windows, or the length of the day alone, load, and visits."""
        load = Additive(self.demand[self.network.heads], upper=self.capacity)
        if windows:
            time = Additive(self.time, self.ready, self.due, waits=True)
        else:
            time = Additive(self.time, upper=self.due[0])
        return LabelSetting(self.network, [time, load, *([] if visits is None else [visits])])


def drawn(kind: str, customers: int, seed: int, rounds: int = 8) -> PricingGraph:
    """Sample an instance of kind R, C or RC with the duals of `rounds` rounds."""
    rng = np.random.default_rng(seed)
    n = customers + 2
    xy = rng.uniform(0, 100, (n, 2))
    clustered = {"R": 0, "C": customers, "RC": customers // 2}[kind]
    centres = rng.uniform(10, 90, (10, 2))
    xy[1 : 1 + clustered] = centres[rng.integers(0, 10, clustered)] + rng.normal(0, 4, (clustered, 2))
    xy[0] = xy[-1] = (50, 50)
    distance = np.floor(TENTHS * np.linalg.norm(xy[:, None] - xy[None], axis=2))
    demand = np.clip(np.rint(rng.normal(15, 10, n)), 1, 50)
    demand[[0, -1]] = 0
    horizon = 230.0 * TENTHS
    early = distance[0]
    late = horizon - distance[:, 0] - SERVICE
    centre = early + rng.uniform(0, 1, n) * (late - early)
    half = rng.uniform(5, 30, n) * TENTHS
    wide = rng.uniform(0, 1, n) < 0.25
    ready = np.where(wide, 0.0, np.maximum(np.rint(centre - half), 0))
    due = np.where(wide, late, np.minimum(np.rint(centre + half), late))
    ready[[0, -1]], due[[0, -1]] = 0, horizon
    pairs = [(i, j) for i in range(n - 1) for j in range(1, n) if i != j and (i, j) != (0, n - 1)]
    tails, heads = np.array(pairs).T
    graph = PricingGraph(f"{kind}{customers}", Network(tails, heads, 0, n - 1), distance, demand, 200.0, ready, due)
    graph.duals.extend(priced(graph, rounds))
    return graph


def near(graph: PricingGraph, size: int = 8) -> Visits:
    """Build ng-sets of the nearest customers."""
    n = graph.network.vertices
    inner = Visits.nearest(graph.distance[1:-1, 1:-1], size).neighbourhoods
    assert inner is not None
    return Visits([(), *(tuple(v + 1 for v in one) for one in inner), ()][:n])


def priced(graph: PricingGraph, rounds: int) -> list[Floats]:
    """Compute duals of rounds of pricing by ng-routes, from one route for each customer on."""
    from scipy.optimize import linprog  # noqa: PLC0415  of the extra `linking`

    n = graph.network.vertices
    labelling = graph.labelling(near(graph))
    columns = [np.eye(n)[v] for v in range(1, n - 1)]
    prices = [graph.distance[0, v] + graph.distance[v, 0] for v in range(1, n - 1)]
    duals: list[Floats] = []
    while len(duals) < 60:
        matrix = np.array(columns)[:, 1 : n - 1].T
        solved: Any = linprog(prices, A_ub=-matrix, b_ub=-np.ones(n - 2), method="highs")
        dual = np.zeros(n)
        dual[1 : n - 1] = -solved.ineqlin.marginals
        duals.append(dual)
        found = labelling.routes(graph.costs(dual), limit=100, stage="heuristic" if len(duals) < 8 else "exact")
        if not len(found) or found.cost[0] > -n:  # rounded duals: prices may stay that far below zero
            break
        for i in range(len(found)):
            columns.append(np.bincount(found.vertices(i), minlength=n).astype(float))
            arcs = found.route(i)
            prices.append(float(graph.distance[graph.network.tails[arcs], graph.network.heads[arcs]].sum()))
    kept = np.unique(np.linspace(0, len(duals) - 1, rounds).astype(int))
    return [duals[i] for i in kept]


@attrs.frozen(eq=False)
class Priced:
    """A pricing graph with reduced costs, float64 (arcs,)."""

    graph: PricingGraph
    costs: Floats

    @classmethod
    def all_of(cls, graph: PricingGraph) -> list[Priced]:
        """Make one for each of its duals."""
        return [cls(graph, graph.costs(duals)) for duals in graph.duals]
