"""The form that each conjunction takes in a split bound: part of a star, shared, or a weight of its decision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np

from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.engine.choice_groups import ChoiceGroups

UNSCOPED, IMPOSSIBLE = -1, -2
"""In the place of a scope: the pair has none, or no structure holds it."""

Excludes = Callable[[IntArray, IntArray], BoolArray]
"""Whether no structure holds both decisions, pair by pair."""
Block = tuple[IntArray, FloatArray]
"""Scopes of one width, int64 (m, width), and their finite scores, float64 (m,)."""


@attrs.frozen(eq=False)
class Star:
    """Pairs (upper, lower) whose upper decisions are of one choice group, as a table.

    A structure has exactly one upper decision on, so that the best of a column is taken inside the weight of its
    lower decision, and a multiplier d >= 0 for each cell lets the upper one pay for it.

    Parameters
    ----------
    uppers : int64 (rows,)
        All members of the group.
    lowers : int64 (columns,)
    scores : float64 (rows, columns)
        0 where there is no pair, -inf where no structure holds the pair.
    scopes : int64 (rows, columns)
        Number of each pair among all scopes, else `UNSCOPED` or `IMPOSSIBLE`.
    first : int
        Slot of the first multiplier; they lie row by row.
    """

    uppers: IntArray
    lowers: IntArray
    scores: FloatArray
    scopes: IntArray
    first: int

    def of(self, slots: FloatArray) -> FloatArray:
        """The part of `slots` that belongs to the cells, a view (rows, columns)."""
        view: FloatArray = slots[self.first : self.first + self.scores.size].reshape(self.scores.shape)
        return view


@attrs.frozen(eq=False)
class Shared:
    """Conjunctions of one width that stand alone, each with a slot for each of its decisions.

    A score s >= 0 is spread over the decisions: q >= 0, sum q = s. Of a score s < 0 a part in [0, -s], in the first
    slot, is charged (Qian and Liu 2013, equations 5 and 8). The charge may take in more decisions, see `lifts_of`.

    Parameters
    ----------
    decisions : int64 (m, width)
    scores : float64 (m,)
    scopes : int64 (m,)
        Numbers among all scopes.
    slots : int64 (m, width)
    lifts : int64 (k,), int64 (k,)
        Rows, and decisions that their charges take in besides.
    """

    decisions: IntArray
    scores: FloatArray
    scopes: IntArray
    slots: IntArray
    lifts: tuple[IntArray, IntArray]


@attrs.frozen(eq=False)
class Layout:
    """A problem in the forms of a split bound.

    Parameters
    ----------
    groups : ChoiceGroups
    base : float64 (decisions,)
        Weights, with the scores of scopes of one decision.
    stars, shared : sequences
    slots : int
        Multipliers of the conjunctions: those of the stars, then those of the shared scopes.
    widths : int64 (scopes,)
    given : float64 (scopes,)
        All scores.
    orientation : int64 (blocks,)
        1 or 2 where pairs of a block are in stars, their lower decision being the second or the first; else 0.
    repeated : int64
        Pairs that are in no star only because the same pair came before.
    """

    groups: ChoiceGroups
    base: FloatArray
    stars: Sequence[Star]
    shared: Sequence[Shared]
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
        """Scope of each slot, -1 for none, and the decision's place in it; int64 (slots,)."""
        scope, place = np.full(self.slots, -1, np.int64), np.zeros(self.slots, np.int64)
        for star in self.stars:
            scope[star.first : star.first + star.scopes.size] = np.maximum(star.scopes, -1).ravel()
        for shared in self.shared:
            scope[shared.slots] = shared.scopes[:, None]
            place[shared.slots] = np.arange(shared.slots.shape[1])
        return scope, place


def lay_out(
    base: FloatArray,
    blocks: Sequence[Block],
    groups: ChoiceGroups,
    rivals: IntArray | None = None,
    *,
    stars: bool = True,
    unknown: BoolArray | None = None,
    excludes: Excludes | None = None,
) -> Layout:
    """Give every conjunction its form.

    Parameters
    ----------
    base : float64 (decisions,)
    blocks : sequence of (int64 (m, width), float64 (m,))
    groups : ChoiceGroups
    rivals : int64 (decisions,), optional
        As `Maximiser.rivals`.
    stars : bool
        Whether pairs are bounded in stars at all.
    unknown : bool (scopes,), optional
        Scopes whose score is only bounded yet.
    excludes : callable, optional
        Whether no structure holds two decisions together, beyond what choice groups say; lifts charges of pairs.
    """

    def apart(one: IntArray, other: IntArray) -> BoolArray:
        same: BoolArray = (groups.of[one] == groups.of[other]) & (groups.of[one] >= 0)
        return same if rivals is None else same | (rivals[one] == other)

    base = base.copy()
    made: list[Star] = []
    ways, twice = np.zeros(len(blocks), np.int64), [np.zeros(0, np.int64)]
    alone: list[tuple[IntArray, FloatArray, IntArray]] = []
    seen = slots = 0
    for block, (scopes, scores) in enumerate(blocks):
        numbers = seen + np.arange(len(scopes))
        seen += len(scopes)
        if not len(scopes):
            continue
        width = scopes.shape[1]
        if width == 1:
            np.add.at(base, scopes[:, 0], scores)
            continue
        fine = can_fire(scopes, apart)
        left = fine & (scores != 0.0 if unknown is None else (scores != 0.0) | unknown[numbers])
        if stars and width == 2:
            side = lower_side(scopes[fine], groups)
            fresh, taken, again = _stars_of(scopes, scores, numbers, fine, side, groups, apart, slots)
            made += fresh
            ways[block] = 2 - side if fresh else 0
            twice.append(numbers[again])
            slots += sum(star.scores.size for star in fresh)
            left &= ~taken
        alone.append((scopes[left], scores[left], numbers[left]))
    shared = []
    for scopes, scores, numbers in alone:
        if len(scopes):
            at = slots + np.arange(scopes.size).reshape(scopes.shape)
            shared.append(Shared(scopes, scores.copy(), numbers, at, lifts_of(scopes, groups, excludes)))
            slots += scopes.size
    widths = np.concatenate([np.zeros(0, np.int64), *(np.full(len(c), c.shape[1], np.int64) for c, _ in blocks)])
    given = np.concatenate([np.zeros(0), *(scores for _, scores in blocks)])
    return Layout(groups, base, made, shared, slots, widths, given, ways, np.concatenate(twice))


