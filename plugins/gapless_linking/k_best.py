"""The k best choices: Lawler's partition; choices that differ in one candidate need no search."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import attrs
import numpy as np

from gapless import Stop
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.tree_search.lawler import KBestPool, SubspaceOptimum, lawler, partition
from gapless_kernels import LinkingSearchResult
from gapless_linking.costs import Costs
from gapless_linking.problem import LinkingProblem

PartSearch = Callable[[BoolArray, IntArray, float], tuple[LinkingSearchResult, Stop]]
"""Maps the candidates of a part, a choice among them and the cost to undercut to the best choice of the part."""


@attrs.frozen(eq=False)
class _Choice:
    """A choice, and for each member the cost with it instead of that of the same set (inf forbids)."""

    members: IntArray
    swaps: FloatArray


class KBestChoices:
    """The least choices known, and the search for those that are missing.

    All choices that differ in one candidate from a known choice are evaluated at once. They mostly are the next
    best, and parts are searched only for choices that cost less than the k-th of them. `search`: finds the best
    choice of a part; see `PartSearch`.
    """

    def __init__(self, problem: LinkingProblem, costs: Costs, k: int, search: PartSearch) -> None:
        self.problem, self.costs, self.search = problem, costs, search
        self.set_of = problem.set_of
        self.best: KBestPool[IntArray] = KBestPool(k)
        self._start = np.zeros(0, np.int64)

    @property
    def choices(self) -> list[IntArray]:
        """At most `k` choices, the least first."""
        return self.best.ranked

    def know(self, members: IntArray, allowed: BoolArray | None = None) -> SubspaceOptimum[_Choice]:
        """Record a choice and all that differ from it in one candidate."""
        costs, slots, best = self.costs, self.problem.slots, self.best
        own = self.set_of
        lengths = 2.0 * costs.distances[np.ix_(slots, slots[members])].astype(np.float64)
        # A candidate replaces the one of its own set, so their distance does not count.
        lengths[np.arange(own.size), own] = 0.0
        cost = float(np.triu(lengths[members], 1).sum() + costs.own[members].sum())
        joined = lengths.sum(axis=1) + costs.own
        swaps = cost - joined[members][own] + joined
        swaps[~costs.allowed | (swaps >= costs.limit)] = np.inf
        swaps[members] = np.inf
        best.enter(members.tobytes(), -cost, members)
        for member in np.argsort(swaps, kind="stable")[: best.k].tolist():
            if not -swaps[member] > best.threshold:
                break
            other = members.copy()
            other[own[member]] = member
            best.enter(other.tobytes(), -float(swaps[member]), other)
        return SubspaceOptimum(costs.allowed if allowed is None else allowed, _Choice(members, swaps), -cost)

    def complete(self, members: IntArray) -> Stop:
        """Search the parts around the best choice, then around the next; see `lawler`."""
        return lawler(self.best, self.know(members), self._others, self._search)

    def _search(self, allowed: BoolArray) -> tuple[SubspaceOptimum[_Choice] | None, Stop]:
        outcome, stop = self.search(allowed, self._start, -self.best.threshold)
        return (None if outcome.members is None else self.know(outcome.members, allowed)), stop

    def _others(self, part: SubspaceOptimum[_Choice]) -> Iterator[BoolArray]:
        """Yield the parts without one choice, and store a choice to start each from.

        Sets that can least do without their member come first: the parts where most is open are those that are
        soonest closed.
        """
        first, members, swaps = self.problem.first, part.structure.members, part.structure.swaps
        open_swaps = np.where(part.allowed, swaps, np.inf)
        order = np.argsort(-np.minimum.reduceat(open_swaps, first[:-1]), kind="stable")
        for member, allowed in partition(part.allowed, members[order].tolist(), self.set_of):
            i = int(self.set_of[member])
            own = slice(first[i], first[i + 1])
            start = members.copy()
            start[i] = first[i] + int(np.argmin(np.where(allowed[own], swaps[own], np.inf)))
            if not allowed[start[i]]:  # none of them is connected
                start[i] = first[i] + int(np.argmax(allowed[own]))
            self._start = start
            yield allowed
