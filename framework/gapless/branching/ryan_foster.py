"""Ryan and Foster's branching for partitions: two items are in one set, or in different ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from gapless.branching.candidates import Candidate, CandidateBrancher, fractional
from gapless.core.branch import Branch
from gapless.core.decisions import Fixings
from gapless.core.errors import InvalidProblem
from gapless.core.relaxation import Relaxed
from gapless.core.sparse import BoolArray, IntArray


@attrs.frozen(eq=False)
class Merged:
    """Duties of pricing: items of a group enter a column together, and some groups never meet.

    Parameters
    ----------
    group : int64 (items,)
        Group of each item, numbered from 0 in the order of their first items.
    apart : bool (groups, groups)
        Pairs of groups that no column may hold both of; symmetric.
    """

    group: IntArray
    apart: BoolArray

    def __len__(self) -> int:
        return len(self.apart)

    def members(self) -> list[IntArray]:
        """The items of each group."""
        order = np.argsort(self.group, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(self.group[order])) + 1)


class RyanFoster(CandidateBrancher[Any]):
    """Branches on a fractional pair: together, or apart (Ryan and Foster 1981).

    For problems that partition items into sets, whose decisions say of pairs of items that they are in one set, and
    whose columns use the pairs inside of a set. Pricing asks `merged` for what the fixings mean to it.

    Parameters
    ----------
    items : int
    pairs : int64 (decisions, 2)
        The two items of each decision. Pairs without a decision are never together.
    together_first : bool
        Order of the children.
    most : int
        Number of candidates that are named at a node.

    Raises
    ------
    InvalidProblem
        A pair names an item that does not exist, or one item twice.
    """

    def __init__(self, items: int, pairs: Any, *, together_first: bool = True, most: int = 100) -> None:
        self.items, self.pairs = items, np.array(pairs, np.int64).reshape(-1, 2)
        self.together_first, self.most = together_first, most
        self._last: tuple[Fixings, Merged | None] | None = None  # asked for by pricing, branching and rounding
        wrong = np.flatnonzero(
            np.any((self.pairs < 0) | (self.pairs >= items), axis=1) | (self.pairs[:, 0] == self.pairs[:, 1])
        )
        if wrong.size:
            raise InvalidProblem(f"RyanFoster: pair {wrong[0]} is {self.pairs[wrong[0]].tolist()} of {items} items")
        self._never = ~np.eye(items, dtype=bool)
        self._never[self.pairs[:, 0], self.pairs[:, 1]] = self._never[self.pairs[:, 1], self.pairs[:, 0]] = False

    def candidates(self, fixings: Fixings, relaxed: Relaxed[Any]) -> Sequence[Candidate]:
        """The fractional pairs, those first that are near one half and whose groups are both apart from many.

        Of such a pair both children are tight: one keeps more apart, the other joins what is apart from much.
        """
        point, found = relaxed.point, []
        open_ones = fractional(fixings.free, point)
        if point is None or not open_ones.size:
            return ()
        preference = np.minimum(point[open_ones], 1 - point[open_ones])
        merged = self.merged(fixings)
        if merged is not None:
            conflicts = merged.apart.sum(axis=1)[merged.group]
            preference = preference * (1 + conflicts[self.pairs[open_ones]].min(axis=1))
        best = np.argsort(-preference, kind="stable")[: self.most]
        for d, preferred in zip(open_ones[best].tolist(), preference[best].tolist(), strict=True):
            a, b = self.pairs[d].tolist()
            value = float(point[d])
            branches = Branch(on=(d,), why=f"{a} and {b} together"), Branch(off=(d,), why=f"{a} and {b} apart")
            distances = 1 - value, value
            step = 1 if self.together_first else -1
            found.append(Candidate(d, branches[::step], distances[::step], preferred))
        return found

    def merged(self, fixings: Fixings) -> Merged | None:
        """Groups of items that are together, and pairs of groups that are apart; None if nothing is left.

        Together is transitive: three items of two pairs are one group, whatever the third pair's decision says, and
        nothing is left where it, or a pair without a decision, keeps two of them apart.
        """
        last = self._last  # another thread may replace it meanwhile
        if last is None or last[0] is not fixings:
            last = self._last = fixings, self._merged(fixings)
        return last[1]

    def _merged(self, fixings: Fixings) -> Merged | None:
        parent = list(range(self.items))

        def root(item: int) -> int:
            while parent[item] != item:
                parent[item] = item = parent[parent[item]]
            return item

        for a, b in self.pairs[fixings.on].tolist():
            first, second = sorted((root(a), root(b)))
            parent[second] = first
        _, group = np.unique([root(item) for item in range(self.items)], return_inverse=True)
        never = self._never.copy()
        a, b = self.pairs[fixings.off].T
        never[a, b] = never[b, a] = True
        count = int(group.max()) + 1 if self.items else 0
        member = np.zeros((count, self.items))
        member[group, np.arange(self.items)] = 1
        apart: BoolArray = member @ never @ member.T > 0
        return None if np.any(np.diagonal(apart)) else Merged(group.astype(np.int64), apart)
