"""Lawler's partition: the k best structures by any search for the best one.

Source: Lawler, A procedure for computing the k best solutions to discrete optimization problems, Management
Science 18, 1972. All structures other than a known one are partitioned: in subspace i the first i - 1 choices are
those of the structure, and the i-th is another. Each subspace is searched for its best; the best of all subspaces
is the next best structure, and its subspace is partitioned in turn. Bounds, fixing and enumeration inside the
search do not change.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.arrays.sparse import IntArray
from gapless.decisions.decisions import FREE, OFF, ON
from gapless.limits.limits import Stop

S = TypeVar("S")


class KBestPool(Generic[S]):
    """The k best structures known.

    Parameters
    ----------
    k : int
        Size of the list.
    """

    def __init__(self, k: int) -> None:
        self.k = k
        self._known: dict[bytes, tuple[float, S]] = {}
        self._best: list[float] = []

    @property
    def threshold(self) -> float:
        """Score that a structure must exceed to enter the list; -inf until the list is full."""
        return self._best[0] if len(self._best) == self.k else -math.inf

    @property
    def best(self) -> float:
        """Largest score known; -inf if there is none."""
        return max(self._best, default=-math.inf)

    @property
    def known(self) -> list[tuple[bytes, float]]:
        """Key and score of all structures that have ever entered, also those pushed out since."""
        return [(key, score) for key, (score, _) in self._known.items()]

    @property
    def ranked(self) -> list[S]:
        """At most k structures, the best first."""
        return [structure for _, structure in sorted(self._known.values(), key=lambda entry: -entry[0])[: self.k]]

    def enter(self, key: bytes, score: float, structure: S) -> None:
        """Add a structure that is new and exceeds the threshold; `key` identifies it."""
        if key in self._known or not score > self.threshold:
            return
        self._known[key] = score, structure
        heapq.heappush(self._best, score)
        if len(self._best) > self.k:
            heapq.heappop(self._best)


@attrs.frozen(eq=False)
class SubspaceOptimum(Generic[S]):
    """A subspace and the best structure that a search found in it.

    Parameters
    ----------
    allowed : bool or int8 (decisions,)
        Decisions that may be on, or a state.
    structure : S
    bound : float
        Score that no structure of the subspace exceeds. It may exceed that of `structure` by a tolerance.
    """

    allowed: NDArray[Any]
    structure: S
    bound: float


def partition(
    allowed: NDArray[Any], on_ids: Iterable[int], group_index: IntArray
) -> Iterator[tuple[int, NDArray[Any]]]:
    """Partition the structures of a subspace other than one of them.

    The i-th subspace has the first i - 1 choices of the structure and not the i-th: of a choice group another
    decision, of an ungrouped decision the other value. Ungrouped decisions come last, and are split only in a
    state.

    Parameters
    ----------
    allowed : bool (decisions,), or int8 (decisions,)
        Decisions that may be on, or a state: -1 free, 0 off, 1 on.
    on_ids : iterable of int
        Decisions of the structure; those of choice groups are excluded in this order.
    group_index : int64 (decisions,)
        Number of each decision's choice group, -1 for none.

    Yields
    ------
    int, array (decisions,)
        The decision whose value changes, and the subspace; subspaces without structures are left out.
    """
    remaining, on = allowed.copy(), list(on_ids)
    for decision in on:
        if group_index[decision] < 0:
            continue
        members = group_index == group_index[decision]
        subspace = remaining.copy()
        subspace[decision] = OFF
        if (subspace[members] != OFF).any():
            yield decision, subspace
        remaining[members] = OFF
        # Not ON: the only decision left of its group is on by that, and a driver treats decisions on as fixings.
        remaining[decision] = allowed[decision]
    # A mask has no entry equal to FREE, which is -1: only states are split by ungrouped decisions.
    for decision in np.flatnonzero((group_index < 0) & (allowed == FREE)).tolist():
        is_on = decision in on
        subspace = remaining.copy()
        subspace[decision] = OFF if is_on else ON
        yield decision, subspace
        remaining[decision] = ON if is_on else OFF


def lawler(
    pool: KBestPool[Any],
    first: SubspaceOptimum[S],
    split: Callable[[SubspaceOptimum[S]], Iterable[NDArray[Any]]],
    search: Callable[[NDArray[Any]], tuple[SubspaceOptimum[S] | None, Stop]],
    closes: Callable[[float], bool] | None = None,
) -> Stop:
    """Search the subspaces around the best structure, then around the next, until the list of k is complete.

    Parameters
    ----------
    pool : KBestPool
        Contains the first structure; `search` enters those that it finds.
    first : SubspaceOptimum
        The best structure of all.
    split : callable
        Partitions a subspace without its best structure, mostly by `partition`.
    search : callable
        Maps a subspace to its best structure, or None if none exceeds the threshold, and to the reason why the
        search stopped.
    closes : callable, optional
        Whether no structure below a bound can enter the list; by default, whether the bound is at most the
        threshold.

    Returns
    -------
    Stop
        PROVED if the list is complete; RELAXED if it is complete up to rounding of large scores; otherwise the
        reason why a search stopped early.
    """
    numbers, outcome = itertools.count(), Stop.PROVED
    # The number breaks ties of bounds, as structures need not be comparable.
    heap = [(-first.bound, next(numbers), first)]
    while heap and -heap[0][0] > pool.threshold:
        optimum = heapq.heappop(heap)[2]
        for subspace in split(optimum):
            # Asked before each subspace: searches of earlier ones raise the threshold.
            if closes is not None and closes(optimum.bound):
                break
            best, stop = search(subspace)
            if best is not None:
                heapq.heappush(heap, (-best.bound, next(numbers), best))
            if stop is Stop.RELAXED:
                outcome = stop
            elif stop is not Stop.PROVED:
                return stop
    return outcome


def flips(literals: Iterable[tuple[int, bool]]) -> Iterator[tuple[list[int], list[int]]]:
    """Partition by literals, which branches of a tree need: subspace i has the first i - 1 and not the i-th.

    Yields list of int, list of int: the decisions on and off in each subspace; last, those of the structure itself.
    `literals` (iterable of (int, bool)): open decisions, and whether the structure has them on.
    """
    on: list[int] = []
    off: list[int] = []
    for decision, value in literals:
        yield ([*on], [*off, decision]) if value else ([*on, decision], [*off])
        (on if value else off).append(decision)
    yield on, off
