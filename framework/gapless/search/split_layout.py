"""The form of each conjunction in a split bound: a pair in a star, a shared scope, or a weight of one decision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.search.choice_groups import ChoiceGroups

UNSCOPED, IMPOSSIBLE = -1, -2
"""Stand for the scope of a pair that has none, or that no structure contains."""

Excludes = Callable[[IntArray, IntArray], BoolArray]
"""Maps pairs of decisions to whether no structure contains both."""
Block = tuple[IntArray, FloatArray]
"""Scopes of one width, int64 (m, width), and their finite scores, float64 (m,)."""


@attrs.frozen(eq=False)
class PairTable:
    """Pairs (upper, lower) whose upper decisions are of one choice group, as a table.

    A structure has exactly one upper decision on. Therefore the weight of a lower decision contains only the best
    of its column, and a multiplier d >= 0 of each cell moves score between it and the upper decision.

    Parameters
    ----------
    row_decisions : int64 (rows,)
        All members of the group.
    column_decisions : int64 (columns,)
    scores : float64 (rows, columns)
        0 where there is no pair, -inf where no structure contains the pair.
    scopes : int64 (rows, columns)
        Number of each pair among all scopes; otherwise `UNSCOPED` or `IMPOSSIBLE`.
    first : int
        Slot of the first multiplier; the others follow row by row.
    """

    row_decisions: IntArray
    column_decisions: IntArray
    scores: FloatArray
    scopes: IntArray
    first: int

    def of(self, slots: FloatArray) -> FloatArray:
        """Return the slots of the cells as a view (rows, columns)."""
        view: FloatArray = slots[self.first : self.first + self.scores.size].reshape(self.scores.shape)
        return view


@attrs.frozen(eq=False)
class SplitScopes:
    """Conjunctions of one width outside stars, each with a slot for each of its decisions.

    A score s >= 0 is spread over the decisions: q >= 0, sum q = s. Of a score s < 0 a part in [0, -s], in the first
    slot, is charged (Qian and Liu 2013, equations 5 and 8). The charge may include more decisions, see
    `lifted_members`.

    Parameters
    ----------
    decisions : int64 (m, width)
    scores : float64 (m,)
    scopes : int64 (m,)
        Numbers among all scopes.
    slots : int64 (m, width)
    lifts : int64 (k,), int64 (k,)
        Rows, and decisions that their charges include in addition.
    """

    decisions: IntArray
    scores: FloatArray
    scopes: IntArray
    slots: IntArray
    lifts: tuple[IntArray, IntArray]


@attrs.frozen(eq=False)
class SplitLayout:
    """The conjunctions of a problem in the forms of a split bound.

    Parameters
    ----------
    groups : ChoiceGroups
    base : float64 (decisions,)
        Weights, including the scores of scopes of one decision.
    stars, shared : sequences
    slots : int
        Number of multipliers of conjunctions: those of the stars, then those of the shared scopes.
    widths : int64 (scopes,)
    given : float64 (scopes,)
        All scores.
    orientation : int64 (blocks,)
        1 or 2 if pairs of a block are in stars, with the second or the first as lower decision; otherwise 0.
    repeated : int64
        Pairs that are in no star because an equal pair precedes them.
    """

    groups: ChoiceGroups
    base: FloatArray
    stars: Sequence[PairTable]
    shared: Sequence[SplitScopes]
    slots: int
    widths: IntArray
    given: FloatArray
    orientation: IntArray
    repeated: IntArray

    @property
    def starred(self) -> BoolArray:
        """Whether each scope is a cell of a star, bool (scopes,)."""
        marks = np.zeros(self.widths.size, bool)
        for star in self.stars:
            marks[star.scopes[star.scopes >= 0]] = True
        return marks

    def places(self) -> tuple[IntArray, IntArray]:
        """Return the scope of each slot, -1 for none, and the decision's index in it; int64 (slots,)."""
        scope, index = np.full(self.slots, -1, np.int64), np.zeros(self.slots, np.int64)
        for star in self.stars:
            scope[star.first : star.first + star.scopes.size] = np.maximum(star.scopes, -1).ravel()
        for shared in self.shared:
            scope[shared.slots] = shared.scopes[:, None]
            index[shared.slots] = np.arange(shared.slots.shape[1])
        return scope, index


