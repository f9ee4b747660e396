"""The k best choices: Lawler's partition around each choice that was found, each part searched for its best."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np

from gapless import Stop
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless_kernels import FoundChoice
from gapless_linking.costs import Costs
from gapless_linking.problem import LinkingProblem

PartSearch = Callable[[BoolArray, IntArray, float], tuple[FoundChoice, Stop]]
"""From the members of a part, a choice among them, and what must be undercut, to its best choice."""


class Listing:
    """The least choices known, and the search for those that are missing.

    All choices that differ in one member from one that was found are known at once: mostly they are the next best,
    and parts need not be searched for what costs as much as the k-th of them.

    Parameters
    ----------
    problem : LinkingProblem
    costs : Costs
    k : int
        How many choices are wanted.
    search : callable
        Finds the best choice of a part; see `PartSearch`.
    """

    def __init__(self, problem: LinkingProblem, costs: Costs, k: int, search: PartSearch) -> None:
        self.problem, self.costs, self.k, self.search = problem, costs, k, search
        self.set_of = np.repeat(np.arange(problem.k), np.diff(problem.first))
        self.known: dict[bytes, tuple[float, IntArray]] = {}
        self.largest: list[float] = []
        """Minus the `k` least costs known: a heap, the largest of these costs first."""

    @property
    def threshold(self) -> float:
        """What a choice must undercut to enter the list."""
        return -self.largest[0] if len(self.largest) == self.k else math.inf

    @property
    def choices(self) -> list[IntArray]:
        """At most `k` choices, the least first."""
        order = sorted(self.known.values(), key=lambda entry: entry[0])
        return [members for _, members in order[: self.k]]

    def know(self, members: IntArray) -> tuple[float, FloatArray]:
        """Take in a choice and all that differ from it in one member.

        Returns
        -------
        cost : float
            What it costs beyond what is least in each set.
        swaps : float64 (N,)
            What it would cost with each member instead of that of the same set; inf forbids.
        """
        costs, slots = self.costs, self.problem.slots
        own = self.set_of
        apart = 2.0 * costs.distances[np.ix_(slots, slots[members])].astype(np.float64)
        apart[np.arange(own.size), own] = 0.0
        cost = float(np.triu(apart[members], 1).sum() + costs.own[members].sum())
        joined = apart.sum(axis=1) + costs.own
        swaps = cost - joined[members][own] + joined
        swaps[~costs.allowed | (swaps >= costs.limit)] = np.inf
        swaps[members] = np.inf
        self._enter(cost, members)
        for member in np.argsort(swaps, kind="stable")[: self.k].tolist():
            if not swaps[member] < self.threshold:
                break
            other = members.copy()
            other[own[member]] = member
            self._enter(float(swaps[member]), other)
        return cost, swaps

    def _enter(self, cost: float, members: IntArray) -> None:
        key = members.tobytes()
        if key not in self.known and cost < self.threshold:
            self.known[key] = cost, members
            heapq.heappush(self.largest, -cost)
            if len(self.largest) > self.k:
                heapq.heappop(self.largest)

    def complete(self, best: IntArray) -> Stop:
        """Search the parts around the best choice, then around the next, until nothing that is missing is cheaper.

        Returns
        -------
        Stop
            PROVED where the list is complete; RELAXED where it is but for what the rounding of large costs hides.
        """
        numbers, outcome = itertools.count(), Stop.PROVED
        cost, swaps = self.know(best)
        heap = [(cost, next(numbers), best, swaps, self.costs.allowed)]
        while heap and heap[0][0] < self.threshold:
            _, _, members, swaps, may = heapq.heappop(heap)
            for part, start in self._others(members, swaps, may):
                found, stop = self.search(part, start, self.threshold)
                if found.members is not None:
                    cost, around = self.know(found.members)
                    heapq.heappush(heap, (cost, next(numbers), found.members, around, part))
                if stop is Stop.RELAXED:
                    outcome = stop
                elif stop is not Stop.PROVED:
                    return stop
        return outcome

    def _others(self, members: IntArray, swaps: FloatArray, may: BoolArray) -> Iterator[tuple[BoolArray, IntArray]]:
        """The parts of `may` without one choice, each with a choice to begin with.

        Some sets keep their member, and the next one has another. Sets that can least do without theirs come first:
        the parts where most is open are those that are soonest closed.
        """
        first = self.problem.first
        open_swaps = np.where(may, swaps, np.inf)
        order = np.argsort(-np.minimum.reduceat(open_swaps, first[:-1]), kind="stable")
        left = may.copy()
        for i in order.tolist():
            own = slice(first[i], first[i + 1])
            part = left.copy()
            part[members[i]] = False
            if part[own].any():
                start = members.copy()
                start[i] = first[i] + int(np.argmin(np.where(part[own], swaps[own], np.inf)))
                if not part[start[i]]:  # each of them goes where no path leads
                    start[i] = first[i] + int(np.argmax(part[own]))
                yield part, start
            left[own] = False
            left[members[i]] = True
