"""Loopy belief propagation for trees with grandparent scores: approximate probabilities of arcs and parts."""

from __future__ import annotations

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless_models.parsing.pruning import arc_marginals

_LEAST = 1e-9
"""Probabilities stay so far from 0 and 1 that their logarithms are finite."""
_LARGEST = 30.0
"""Scores of parts beyond it say no more: their exponentials are as good as 0 or infinity."""


@attrs.frozen(eq=False)
class Beliefs:
    """Marginals of a sentence by belief propagation.

    Parameters
    ----------
    arcs : float64 (n + 1, n + 1)
        The probability of each arc [head, modifier].
    parts : float64 (parts,)
        The probability that both arcs of the part are in the tree.
    weights : float64 (n + 1, n + 1)
        The arc scores with all messages added, under which the tree factor alone gives `arcs`.
    """

    arcs: FloatArray
    parts: FloatArray
    weights: FloatArray


def propagate(
    arc_scores: FloatArray,
    g: IntArray,
    p: IntArray,
    c: IntArray,
    part_scores: FloatArray,
    *,
    single_root: bool,
    projective: bool = False,
    rounds: int = 4,
    damping: float = 0.2,
) -> Beliefs:
    """Approximate the marginals of trees with probabilities proportional to the exponentials of their scores.

    Parameters
    ----------
    arc_scores : (n + 1, n + 1) array of float64
        -inf where there is no arc.
    g, p, c : int64 (parts,)
        Grandparent, parent and child of the parts; each scores when both its arcs, g -> p and p -> c, are there.
    part_scores : float64 (parts,)
    single_root, projective : bool
        The set of trees: projective or all, with one word below the root or more.
    rounds : int
        The number of times that every part sends its messages.
    damping : float
        In [0, 1): the share of the former message in a new one.

    Notes
    -----
    Smith and Eisner (EMNLP 2008), sections 3 to 5: one binary variable for each arc, the global factor TREE, and a
    factor GRAND for each part. Messages are kept as logarithms of odds. TREE answers them all at once: the
    marginals of the arcs under their scores plus the messages (the matrix-tree theorem, or the sums of Eisner's
    algorithm). A part that scores s tells one arc ``log(1 - q + q exp(s))``, where q is the probability of its
    other arc without what the part itself said. Without parts, or with parts that score 0, the marginals are exact.
    """
    shape = arc_scores.shape
    size = shape[0]
    ends = g * size + p, p * size + c
    surplus = np.expm1(np.clip(part_scores, -_LARGEST, _LARGEST))
    to_upper, to_lower = np.zeros(len(g)), np.zeros(len(g))

    def tree() -> tuple[FloatArray, FloatArray, FloatArray]:
        """Compute the weights, the marginals of TREE, and their odds."""
        messages = np.bincount(ends[0], to_upper, size * size) + np.bincount(ends[1], to_lower, size * size)
        weights = arc_scores + messages.reshape(shape)
        arcs = arc_marginals(weights, single_root, projective=projective)
        inside = arcs.clip(_LEAST, 1.0 - _LEAST).ravel()
        return weights, arcs, inside / (1.0 - inside)

    def without(odds: FloatArray, end: IntArray, message: FloatArray) -> FloatArray:
        """Compute the probability of an arc without the part's own message."""
        others = odds.take(end) * np.exp(-message)
        odds_without: FloatArray = others / (1.0 + others)
        return odds_without

    for _ in range(rounds if len(g) else 0):
        _, _, odds = tree()
        upper, lower = without(odds, ends[0], to_upper), without(odds, ends[1], to_lower)
        to_upper = damping * to_upper + (1.0 - damping) * np.log1p(lower * surplus)
        to_lower = damping * to_lower + (1.0 - damping) * np.log1p(upper * surplus)
    weights, arcs, odds = tree()
    both = without(odds, ends[0], to_upper) * without(odds, ends[1], to_lower)
    return Beliefs(arcs, both * (1.0 + surplus) / (1.0 + both * surplus), weights)