def lay_out_conjunctions(
    base: FloatArray,
    blocks: Sequence[Block],
    groups: ChoiceGroups,
    conflicts: IntArray | None = None,
    *,
    stars: bool = True,
    unknown: BoolArray | None = None,
    excludes: Excludes | None = None,
) -> SplitLayout:
    """Give every conjunction its form.

    Parameters
    ----------
    base : float64 (decisions,)
    blocks : sequence of (int64 (m, width), float64 (m,))
    groups : ChoiceGroups
    conflicts : int64 (decisions,), optional
        As `Maximiser.conflicts` returns them.
    stars : bool
        Whether pairs may form stars. The paper splits every pair on its own.
    unknown : bool (scopes,), optional
        Scopes whose score is replaced by an upper bound.
    excludes : callable, optional
        Whether no structure contains two decisions, beyond the exclusions of choice groups; lifts charges of pairs.
    """

    def disjoint(left: IntArray, right: IntArray) -> BoolArray:
        same: BoolArray = (groups.of[left] == groups.of[right]) & (groups.of[left] >= 0)
        return same if conflicts is None else same | (conflicts[left] == right)

    base = base.copy()
    tables: list[PairTable] = []
    orientation, repeated = np.zeros(len(blocks), np.int64), [np.zeros(0, np.int64)]
    unpaired: list[tuple[IntArray, FloatArray, IntArray]] = []
    total = slots = 0
    for block, (scopes, scores) in enumerate(blocks):
        numbers = total + np.arange(len(scopes))
        total += len(scopes)
        if not len(scopes):
            continue
        width = scopes.shape[1]
        if width == 1:
            # A score of one decision is a weight; `add.at`, since a decision may occur in several scopes.
            np.add.at(base, scopes[:, 0], scores)
            continue
        possible = can_fire(scopes, disjoint)
        remaining = possible & (scores != 0.0 if unknown is None else (scores != 0.0) | unknown[numbers])
        if stars and width == 2:
            side = column_side(scopes[possible], groups)
            block_tables, used, is_repeated = _stars_of(
                scopes, scores, numbers, possible, side, groups, disjoint, slots
            )
            tables += block_tables
            orientation[block] = 2 - side if block_tables else 0
            repeated.append(numbers[is_repeated])
            slots += sum(table.scores.size for table in block_tables)
            remaining &= ~used
        unpaired.append((scopes[remaining], scores[remaining], numbers[remaining]))
    shared = []
    for scopes, scores, numbers in unpaired:
        if len(scopes):
            own_slots = slots + np.arange(scopes.size).reshape(scopes.shape)
            lifts = lifted_members(scopes, groups, excludes)
            shared.append(SplitScopes(scopes, scores.copy(), numbers, own_slots, lifts))
            slots += scopes.size
    widths = np.concatenate([np.zeros(0, np.int64), *(np.full(len(c), c.shape[1], np.int64) for c, _ in blocks)])
    given = np.concatenate([np.zeros(0), *(scores for _, scores in blocks)])
    return SplitLayout(groups, base, tables, shared, slots, widths, given, orientation, np.concatenate(repeated))


def lifted_members(scopes: IntArray, groups: ChoiceGroups, excludes: Excludes | None) -> tuple[IntArray, IntArray]:
    """Return the decisions that the charges of pairs include in addition, as rows of `scopes` and decisions.

    For a pair (e, f) of two groups these are the members of e's group that f excludes, and the members of f's group
    that e and all of the former exclude. Therefore a structure contains two charged decisions only if they are e
    and f.
    """
    rows: list[int] = []
    lifts: list[IntArray] = []
    for row, (e, f) in enumerate(scopes.tolist() if excludes is not None and scopes.shape[1] == 2 else []):
        if groups.of[e] < 0 or groups.of[f] < 0:
            continue
        with_e = _excluding_all(groups.group_members(e), e, np.array([f]), excludes)
        with_f = _excluding_all(groups.group_members(f), f, np.append(e, with_e), excludes)
        lifts += [with_e, with_f]
        rows += [row] * (with_e.size + with_f.size)
    return np.array(rows, np.int64), np.concatenate([np.zeros(0, np.int64), *lifts])


