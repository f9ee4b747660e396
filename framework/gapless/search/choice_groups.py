"""Choice groups (disjoint sets of decisions, exactly one of each on) and the fixings that they imply."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.arrays.sparse import IntArray
from gapless.decisions.decisions import FREE, OFF, ON

State = NDArray[np.int8]


@attrs.frozen(eq=False)
class ChoiceGroups:
    """Disjoint choice groups over `count` decisions.

    Parameters
    ----------
    count : int
    first : int64 (groups + 1,)
        Start of each group in `members`.
    members : int64
    """

    count: int
    first: IntArray
    members: IntArray
    of: IntArray = attrs.field(init=False)
    """Group of each decision; -1 if it has none."""
    rank: IntArray = attrs.field(init=False)
    """Index of each decision in its group."""

    def __attrs_post_init__(self) -> None:
        sizes = np.diff(self.first)
        owner, rank = np.full(self.count, -1, np.int64), np.zeros(self.count, np.int64)
        owner[self.members] = np.repeat(np.arange(sizes.size), sizes)
        rank[self.members] = np.arange(self.members.size) - np.repeat(self.first[:-1], sizes)
        if np.unique(self.members).size < self.members.size:
            raise ValueError("choice groups must be disjoint")
        object.__setattr__(self, "of", owner)
        object.__setattr__(self, "rank", rank)

    def __len__(self) -> int:
        return self.first.size - 1

    def __getitem__(self, group: int) -> IntArray:
        return self.members[self.first[group] : self.first[group + 1]]

    def group_members(self, decision: int) -> IntArray:
        """Return the decisions of its group, itself included; empty if it has no group."""
        return self[self.of[decision]] if self.of[decision] >= 0 else self.members[:0]

    def counts(self, mask: NDArray[np.bool_]) -> IntArray:
        """Count the marked decisions of each group, int64 (groups,)."""
        return np.bincount(self.of[mask & (self.of >= 0)], minlength=len(self)).astype(np.int64)

    def implied(self, state: State) -> State | None:
        """Return the state with all that the groups imply; None if a group has no decision left, or two on."""
        if not len(self):
            return state
        on = self.counts(state == ON)
        grouped = self.of >= 0
        implied = np.where(grouped & (state == FREE) & (on[self.of] > 0), OFF, state).astype(np.int8)
        remaining = self.counts(implied != OFF)
        if np.any(on > 1) or np.any(remaining == 0):
            return None
        implied[grouped & (implied == FREE) & (remaining[self.of] == 1)] = ON
        return implied
