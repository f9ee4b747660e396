"""Enumeration of a node with few remaining assignments, which are scored together."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.decisions.decisions import FREE, OFF, ON
from gapless.search.choice_groups import State
from gapless.search.split_bound import SplitBound

OPEN, OPEN_GROUPS = 64, 14
"""Largest number of open decisions and of open groups; a free ungrouped decision counts as a group of two."""


def enumerate_choices(bound: SplitBound[Any], state: State, limit: int) -> BoolArray | None:
    """List all assignments with one decision of each group, bool (assignments, decisions); None if too many.

    Parameters
    ----------
    bound : SplitBound
    state : int8 (decisions,)
        With all that the groups imply.
    limit : int
        Largest number of assignments.
    """
    groups = bound.groups
    remaining = [groups[g][state[groups[g]] != OFF] for g in range(len(groups))]
    remaining += [np.array([d, -1]) for d in np.flatnonzero((state == FREE) & (groups.of < 0))]
    open_groups = [members for members in remaining if members.size > 1]
    ways = math.prod(map(len, open_groups))
    # The limits of the compiled search, so that both enumerate the same nodes.
    if ways > limit or sum(map(len, open_groups)) > OPEN or len(open_groups) > OPEN_GROUPS:
        return None
    chosen = np.zeros((ways, state.size + 1), bool)  # the last column stands for an ungrouped decision off, -1
    chosen[:, :-1] = state == ON
    if open_groups:
        grid = np.meshgrid(*open_groups, indexing="ij")
        for picked in grid:
            chosen[np.arange(ways), picked.ravel()] = True
    return chosen[:, :-1]


def scores_of(bound: SplitBound[Any], chosen: BoolArray) -> FloatArray:
    """Score each assignment without the backbone's internal scores, float64 (assignments,)."""
    layout = bound.layout
    possible: BoolArray = np.asarray(chosen.any(axis=0), bool)
    sure: BoolArray = np.asarray(chosen.all(axis=0), bool)
    scores: FloatArray = np.where(chosen, layout.base, 0.0).sum(axis=1)
    for scopes, values in _scopes(bound, possible):
        # Scopes that fire in every assignment are summed once instead of row by row.
        certain = sure[scopes].all(axis=1)
        scores += float(values[certain].sum())
        for scope, value in zip(scopes[~certain], values[~certain].tolist(), strict=True):
            scores[chosen[:, scope].all(axis=1)] += value
    for factor in bound.factors:
        # Each configuration is valued once: `value` may be Python code of a user.
        distinct, kind = np.unique(chosen[:, factor.scope], axis=0, return_inverse=True)
        scores += np.array([factor.value(y) for y in distinct])[kind.ravel()]
    return scores


def _scopes(bound: SplitBound[Any], possible: BoolArray) -> Iterator[tuple[IntArray, FloatArray]]:
    """Yield the scopes that fire in some assignment, and their scores."""
    for star in bound.layout.stars:
        rows, columns = np.nonzero(
            (star.scopes >= 0) & np.outer(possible[star.row_decisions], possible[star.column_decisions])
        )
        yield (
            np.column_stack([star.row_decisions[rows], star.column_decisions[columns]]),
            star.scores[rows, columns],
        )
    for shared in bound.layout.shared:
        rows = np.flatnonzero(possible[shared.decisions].all(axis=1))
        yield shared.decisions[rows], shared.scores[rows]
