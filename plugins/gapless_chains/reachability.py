"""Which labels a chain's hard constraints leave: those that some allowed prefix or suffix reaches."""

from __future__ import annotations

import numpy as np

from gapless.core.sparse import BoolArray, FloatArray


def reached_from_left(local: FloatArray, transition: FloatArray) -> BoolArray:
    """Labels that end an allowed path over positions 0..i.

    Parameters
    ----------
    local : float64 (n, K)
        Label scores; minus infinity forbids.
    transition : float64 (K, K) or (n-1, K, K)
        Pair scores, source first; minus infinity forbids.

    Returns
    -------
    bool (n, K)
    """
    reached = local > -np.inf
    for i in range(len(local) - 1):
        pairs = transition if transition.ndim == 2 else transition[i]
        reached[i + 1] &= (pairs[reached[i]] > -np.inf).any(axis=0)
    return reached


def reached_from_right(local: FloatArray, transition: FloatArray) -> BoolArray:
    """Labels that begin an allowed path over positions i..n-1; arguments as in `reached_from_left`."""
    reached = local > -np.inf
    for i in range(len(local) - 2, -1, -1):
        pairs = transition if transition.ndim == 2 else transition[i]
        reached[i] &= (pairs[:, reached[i + 1]] > -np.inf).any(axis=1)
    return reached