def _excluding_all(members: IntArray, omit: int, others: IntArray, excludes: Any) -> IntArray:
    """The members, without `omit`, that exclude all the others."""
    excluded = excludes(np.repeat(members, others.size), np.tile(others, members.size))
    matches: IntArray = members[(members != omit) & excluded.reshape(members.size, others.size).all(axis=1)]
    return matches


def can_fire(scopes: IntArray, disjoint: Excludes) -> BoolArray:
    """Mark the scopes without two decisions that exclude each other, bool (m,)."""
    possible = np.ones(len(scopes), bool)
    for a in range(scopes.shape[1]):
        for b in range(a):
            possible &= ~disjoint(scopes[:, a], scopes[:, b])
    return possible


def column_side(pairs: IntArray, groups: ChoiceGroups) -> int:
    """Return the index of the lower decision in each pair, 0 or 1: the side that gives fewer, larger columns.

    A column is a lower decision with a group of upper ones; a pair whose upper decision has no group counts as one.
    """
    columns = []
    for side in (0, 1):
        group = groups.of[pairs[:, 1 - side]]
        key = pairs[:, side] * max(len(groups), 1) + group
        columns.append(np.unique(key[group >= 0]).size + np.count_nonzero(group < 0))
    # Ties go to the second decision, as in the compiled search: the twins must lay out alike.
    return int(columns[1] <= columns[0])


def _stars_of(
    pairs: IntArray,
    scores: FloatArray,
    numbers: IntArray,
    possible: BoolArray,
    side: int,
    groups: ChoiceGroups,
    disjoint: Excludes,
    first: int,
) -> tuple[list[PairTable], BoolArray, BoolArray]:
    """The stars of one block with slots from `first` on; masks of the pairs in them and of repeated pairs."""
    used, is_repeated = np.zeros((2, len(pairs)), bool)
    rows = np.flatnonzero(possible)
    rows = rows[groups.of[pairs[rows, 1 - side]] >= 0]
    lower, upper = pairs[rows, side], pairs[rows, 1 - side]
    key = lower * (len(groups) + 1) + groups.of[upper]
    distinct, begins, column, size = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    # If each column is contiguous, the order of the blocks is kept, as the compiled search does.
    if side == 1 and np.count_nonzero(np.diff(key)) + 1 == distinct.size:
        order = np.argsort(begins, kind="stable")
    else:
        order = np.arange(distinct.size)
    # A column of one pair has no maximum to take: as a shared scope it needs no row of multipliers.
    order = order[size[order] > 1]
    group_index = groups.of[upper[begins]]
    stars = []
    for group in dict.fromkeys(group_index[order].tolist()):
        columns = order[group_index[order] == group]
        uppers, lowers = groups[group], lower[begins[columns]]
        position = np.full(distinct.size, -1, np.int64)
        position[columns] = np.arange(columns.size)
        among = np.flatnonzero(position[column] >= 0)
        cells = groups.rank[upper[among]] * columns.size + position[column[among]]
        _, once = np.unique(cells, return_index=True)  # a cell has room for one score: repetitions become shared
        selected, cells = among[once], cells[once]
        scope = np.full((uppers.size, columns.size), UNSCOPED, np.int64)
        score = np.zeros(scope.shape)
        scope.flat[cells], score.flat[cells] = numbers[rows[selected]], scores[rows[selected]]
        u, low = np.repeat(uppers, columns.size), np.tile(lowers, uppers.size)
        never = (disjoint(u, low) & (u != low)).reshape(scope.shape) & (scope == UNSCOPED)
        # An impossible pair must not count in its column with the 0 of an absent one, which would be the maximum if
        # all other scores are negative.
        scope[never], score[never] = IMPOSSIBLE, -np.inf
        used[rows[selected]] = True
        is_repeated[rows[np.setdiff1d(among, selected)]] = True
        stars.append(PairTable(uppers, lowers, score, scope, first))
        first += scope.size
    return stars, used, is_repeated
