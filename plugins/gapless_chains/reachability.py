"""Labels that the hard constraints of a rooted tree leave; a chain is rooted at its first position."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray


def reached_from_left(local: FloatArray, transition: FloatArray) -> BoolArray:
    """Select the labels that end an allowed path over positions 0..i of a chain.

    Returns bool (n, K). `local` (float64 (n, K)): label scores; minus infinity forbids. `transition` (float64 (K,
    K) or (n-1, K, K)): pair scores, source first; minus infinity forbids.
    """
    reachable = local > -np.inf
    for i in range(len(local) - 1):
        pairs = transition if transition.ndim == 2 else transition[i]
        reachable[i + 1] &= (pairs[reachable[i]] > -np.inf).any(axis=0)
    return reachable


def every_position_reachable(local: FloatArray, transition: FloatArray) -> bool:
    """Return whether every position has a label that may follow any label. Then an allowed path exists.

    Arrays as in `reached_from_left`.
    """
    follows_all = (transition > -np.inf).all(axis=-2)
    allowed = local > -np.inf
    allowed[1:] &= follows_all
    return bool(allowed.any(axis=1).all())


def reached_from_below(local: FloatArray, parents: Sequence[int], pairs: Callable[[int], FloatArray]) -> BoolArray:
    """Select the labels with which the subtree of a node can be labelled.

    Returns bool (n, K).

    Parameters
    ----------
    local : float64 (n, K)
        Label scores; minus infinity forbids.
    parents : sequence of int, (n,)
        The parent of each node, which comes before it; -1 for a root.
    pairs : callable
        ``pairs(node)`` are the pair scores (K, K) of the edge above a node, the parent's label first.
    """
    reachable = local > -np.inf
    # Parents precede their children: going backwards, every subtree is complete before it is used.
    for i in range(len(parents) - 1, -1, -1):
        if parents[i] >= 0:
            reachable[parents[i]] &= (pairs(i)[:, reachable[i]] > -np.inf).any(axis=1)
    return reachable