def lifts_of(scopes: IntArray, groups: ChoiceGroups, excludes: Excludes | None) -> tuple[IntArray, IntArray]:
    """Decisions that the charges of pairs take in: rows of `scopes`, and decisions.

    For a pair (e, f) of two groups these are the members of e's group that f excludes, and the members of f's group
    that e and all of those exclude. So of all that is charged a structure holds two for e and f alone.
    """
    rows: list[int] = []
    lifts: list[IntArray] = []
    for row, (e, f) in enumerate(scopes.tolist() if excludes is not None and scopes.shape[1] == 2 else []):
        if groups.of[e] < 0 or groups.of[f] < 0:
            continue
        beside_f = _apart_from_all(groups.rivals(e), e, np.array([f]), excludes)
        beside_e = _apart_from_all(groups.rivals(f), f, np.append(e, beside_f), excludes)
        lifts += [beside_f, beside_e]
        rows += [row] * (beside_f.size + beside_e.size)
    return np.array(rows, np.int64), np.concatenate([np.zeros(0, np.int64), *lifts])


def _apart_from_all(members: IntArray, but: int, others: IntArray, excludes: Any) -> IntArray:
    """Members, without one, that exclude all the others."""
    apart = excludes(np.repeat(members, others.size), np.tile(others, members.size))
    chosen: IntArray = members[(members != but) & apart.reshape(members.size, others.size).all(axis=1)]
    return chosen


def can_fire(scopes: IntArray, apart: Excludes) -> BoolArray:
    """Scopes no two decisions of which exclude each other, bool (m,)."""
    fine = np.ones(len(scopes), bool)
    for a in range(scopes.shape[1]):
        for b in range(a):
            fine &= ~apart(scopes[:, a], scopes[:, b])
    return fine


def lower_side(pairs: IntArray, groups: ChoiceGroups) -> int:
    """Place of the lower decision of each pair, 0 or 1: the side that makes fewer, larger columns.

    A column is a lower decision and the group of the upper ones; a pair without a group is a column of its own.
    """
    columns = []
    for side in (0, 1):
        group = groups.of[pairs[:, 1 - side]]
        key = pairs[:, side] * max(len(groups), 1) + group
        columns.append(np.unique(key[group >= 0]).size + np.count_nonzero(group < 0))
    return int(columns[1] <= columns[0])


def _stars_of(
    pairs: IntArray,
    scores: FloatArray,
    numbers: IntArray,
    fine: BoolArray,
    side: int,
    groups: ChoiceGroups,
    apart: Excludes,
    first: int,
) -> tuple[list[Star], BoolArray, BoolArray]:
    """The stars of one block, their slots from `first` on; which pairs they take, and which came before."""
    taken, again = np.zeros((2, len(pairs)), bool)
    rows = np.flatnonzero(fine)
    rows = rows[groups.of[pairs[rows, 1 - side]] >= 0]
    lower, upper = pairs[rows, side], pairs[rows, 1 - side]
    key = lower * (len(groups) + 1) + groups.of[upper]
    distinct, begins, column, size = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    if (
        side == 1 and np.count_nonzero(np.diff(key)) + 1 == distinct.size
    ):  # each column in one piece: keep their order
        order = np.argsort(begins, kind="stable")
    else:
        order = np.arange(distinct.size)
    # A pair alone in its column is better shared.
    order = order[size[order] > 1]
    group_of = groups.of[upper[begins]]
    stars = []
    for group in dict.fromkeys(group_of[order].tolist()):
        mine = order[group_of[order] == group]
        uppers, lowers = groups[group], lower[begins[mine]]
        place = np.full(distinct.size, -1, np.int64)
        place[mine] = np.arange(mine.size)
        among = np.flatnonzero(place[column] >= 0)
        cells = groups.rank[upper[among]] * mine.size + place[column[among]]
        _, once = np.unique(cells, return_index=True)  # the same pair once more is shared
        chosen, cells = among[once], cells[once]
        scope = np.full((uppers.size, mine.size), UNSCOPED, np.int64)
        score = np.zeros(scope.shape)
        scope.flat[cells], score.flat[cells] = numbers[rows[chosen]], scores[rows[chosen]]
        u, low = np.repeat(uppers, mine.size), np.tile(lowers, uppers.size)
        never = (apart(u, low) & (u != low)).reshape(scope.shape) & (scope == UNSCOPED)
        scope[never], score[never] = IMPOSSIBLE, -np.inf
        taken[rows[chosen]] = True
        again[rows[np.setdiff1d(among, chosen)]] = True
        stars.append(Star(uppers, lowers, score, scope, first))
        first += scope.size
    return stars, taken, again
