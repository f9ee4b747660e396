"""Candidate heads: the k best of each word by the marginals of a first-order model."""

from __future__ import annotations

import numpy as np

import gapless_kernels
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray

_FLOOR = -20.0
_RAREST = 1e-30
"""Stands for probabilities of 0, so that some tree can always be had."""


def arc_marginals(scores: FloatArray, single_root: bool = True, *, projective: bool = False) -> FloatArray:
    """Compute the probabilities of arcs where a tree's is proportional to the exponential of its score.

    Among projective trees where there are no others: the candidate heads that these marginals miss are half of
    those that the marginals of all trees miss.

    Parameters
    ----------
    scores : (n + 1, n + 1) array of float64
        Of arcs [head, modifier]; -inf where there is none.
    single_root, projective : bool
        The set of trees: projective or all, with one word below the root or more.

    Returns
    -------
    float64 (n + 1, n + 1)
        Sums to 1 over the heads of each word.

    Notes
    -----
    Projective trees: the sums of Eisner's algorithm. All trees: the matrix-tree theorem, Koo, Globerson, Carreras
    and Collins (EMNLP 2007), sections 3.1 and 3.2. There, scores are taken against the best of each word, which
    changes no probability, and lifted to 20 below it where they are lower: far below what pruning or calibration
    looks at.
    """
    if projective:
        marginals: FloatArray = gapless_kernels.eisner_marginals(scores, single_root)[1]
        return np.clip(marginals, 0.0, 1.0)
    n = len(scores) - 1
    shifted = scores[:, 1:] - scores[:, 1:].max(axis=0)
    # The floor keeps the determinant away from 0 where a cycle of best heads all but excludes every tree.
    weights = np.where(np.isneginf(shifted), 0.0, np.exp(np.maximum(shifted, _FLOOR)))  # (n + 1, n), heads by words
    weights[np.arange(1, n + 1), np.arange(n)] = 0.0
    root, inner = weights[0], weights[1:]
    laplacian = np.diag(inner.sum(axis=0)) - inner
    if single_root:
        laplacian[0] = root
    else:
        laplacian[np.diag_indices(n)] += root
    inverse = np.linalg.inv(laplacian)
    diagonal = np.diag(inverse)
    marginals = np.zeros((n + 1, n + 1))
    if single_root:
        marginals[0, 1:] = root * inverse[:, 0]
        into, out = diagonal.copy(), inverse.T.copy()
        into[0], out[0] = 0.0, 0.0
        marginals[1:, 1:] = inner * (into - out)
    else:
        marginals[0, 1:] = root * diagonal
        marginals[1:, 1:] = inner * (diagonal - inverse.T)
    return np.clip(marginals, 0.0, 1.0)


def prune_mask(
    marginals: FloatArray,
    k: int | None,
    gold: IntArray | None = None,
    *,
    projective: bool = False,
    single_root: bool = True,
) -> BoolArray:
    """Keep the `k` most probable heads of each word, every arc from the root, the likeliest tree, and gold heads.

    A tree needs one arc from the root, and training lets these score low where they are not needed: dropping them
    costs several points of accuracy on non-projective treebanks. The tree with the most probable arcs is kept
    because the likely heads of single words need not hold a tree at all: about one long sentence in a thousand
    has none that is projective.

    Parameters
    ----------
    marginals : (n + 1, n + 1) array of float64
    k : int or None
        None keeps all.
    gold : int64 (n,), optional
        Kept whatever the marginals say, for training.
    projective, single_root : bool
        The set of trees: projective or all, with one word below the root or more.

    Returns
    -------
    bool (n + 1, n + 1)
    """
    size = len(marginals)
    mask = np.ones((size, size), bool)
    if k is not None and k < size - 1:
        ranked = marginals.copy()
        np.fill_diagonal(ranked, -1.0)
        order = np.argsort(-ranked, axis=0, kind="stable")[:k]
        mask[:] = False
        mask[order, np.arange(size)] = True
        mask[0] = True
        solve = gapless_kernels.eisner if projective else gapless_kernels.arborescence
        _, heads = solve(np.log(np.maximum(marginals, _RAREST)), single_root)
        mask[heads[1:], np.arange(1, size)] = True
    np.fill_diagonal(mask, False)
    mask[:, 0] = False
    if gold is not None:
        mask[gold, np.arange(1, size)] = True
    return mask
