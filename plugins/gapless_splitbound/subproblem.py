"""The subproblem that fixings leave: scopes that are open, and scores that have become linear."""

from __future__ import annotations

import attrs
import numpy as np

from gapless.core.decisions import FREE, OFF
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.roles import Fixings
from gapless_dependency import Arcs
from gapless_splitbound.implied_arcs import implied_state
from gapless_splitbound.scopes import Scopes


@attrs.frozen(eq=False)
class OpenGroups:
    """Pairs in groups with both arcs free, sorted by group.

    Parameters
    ----------
    upper, lower : int64 (pairs,)
    scores : float64 (pairs,)
    index : int64 (pairs,)
        Places of the multipliers.
    member : int64 (pairs,)
        The row among the distinct (group, upper arc); factors that score one pair share a row.
    row_group, row_upper : int64 (rows,)
    starts : int64 (groups,)
        First row of each group.
    group_lower : int64 (groups,)
    floor : float64 (groups,)
        0 where an arc into the group's word is in no pair, else -inf.
    """

    upper: IntArray
    lower: IntArray
    scores: FloatArray
    index: IntArray
    member: IntArray
    row_group: IntArray
    row_upper: IntArray
    starts: IntArray
    group_lower: IntArray
    floor: FloatArray


@attrs.frozen(eq=False)
class OpenScopes:
    """Scopes of one width and sign with at least two free arcs and none off.

    Parameters
    ----------
    arcs : int64 (m, width)
    free : bool (m, width)
    scores : float64 (m,)
        Finite.
    index : int64 (m,)
        Places of the first multipliers.
    """

    arcs: IntArray
    free: BoolArray
    scores: FloatArray
    index: IntArray


@attrs.frozen(eq=False)
class Subproblem:
    """Parameters: `state` after what it implies, weights that are certain by now, and what is still open."""

    state: IntArray
    weights: FloatArray
    constant: float
    groups: OpenGroups
    positive: tuple[OpenScopes, ...]
    negative: tuple[OpenScopes, ...]


def subproblem_of(
    arcs: Arcs, scores: FloatArray, blocks: list[Scopes], loss: float, fixings: Fixings
) -> Subproblem | None:
    """The subproblem under `fixings`; None when a word has no head left.

    A scope with an arc off is gone. With one free arc and the others on it is linear, which is exact, also for a
    score of -inf; with none free it is a constant.
    """
    implied = implied_state(arcs, fixings.state)
    if implied is None:
        return None
    state: IntArray = implied.astype(np.int64)
    weights, constant = scores.copy(), 0.0
    positive: list[OpenScopes] = []
    negative: list[OpenScopes] = []
    pairs = []
    for block in blocks:
        alive = block.possible & np.all(state[block.arcs] != OFF, axis=1)
        free = state[block.arcs] == FREE
        count = free.sum(axis=1)
        constant += float(block.scores[alive & (count == 0)].sum())
        last = np.flatnonzero(alive & (count == 1))
        np.add.at(weights, block.arcs[last, free[last].argmax(axis=1)], block.scores[last])
        wide = alive & (count > 1)
        pairs.append((block, np.flatnonzero(wide & block.grouped)))
        for chosen, into in ((block.scores > 0, positive), (block.scores < 0, negative)):
            rows = np.flatnonzero(wide & chosen & ~block.grouped)
            if rows.size:
                finite = np.maximum(block.scores[rows], -loss)
                into.append(OpenScopes(block.arcs[rows], free[rows], finite, block.offset[rows]))
    return Subproblem(state, weights, constant, _groups(arcs, state, pairs), tuple(positive), tuple(negative))


def _groups(arcs: Arcs, state: IntArray, chosen: list[tuple[Scopes, IntArray]]) -> OpenGroups:
    upper, lower, scores, index = [], [], [], []
    for block, rows in chosen:
        second = 1 if block.orientation == 1 else 0
        upper.append(block.arcs[rows, 1 - second] if block.arcs.shape[1] == 2 else rows[:0])
        lower.append(block.arcs[rows, second] if block.arcs.shape[1] == 2 else rows[:0])
        scores.append(block.scores[rows])
        index.append(block.offset[rows])
    empty = np.zeros(0, np.int64)
    u, lo = np.concatenate([empty, *upper]), np.concatenate([empty, *lower])
    s, at = np.concatenate([np.zeros(0), *scores]), np.concatenate([empty, *index])
    words = arcs.modifiers
    size = arcs.length + 1
    key = (lo * size + words[u]) * max(arcs.count, 1) + u
    order = np.argsort(key, kind="stable")
    u, lo, s, at, key = u[order], lo[order], s[order], at[order], key[order]
    rows, member = np.unique(key, return_inverse=True)
    row_key, row_upper = rows // max(arcs.count, 1), rows % max(arcs.count, 1)
    groups, starts = np.unique(row_key, return_index=True)
    row_group = np.searchsorted(groups, row_key)
    group_lower, word = groups // size, groups % size
    # Arcs into the word that may be in the tree beside the lower arc: not its reverse, nor another into its word.
    candidates = np.bincount(words[state != OFF], minlength=size)[word]
    reverse = arcs.index[words[group_lower], arcs.heads[group_lower]]
    candidates -= (reverse >= 0) & (words[reverse] == word) & (state[reverse] != OFF)
    covered = np.bincount(row_group, minlength=groups.size)
    floor = np.where(candidates > covered, 0.0, -np.inf)
    return OpenGroups(u, lo, s, at, member.astype(np.int64), row_group, row_upper, starts, group_lower, floor)


def is_on(left: Subproblem, on_ids: IntArray) -> BoolArray:
    """The decisions of a structure as booleans."""
    on = np.zeros(left.state.size, bool)
    on[on_ids] = True
    return on
