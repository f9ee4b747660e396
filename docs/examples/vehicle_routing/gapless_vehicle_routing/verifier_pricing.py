"""A plain dynamic program for the cheapest walk, in whole numbers: the verifier's own, apart from pricing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gapless.roles import charge_work
from gapless_vehicle_routing.completions import FORBIDDEN, by_time, by_weight
from gapless_vehicle_routing.dominance import Dominance
from gapless_vehicle_routing.network import Ints
from gapless_vehicle_routing.problem import VehicleRoutingProblem

MOST_NEIGHBOURS = 62
"""Bits of a walk's memory."""

WORD = 62
"""Bits of a word."""

Paid = tuple[Sequence[int], Sequence[int], int]
"""Members, memory and price of a subset row."""


def largest_cost(problem: VehicleRoutingProblem) -> int:
    """Limit the cost of an arc, and a price, so that the cost of the longest walk stays below `FORBIDDEN`."""
    return int(min(2**45, 2**58 // (problem.room // int(problem.weights[1:].min()) + 2)))


def least_cost(
    problem: VehicleRoutingProblem, costs: Ints, neighbourhood: int, floor: int, paid: Sequence[Paid] = ()
) -> int:
    """Find the least cost of a walk from depot to depot, or return `floor` if none costs less.

    Walks keep capacity and windows; at a customer they remember those of its `neighbourhood` nearest customers,
    itself included, that they have visited, and do not return to what they remember. Every route is such a walk, so
    this bounds the cost of all routes.

    Parameters
    ----------
    problem : VehicleRoutingProblem
    costs : int64 (n + 1, n + 1)
        `FORBIDDEN` where an arc may not be driven.
    neighbourhood : int
        From 1 to `MOST_NEIGHBOURS`.
    floor : int
        At most 0. Walks that cannot cost less than this are given up early.
    paid : sequence of (members, memory, price)
        Subset rows: a walk pays the price, at least 0, at every second visit to the members between which it stays
        within the memory.
    """
    places, weights, room = problem.demands.size, problem.weights, problem.room
    near, slot = _neighbours(problem, neighbourhood)
    turns = slot < 0
    load, hours = by_weight(problem, costs, turns), by_time(problem, costs, turns)
    windows = problem.windows
    travel = problem.travel if windows is not None else np.zeros_like(costs)
    none = np.zeros(places, np.int64)
    opens, closes = (none, none) if windows is None else (windows[:, 0], windows[:, 1])
    halves = _Halves(places, paid)
    dominance = Dominance(places, np.array([price for *_, price in paid], np.int64), WORD)
    # (place, memory, time, cost, halves) of all walks of one weight; the first one stands in the depot.
    waiting: dict[int, list[Ints]] = {0: [np.append([0, 0, opens[0], 0], halves.none)[:, None]]}
    found = floor
    while waiting:
        weight = min(waiting)
        walks = dominance.keep(_frontier(np.concatenate(waiting.pop(weight), axis=1)))
        place, memory, time, cost = walks[:4]
        back = cost + costs[place, 0]
        back[(place == 0) | (time + travel[place, 0] > closes[0])] = FORBIDDEN
        found = min(found, int(back.min(initial=FORBIDDEN)))
        for to in range(1, places):
            charge_work(50.0 * place.size, 1)  # before each: a million walks take a second
            if weight + weights[to] > room:
                continue
            there = cost + costs[place, to]
            arrival = np.maximum(time + travel[place, to], opens[to])
            bit = slot[place, to]
            free = (bit < 0) | ((memory >> np.maximum(bit, 0)) & 1 == 0)
            onward = load.bound(place, np.array(to), np.array(room - weight - int(weights[to])))
            if hours is not None:
                onward = np.maximum(onward, hours.bound(place, np.array(to), closes[0] - arrival))
            good = np.flatnonzero(free & (arrival <= closes[to]) & (there + onward < floor))
            due, after = halves.visit(to, walks[4:, good])
            there = there[good] + due
            fits = there + onward[good] < floor
            good, there, after = good[fits], there[fits], after[:, fits]
            if not good.size:
                continue
            kept = np.full(good.size, 1 << int(slot[to, to]), np.int64)
            for at in range(near.shape[1]):  # what was remembered there, if it is a neighbour here
                known = near[place[good], at]
                mine = np.where(known > 0, slot[to, known], -1)
                held = (memory[good] >> at) & (mine >= 0)
                kept |= held << np.maximum(mine, 0)
            step = np.concatenate([[np.full(good.size, to), kept, arrival[good], there], after])
            waiting.setdefault(weight + int(weights[to]), []).append(step)
    return found


class _Halves:
    """Of the subset rows, those of which a walk has half a unit: a bit for each, in words of 62."""

    def __init__(self, places: int, paid: Sequence[Paid]) -> None:
        self.none = np.zeros(-(-len(paid) // WORD), np.int64)
        self.kept, self.inside = np.zeros((2, places, self.none.size), np.int64)
        self.due: list[list[tuple[int, int, int]]] = [[] for _ in range(places)]
        for number, (members, memory, price) in enumerate(paid):
            word, bit = divmod(number, WORD)
            self.kept[list(memory), word] |= 1 << bit
            self.inside[list(members), word] |= 1 << bit
            for place in members:
                self.due[place].append((word, bit, price))

    def visit(self, to: int, words: Ints) -> tuple[Ints, Ints]:
        """Return what each walk pays when it visits a place, and its halves after that."""
        words = words & self.kept[to, :, None]
        due = np.zeros(words.shape[1], np.int64)
        for word, bit, price in self.due[to]:
            due += (words[word] >> bit & 1) * price
        return due, words ^ self.inside[to, :, None]


def _neighbours(problem: VehicleRoutingProblem, size: int) -> tuple[Ints, Ints]:
    """Members of each neighbourhood, int64 (n + 1, size), and their slots, int64 (n + 1, n + 1); -1 for none."""
    places = problem.demands.size
    size = min(size, places - 1)
    near, slot = np.full((places, size), -1, np.int64), np.full((places, places), -1, np.int64)
    for place in range(1, places):
        far = [int(problem.distances[place, c] + problem.distances[c, place]) for c in range(places)]
        ranked = sorted((c for c in range(1, places) if c != place), key=lambda c: (far[c], c))
        near[place] = [place, *ranked[: size - 1]]
        slot[place, near[place]] = np.arange(size)
    return near, slot


def _frontier(walks: Ints) -> Ints:
    """Of the walks with one place, memory, weight and halves, those that no earlier one undercuts."""
    same = np.concatenate([walks[:2], walks[4:]])
    walks = walks[:, np.lexsort([walks[3], walks[2], *same[::-1]])]
    same, cost = np.concatenate([walks[:2], walks[4:]]), walks[3]
    group = np.cumsum(np.append(0, np.any(np.diff(same) != 0, axis=0)))
    # Costs of later groups are shifted below those of earlier ones, so that one running minimum serves all.
    rank = np.argsort(np.argsort(cost, kind="stable"), kind="stable") - group * cost.size
    lowest = np.minimum.accumulate(rank)
    return np.asarray(walks[:, np.append(True, rank[1:] < lowest[:-1])])
