"""Cheapest walks from the depot to the depot: resource-constrained shortest paths with ng-route memories.

A walk may visit a customer again once it has forgotten it: at a customer it remembers only the members of that
customer's neighbourhood (Baldacci, Mingozzi and Roberti 2011). Every route is such a walk, so their minimum bounds
the routes.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless_vehicle_routing.network import Ints
from gapless_vehicle_routing.problem import Route, VehicleRoutingProblem

NEVER = np.iinfo(np.int64).max // 4
TABLE = 14
"""Largest neighbourhood whose subsets are kept as a table."""

STEPS = 4000
"""Steps of weight in the table of completion bounds; heavier problems round weights down to them."""

Floats = NDArray[np.float64]


def nearest(problem: VehicleRoutingProblem, size: int) -> list[Ints]:
    """Neighbourhood of each customer, itself first: those nearest, there and back; empty for the depot."""
    between = (problem.distances + problem.distances.T)[1:, 1:].astype(np.float64)
    np.fill_diagonal(between, -1)
    order = np.argsort(between, axis=1, kind="stable")[:, :size] + 1
    return [np.zeros(0, np.int64), *order]


@attrs.frozen(eq=False)
class Walks:
    """Walks of negative cost, and what bounds those that are missing.

    Parameters
    ----------
    walks : sequence of Route
        Customers in the order of their visits, the cheapest walk first; none is the same set at a higher cost.
    costs : float64 (walks,)
    least : float
        No walk costs less; `below` at most.
    least_per_weight : float
        No walk costs less than this times its weight; `below` at most.
    labels : int
        Partial walks that were kept.
    """

    walks: Sequence[Route]
    costs: Floats
    least: float
    least_per_weight: float
    labels: int


@attrs.frozen(eq=False)
class _Labels:
    """Partial walks.

    Parameters
    ----------
    state : int64 (4, labels)
        Last place, memory there (a bit for each neighbour), time, and number of the label before.
    cost : float64 (labels,)
    """

    state: Ints
    cost: Floats

    def __len__(self) -> int:
        return self.cost.size

    @property
    def place(self) -> Ints:
        return np.asarray(self.state[0])

    @property
    def memory(self) -> Ints:
        return np.asarray(self.state[1])

    @property
    def time(self) -> Ints:
        return np.asarray(self.state[2])

    def take(self, chosen: NDArray[np.int64] | NDArray[np.bool_]) -> _Labels:
        return _Labels(self.state[:, chosen], self.cost[chosen])

    @classmethod
    def joined(cls, parts: Sequence[_Labels]) -> _Labels:
        if len(parts) == 1:
            return parts[0]
        return cls(np.concatenate([p.state for p in parts], axis=1), np.concatenate([p.cost for p in parts]))


class Labelling:
    """Forward labelling in order of weight, with completion bounds by walks without memory.

    Parameters
    ----------
    problem : VehicleRoutingProblem
    neighbourhood : int
        Customers in each ng-neighbourhood, itself included; at most 14.
    """

    def __init__(self, problem: VehicleRoutingProblem, neighbourhood: int = 8) -> None:
        self.problem, self.places = problem, problem.demands.size
        self.weights, self.room = problem.weights, problem.room
        self.step = -(-self.room // STEPS)
        self.near = nearest(problem, min(neighbourhood, TABLE))
        self.size = max(map(len, self.near))
        self.timed = problem.windows is not None
        self._lay_out()

    def _lay_out(self) -> None:
        """Bit of each customer in each neighbourhood, and the memory that a step keeps."""
        places, sets = self.places, 1 << self.size
        bit = np.full((places, places), -1, np.int64)
        for place, members in enumerate(self.near):
            bit[place, members] = np.arange(members.size)
        self.bit = bit
        subsets = np.arange(sets)
        self.kept = np.zeros((places, places, sets), np.int32)
        for a in range(1, places):
            for member, b_bits in zip(self.near[a].tolist(), bit[:, self.near[a]].T, strict=True):
                held = (subsets >> int(bit[a, member]) & 1).astype(bool)
                known = np.flatnonzero(b_bits >= 0)
                self.kept[a, known] |= np.where(held[None], (1 << b_bits[known])[:, None], 0).astype(np.int32)
        windows = self.problem.windows
        self.opens = np.zeros(places, np.int64) if windows is None else windows[:, 0]
        self.closes = np.full(places, NEVER) if windows is None else windows[:, 1]
        self.travel = self.problem.travel if self.timed else np.zeros((places, places), np.int64)
        drivable = self.problem.network.number >= 0
        self.after = [np.flatnonzero(drivable[a, 1:]) + 1 for a in range(places)]

    def walks(self, costs: Floats, *, below: float = -1e-9, limit: int = 50) -> Walks:
        """The cheapest walks under arc costs, float64 (n + 1, n + 1), infinite where an arc is forbidden.

        Parameters
        ----------
        below : float
            Only walks that cost less are sought; at most 0.
        limit : int
            Number of walks to return.
        """
        to_depot = self._completions(costs)
        dominance = _Dominance(self.places, self.size, timed=self.timed)
        start = np.array([[0], [0], [self.opens[0]], [-1]], np.int64)
        buckets = {0: [_Labels(start, np.zeros(1))]}
        kept: list[_Labels] = []
        count = 0
        ends: list[tuple[float, int]] = []
        least = least_per_weight = below
        while buckets:
            weight = min(buckets)
            labels = dominance.keep(_Labels.joined(buckets.pop(weight)))
            if not len(labels):
                continue
            home = labels.cost + costs[labels.place, 0]
            home[labels.place == 0] = np.inf
            home[labels.time + self.travel[labels.place, 0] > self.closes[0]] = np.inf
            cheap = np.flatnonzero(home < below)
            if cheap.size:
                best = cheap[np.argsort(home[cheap], kind="stable")[: 4 * limit]]
                ends += zip(home[best].tolist(), (best + count).tolist(), strict=True)
                least = min(least, float(home[best[0]]))
                least_per_weight = min(least_per_weight, float(home[best[0]]) / weight)
            self._extend(labels, count, weight, costs, to_depot, below, buckets)
            kept.append(labels)
            count += len(labels)
        found = _traced(ends, _Labels.joined(kept), limit)
        walks, walk_costs = [walk for _, walk in found], np.array([cost for cost, _ in found])
        return Walks(walks, walk_costs, least, least_per_weight, count)

    def _extend(
        self,
        labels: _Labels,
        first: int,
        weight: int,
        costs: Floats,
        to_depot: Floats,
        below: float,
        buckets: dict[int, list[_Labels]],
    ) -> None:
        """Enter every step that may still end below the limit into its bucket; labels are numbered from `first`."""
        ahead = np.flatnonzero(self.weights + weight <= self.room)[1:]
        if not ahead.size:
            return
        left = (self.room - weight - self.weights[ahead]) // self.step
        onwards = costs[:, ahead] + to_depot[ahead, left]
        which, step = np.nonzero(labels.cost[:, None] + onwards[labels.place] < below)
        here, to = labels.place[which], ahead[step]
        bits = self.bit[here, to]
        time = np.maximum(labels.time[which] + self.travel[here, to], self.opens[to])
        free = (bits < 0) | ((labels.memory[which] >> np.maximum(bits, 0)) & 1 == 0)
        good = np.flatnonzero(free & (time <= self.closes[to]))
        if not good.size:
            return
        which, here, to = which[good], here[good], to[good]
        heavy = weight + self.weights[to]
        order = np.argsort(heavy, kind="stable")
        which, here, to, heavy, time = which[order], here[order], to[order], heavy[order], time[good][order]
        memory = self.kept[here, to, labels.memory[which]] | 1 << self.bit[to, to]
        made = _Labels(np.array([to, memory, time, first + which]), labels.cost[which] + costs[here, to])
        starts = np.flatnonzero(np.append(True, heavy[1:] > heavy[:-1])).tolist()
        for begin, end in zip(starts, [*starts[1:], heavy.size], strict=True):
            part = _Labels(made.state[:, begin:end], made.cost[begin:end])
            buckets.setdefault(int(heavy[begin]), []).append(part)

    def _completions(self, costs: Floats) -> Floats:
        """Least cost from each place to the depot in walks of at most so much weight, float64 (n + 1, steps)."""
        coarse = self.weights[1:] // self.step
        customers, width = np.arange(1, self.places), self.room // self.step + 1
        if coarse.min() < 1:
            return np.full((self.places, width), -np.inf)  # too fine: every walk may end as cheaply as you like
        best = np.full((self.places, width), np.inf)
        best[:, 0] = costs[:, 0]
        inner = costs[:, customers]
        for left in range(1, width):
            rest = left - coarse
            ahead = np.where(rest >= 0, best[customers, np.maximum(rest, 0)], np.inf)
            best[:, left] = np.minimum(best[:, left - 1], (inner + ahead).min(axis=1))
        return best


def _traced(ends: list[tuple[float, int]], labels: _Labels, limit: int) -> list[tuple[float, Route]]:
    """Costs and walks of the cheapest ends, each set of customers once."""
    walks: dict[tuple[int, ...], tuple[float, Route]] = {}
    place, before = labels.state[0], labels.state[3]
    for cost, end in sorted(ends):
        walk, at = [], end
        while before[at] >= 0:
            walk.append(int(place[at]))
            at = int(before[at])
        walks.setdefault(tuple(sorted(walk)), (cost, tuple(reversed(walk))))
        if len(walks) == limit:
            break
    return list(walks.values())


class _Dominance:
    """Drops partial walks that another one can replace: no later, no dearer, no heavier, remembering no more."""

    def __init__(self, places: int, size: int, *, timed: bool) -> None:
        self.timed, self.size = timed, size
        self.best = np.full((places, 1 << size), np.inf)
        """Least cost seen with at most this memory; where there are no windows."""
        self.seen: dict[int, _Labels] = {}

    def keep(self, labels: _Labels) -> _Labels:
        """Labels of one weight that no label of this or a smaller weight replaces."""
        order = np.lexsort((labels.time, labels.cost, labels.memory, labels.place))
        labels = labels.take(order)
        return self._against_seen(labels) if self.timed else self._against_table(labels)

    def _against_table(self, labels: _Labels) -> _Labels:
        first = np.append(True, (np.diff(labels.place) > 0) | (np.diff(labels.memory) > 0))
        labels = labels.take(first)
        labels = labels.take(labels.cost < self.best[labels.place, labels.memory])
        here = np.unique(labels.place)
        mine = self.best[here]
        mine[np.searchsorted(here, labels.place), labels.memory] = labels.cost
        subsets = np.arange(1 << self.size)
        for bit in range(self.size):
            without = subsets[(subsets >> bit) & 1 == 0]
            mine[:, without | 1 << bit] = np.minimum(mine[:, without | 1 << bit], mine[:, without])
        self.best[here] = mine
        return labels.take(labels.cost <= self.best[labels.place, labels.memory])

    def _against_seen(self, labels: _Labels) -> _Labels:
        parts = []
        for place in np.unique(labels.place).tolist():
            mine = labels.take(np.flatnonzero(labels.place == place))
            order = np.lexsort((mine.memory, mine.time, mine.cost))
            mine = mine.take(order)
            seen = self.seen.get(place)
            if seen is not None:
                mine = mine.take(~_replaced(mine, seen))
            mine = mine.take(~_replaced(mine, mine, earlier=True))
            if len(mine):
                self.seen[place] = mine if seen is None else _Labels.joined([seen, mine])
                parts.append(mine)
        return _Labels.joined(parts) if parts else labels.take(np.zeros(0, np.int64))


def _replaced(labels: _Labels, by: _Labels, *, earlier: bool = False) -> NDArray[np.bool_]:
    """Mask of `labels` that one of `by` replaces; with `earlier`, one that precedes it in the same order."""
    gone = np.zeros(labels.place.size, bool)
    step = max(1, 2_000_000 // max(1, by.place.size))
    for begin in range(0, gone.size, step):
        part = slice(begin, begin + step)
        better = by.cost[None] <= labels.cost[part, None]
        better &= by.time[None] <= labels.time[part, None]
        better &= (by.memory[None] & ~labels.memory[part, None]) == 0
        if earlier:
            better &= np.arange(gone.size)[None] < np.arange(gone.size)[part, None]
        gone[part] = better.any(axis=1)
    return gone
