"""The end of a node of which little is left: all that can still be chosen, scored at once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from gapless.core.decisions import OFF, ON
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.engine.choice_groups import State
from gapless.engine.split_bound import SplitBound

OPEN, OPEN_GROUPS = 64, 14
"""Choices left, and groups that they are left in, at most; a free decision without a group is a group of two."""


def choices_of(bound: SplitBound[Any], state: State, most: int) -> BoolArray | None:
    """All ways to choose one decision in each group, bool (ways, decisions); None where there are too many.

    Parameters
    ----------
    bound : SplitBound
    state : int8 (decisions,)
        With what it implies.
    most : int
        Ways, at most.
    """
    groups = bound.groups
    left = [groups[g][state[groups[g]] != OFF] for g in range(len(groups))]
    left += [np.array([d, -1]) for d in np.flatnonzero((state < 0) & (groups.of < 0))]
    open_groups = [members for members in left if members.size > 1]
    ways = math.prod(map(len, open_groups))
    if ways > most or sum(map(len, open_groups)) > OPEN or len(open_groups) > OPEN_GROUPS:
        return None
    chosen = np.zeros((ways, state.size + 1), bool)  # the last place is for nothing chosen
    chosen[:, :-1] = state == ON
    if open_groups:
        grid = np.meshgrid(*open_groups, indexing="ij")
        for picked in grid:
            chosen[np.arange(ways), picked.ravel()] = True
    return chosen[:, :-1]


def scores_of(bound: SplitBound[Any], chosen: BoolArray) -> FloatArray:
    """The score of each way, without own scores of the backbone, float64 (ways,)."""
    layout = bound.layout
    possible: BoolArray = np.asarray(chosen.any(axis=0), bool)
    sure: BoolArray = np.asarray(chosen.all(axis=0), bool)
    scores: FloatArray = np.where(chosen, layout.base, 0.0).sum(axis=1)
    for scopes, values in _scopes(bound, possible):
        certain = sure[scopes].all(axis=1)
        scores += float(values[certain].sum())
        for scope, value in zip(scopes[~certain], values[~certain].tolist(), strict=True):
            scores[chosen[:, scope].all(axis=1)] += value
    for factor in bound.factors:
        seen, kind = np.unique(chosen[:, factor.scope], axis=0, return_inverse=True)
        scores += np.array([factor.value(y) for y in seen])[kind.ravel()]
    return scores


def _scopes(bound: SplitBound[Any], possible: BoolArray) -> Iterator[tuple[IntArray, FloatArray]]:
    """Scopes that may fire, and their scores."""
    for star in bound.layout.stars:
        rows, columns = np.nonzero((star.scopes >= 0) & np.outer(possible[star.uppers], possible[star.lowers]))
        yield np.column_stack([star.uppers[rows], star.lowers[columns]]), star.scores[rows, columns]
    for shared in bound.layout.shared:
        rows = np.flatnonzero(possible[shared.decisions].all(axis=1))
        yield shared.decisions[rows], shared.scores[rows]
