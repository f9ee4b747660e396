"""The k best structures over any search for one best: Lawler's partition.

Source: Lawler, A procedure for computing the k best solutions to discrete optimization problems, Management
Science 18, 1972. The structures other than one that was found are partitioned: in part i the first i - 1 choices
are those of the structure, and the i-th is another. Each part is searched for its own best; the best of all parts
is the next best structure, and its part is partitioned in turn. Bounds, fixing and enumeration inside the search
stay what they are.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

import attrs
from numpy.typing import NDArray

from gapless.core.limits import Stop
from gapless.core.sparse import IntArray

S = TypeVar("S")


class KBest(Generic[S]):
    """The k best structures known.

    Parameters
    ----------
    k : int
    """

    def __init__(self, k: int) -> None:
        self.k = k
        self._known: dict[bytes, tuple[float, S]] = {}
        self._best: list[float] = []

    @property
    def threshold(self) -> float:
        """Score that a structure must exceed to enter the list."""
        return self._best[0] if len(self._best) == self.k else -math.inf

    @property
    def best(self) -> float:
        """Largest score known; minus infinity where nothing is."""
        return max(self._best, default=-math.inf)

    @property
    def known(self) -> list[S]:
        """All structures that have ever entered."""
        return [structure for _, structure in self._known.values()]

    @property
    def ranked(self) -> list[S]:
        """At most k structures, the best first."""
        return [one for _, one in sorted(self._known.values(), key=lambda entry: -entry[0])[: self.k]]

    def enter(self, key: bytes, score: float, structure: S) -> None:
        """Take in a structure that is not known yet and exceeds the threshold."""
        if key in self._known or not score > self.threshold:
            return
        self._known[key] = score, structure
        heapq.heappush(self._best, score)
        if len(self._best) > self.k:
            heapq.heappop(self._best)


@attrs.frozen(eq=False)
class Part(Generic[S]):
    """Structures made of some decisions only, and the best that the search found among them.

    Parameters
    ----------
    kept : bool or int8 (decisions,)
        Decisions that may be on, or a state.
    structure : S
    bound : float
        No structure of the part scores more. The search may leave a tolerance between `structure` and this.
    """

    kept: NDArray[Any]
    structure: S
    bound: float


def partition(kept: NDArray[Any], chosen: Iterable[int], group_of: IntArray) -> Iterator[tuple[int, NDArray[Any]]]:
    """Partition of the structures of some decisions other than one structure.

    Parameters
    ----------
    kept : bool or int8 (decisions,)
        Decisions that may be on, or a state.
    chosen : iterable of int
        The decisions of the structure, one of each group. Parts follow their order: the i-th keeps those before,
        and takes another instead of the i-th.
    group_of : int64 (decisions,)
        Every structure has exactly one decision of each group.

    Yields
    ------
    int, bool (decisions,)
        The decision that the part lacks, and the decisions that it keeps; parts without structures are left out.
    """
    left = kept.copy()
    for decision in chosen:
        own = group_of == group_of[decision]
        part = left.copy()
        part[decision] = False
        if (part & own).any():
            yield decision, part
        left[own] = False
        left[decision] = True


def lawler(
    best: KBest[Any],
    first: Part[S],
    parts_of: Callable[[Part[S]], Iterable[NDArray[Any]]],
    search: Callable[[NDArray[Any]], tuple[Part[S] | None, Stop]],
    closes: Callable[[float], bool] | None = None,
) -> Stop:
    """Search the parts around the best structure, then around the next, until nothing that is missing is better.

    Parameters
    ----------
    best : KBest
        Holds the first structure; `search` enters what it finds.
    first : Part
        The best structure among all.
    parts_of : callable
        The partition of a part without its best structure, mostly by `partition`.
    search : callable
        From the decisions of a part to its best structure, None where none exceeds the threshold, and why the
        search ended.
    closes : callable, optional
        Whether no structure below a bound can enter the list; by default, whether the bound is at most its
        threshold.

    Returns
    -------
    Stop
        PROVED where the list is complete; RELAXED where it is but for what the rounding of large scores hides; else
        the reason for which a search ended early.
    """
    numbers, outcome = itertools.count(), Stop.PROVED
    heap = [(-first.bound, next(numbers), first)]
    while heap and -heap[0][0] > best.threshold:
        part = heapq.heappop(heap)[2]
        for kept in parts_of(part):
            if closes is not None and closes(part.bound):
                break
            found, stop = search(kept)
            if found is not None:
                heapq.heappush(heap, (-found.bound, next(numbers), found))
            if stop is Stop.RELAXED:
                outcome = stop
            elif stop is not Stop.PROVED:
                return stop
    return outcome


def flips(literals: Iterable[tuple[int, bool]]) -> Iterator[tuple[list[int], list[int]]]:
    """The same partition by decisions that are on or off: part i has the first i - 1 literals, and not the i-th.

    Yields list of int, list of int: the decisions on and off in each part; last, those of the structure itself.
    `literals` (iterable of (int, bool)): decisions that are open, and whether the structure has them on.
    """
    on: list[int] = []
    off: list[int] = []
    for decision, value in literals:
        yield ([*on], [*off, decision]) if value else ([*on, decision], [*off])
        (on if value else off).append(decision)
    yield on, off
