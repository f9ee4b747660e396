"""Conjunctive scopes of trees: those that can fire, pairs that are bounded in groups, and the loss for -inf."""

from __future__ import annotations

import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.roles import Factor
from gapless_dependency import Arcs, ParsingProblem

SPLIT, LOWER_IS_SECOND, LOWER_IS_FIRST = 0, 1, 2
"""Bound on a pair (first arc, second arc): split, or in a group of the second or of the first arc."""


def orient(pairs: IntArray, possible: BoolArray, arcs: Arcs) -> tuple[int, BoolArray]:
    """Choose the lower arc of the pairs, and mark the pairs that share their group with another.

    A group is a lower arc and the word that the upper arcs enter. Of the two ways to read the pairs, the one with
    more pairs to a group is taken; a pair alone in its group is better split.
    """
    sizes = []
    for lower in (1, 0):
        key = pairs[:, lower] * (arcs.length + 1) + arcs.modifiers[pairs[:, 1 - lower]]
        size = np.bincount(key[possible], minlength=arcs.count * (arcs.length + 1))
        sizes.append((np.count_nonzero(size), size[key]))
    (second, of_second), (first, of_first) = sizes
    # Fewer groups for the same pairs mean more pairs to a group, and a tighter bound.
    orientation, size = (LOWER_IS_SECOND, of_second) if second <= first else (LOWER_IS_FIRST, of_first)
    grouped: BoolArray = (size > 1) & possible
    return (orientation if grouped.any() else SPLIT), grouped


def possible(scopes: IntArray, arcs: Arcs) -> BoolArray:
    """Mark the scopes without two arcs into one word and without an arc and its reverse, bool (m,)."""
    holds = np.ones(len(scopes), bool)
    heads, modifiers = arcs.heads[scopes], arcs.modifiers[scopes]
    for a in range(scopes.shape[1]):
        for b in range(a):
            holds &= modifiers[:, a] != modifiers[:, b]
            holds &= (modifiers[:, a] != heads[:, b]) | (heads[:, a] != modifiers[:, b])
    return holds


def penalty_of(problem: ParsingProblem, blocks: list[tuple[IntArray, FloatArray]]) -> tuple[float, float]:
    """Return a finite loss that stands for a score of -inf, and a floor under the scores of allowed trees.

    Any finite number above -inf keeps a bound true. This one is so large that a tree with one forbidden scope
    falls below every allowed tree; a bound below the floor says that no tree is allowed. Other factors than
    conjunctions may score anything, so with them there is no floor. `blocks` (list of (int64 (m, width), float64
    (m,))): scopes and their scores.
    """
    words = problem.decisions.modifiers
    low = np.full(problem.length + 1, np.inf)
    high = np.full(problem.length + 1, -np.inf)
    # Every tree has one arc into each word: the extreme arcs bound the first-order part of any tree.
    np.minimum.at(low, words, problem.arc_weights)
    np.maximum.at(high, words, problem.arc_weights)
    floor, ceiling = float(low[1:].sum()), float(high[1:].sum())
    for scopes, scores in blocks:
        finite = scores[np.isfinite(scores) & possible(scopes, problem.decisions)]
        floor += float(finite[finite < 0].sum())
        ceiling += float(finite[finite > 0].sum())
    # Far above the tolerance within which scores of the size of the floor count as equal.
    loss = 2.0 * (ceiling - floor) + 1.0 + 1e-6 * abs(floor) if np.isfinite(ceiling - floor) else 1.0
    return loss, (floor if all(isinstance(f, Factor) for f in problem.factors) else -np.inf)
