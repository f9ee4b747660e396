"""Ryan and Foster's branching for partitions: two items are in one set, or in different sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from gapless.arrays.sparse import BoolArray, IntArray
from gapless.column_generation.branching.candidates import Candidate, CandidateBrancher, fractional
from gapless.decisions.branch import Branch
from gapless.decisions.decisions import Fixings
from gapless.errors import InvalidProblem
from gapless.tree_search.relaxation import RelaxationResult


@attrs.frozen(eq=False)
class ItemGroups:
    """Ryan-Foster constraints on columns: items of a group enter together; some pairs of groups never do.

    Parameters
    ----------
    group : int64 (items,)
        Group of each item, numbered from 0 in the order of their first items.
    apart : bool (groups, groups)
        Pairs of groups of which no column may contain both; symmetric.
    """

    group: IntArray
    apart: BoolArray

    def __len__(self) -> int:
        return len(self.apart)

    def members(self) -> list[IntArray]:
        """List the items of each group."""
        order = np.argsort(self.group, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(self.group[order])) + 1)


class RyanFoster(CandidateBrancher[Any]):
    """Branching on a fractional pair of items: together, or apart (Ryan and Foster 1981).

    For problems that partition items into sets, whose decisions are pairs of items in one set, and whose
    columns use the pairs inside a set. Pricing calls `merged` for the constraints that the fixings put on
    columns.

    Parameters
    ----------
    items : int
    pairs : int64 (decisions, 2)
        The two items of each decision. Pairs without a decision are never together.
    together_first : bool
        Order of the children.
    most : int
        Limit on the number of candidates at a node.

    Raises
    ------
    InvalidProblem
        A pair names an item that does not exist, or one item twice.
    """

    def __init__(self, items: int, pairs: Any, *, together_first: bool = True, most: int = 100) -> None:
        self.items, self.pairs = items, np.array(pairs, np.int64).reshape(-1, 2)
        self.together_first, self.most = together_first, most
        # Pricing, branching and rounding ask for the groups of the same fixings.
        self._last: tuple[Fixings, ItemGroups | None] | None = None
        wrong = np.flatnonzero(
            np.any((self.pairs < 0) | (self.pairs >= items), axis=1) | (self.pairs[:, 0] == self.pairs[:, 1])
        )
        if wrong.size:
            raise InvalidProblem(f"RyanFoster: pair {wrong[0]} is {self.pairs[wrong[0]].tolist()} of {items} items")
        self._never = ~np.eye(items, dtype=bool)
        self._never[self.pairs[:, 0], self.pairs[:, 1]] = self._never[self.pairs[:, 1], self.pairs[:, 0]] = False

    def candidates(self, fixings: Fixings, relaxed: RelaxationResult[Any]) -> Sequence[Candidate]:
        """List the fractional pairs; first those near one half whose groups both have many conflicts."""
        point, candidates = relaxed.point, []
        pairs = fractional(fixings.free, point)
        if point is None or not pairs.size:
            return ()
        preference = np.minimum(point[pairs], 1 - point[pairs])
        merged = self.merged(fixings)
        if merged is not None:
            # Both children of such a pair are tight: one has another conflict, the other a group with the
            # conflicts of both. By fractionality alone, myciel4 took eleven times as many nodes (decision 050).
            conflicts = merged.apart.sum(axis=1)[merged.group]
            preference = preference * (1 + conflicts[self.pairs[pairs]].min(axis=1))
        best = np.argsort(-preference, kind="stable")[: self.most]
        for d, preferred in zip(pairs[best].tolist(), preference[best].tolist(), strict=True):
            a, b = self.pairs[d].tolist()
            value = float(point[d])
            branches = Branch(on=(d,), why=f"{a} and {b} together"), Branch(off=(d,), why=f"{a} and {b} apart")
            distances = 1 - value, value
            step = 1 if self.together_first else -1
            candidates.append(Candidate(d, branches[::step], distances[::step], preferred))
        return candidates

    def merged(self, fixings: Fixings) -> ItemGroups | None:
        """Derive the groups of items that are together and their conflicts; None if the fixings are infeasible.

        *Together* is transitive: three items of two pairs are one group, whatever the fixing of the third pair.
        If that pair is fixed off, or has no decision, the fixings are infeasible.
        """
        last = self._last  # read once: another thread may replace it meanwhile
        if last is None or last[0] is not fixings:
            last = self._last = fixings, self._merged(fixings)
        return last[1]

    def _merged(self, fixings: Fixings) -> ItemGroups | None:
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
        # Two groups conflict if any item of one conflicts with any of the other: a product with the membership
        # matrix. In floats, because NumPy multiplies integer matrices without BLAS.
        member = np.zeros((count, self.items))
        member[group, np.arange(self.items)] = 1
        apart: BoolArray = member @ never @ member.T > 0
        return None if np.any(np.diagonal(apart)) else ItemGroups(group.astype(np.int64), apart)
