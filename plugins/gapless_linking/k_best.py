"""The k best choices: Lawler's partition, with the choices that differ in one member known at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import attrs
import numpy as np

from gapless import Stop
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.engine.lawler import KBest, Part, lawler, partition
from gapless_kernels import FoundChoice
from gapless_linking.costs import Costs
from gapless_linking.problem import LinkingProblem

PartSearch = Callable[[BoolArray, IntArray, float], tuple[FoundChoice, Stop]]
"""From the members of a part, a choice among them, and the cost to undercut, to its best choice."""


@attrs.frozen(eq=False)
class _Choice:
    """A choice, and for each member the cost with it instead of that of the same set (inf forbids)."""

    members: IntArray
    swaps: FloatArray


class Listing:
    """The least choices known, and the search for those that are missing.

    All choices that differ in one member from one that was found are known at once: mostly they are the next best,
    and parts need not be searched for what costs as much as the k-th of them. `search`: finds the best choice of a
    part; see `PartSearch`.
    """

    def __init__(self, problem: LinkingProblem, costs: Costs, k: int, search: PartSearch) -> None:
        self.problem, self.costs, self.search = problem, costs, search
        self.set_of = np.repeat(np.arange(problem.k), np.diff(problem.first))
        self.best: KBest[IntArray] = KBest(k)
        self._start = np.zeros(0, np.int64)

    @property
    def choices(self) -> list[IntArray]:
        """At most `k` choices, the least first."""
        return self.best.ranked

    def know(self, members: IntArray, kept: BoolArray | None = None) -> Part[_Choice]:
        """Take in a choice and all that differ from it in one member."""
        costs, slots, best = self.costs, self.problem.slots, self.best
        own = self.set_of
        apart = 2.0 * costs.distances[np.ix_(slots, slots[members])].astype(np.float64)
        apart[np.arange(own.size), own] = 0.0
        cost = float(np.triu(apart[members], 1).sum() + costs.own[members].sum())
        joined = apart.sum(axis=1) + costs.own
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
        return Part(costs.allowed if kept is None else kept, _Choice(members, swaps), -cost)

    def complete(self, members: IntArray) -> Stop:
        """Search the parts around the best choice, then around the next; see `lawler`."""
        return lawler(self.best, self.know(members), self._others, self._search)

    def _search(self, kept: BoolArray) -> tuple[Part[_Choice] | None, Stop]:
        found, stop = self.search(kept, self._start, -self.best.threshold)
        return (None if found.members is None else self.know(found.members, kept)), stop

    def _others(self, part: Part[_Choice]) -> Iterator[BoolArray]:
        """The parts without one choice, each with a choice to begin with.

        Sets that can least do without their member come first: the parts where most is open are those that are
        soonest closed.
        """
        first, members, swaps = self.problem.first, part.structure.members, part.structure.swaps
        open_swaps = np.where(part.kept, swaps, np.inf)
        order = np.argsort(-np.minimum.reduceat(open_swaps, first[:-1]), kind="stable")
        for member, kept in partition(part.kept, members[order].tolist(), self.set_of):
            i = int(self.set_of[member])
            own = slice(first[i], first[i + 1])
            start = members.copy()
            start[i] = first[i] + int(np.argmin(np.where(kept[own], swaps[own], np.inf)))
            if not kept[start[i]]:  # each of them goes where no path leads
                start[i] = first[i] + int(np.argmax(kept[own]))
            self._start = start
            yield kept
