"""Bounds on walks of k vertices under any weights of edges: written for checking, in plain NumPy."""

from __future__ import annotations

import math

import numpy as np

from gapless.arrays.round_up import round_up_for_sum
from gapless.arrays.sparse import FloatArray
from gapless.limits.work import charge_work
from gapless.oracles.verifier_bounds import CheckedBounds


def walk_bounds(start: FloatArray, inner: FloatArray, end: FloatArray, length: int) -> CheckedBounds:
    """Bound the best walk, and the best through each edge; every path is a walk.

    Parameters
    ----------
    start, end : float64 (n,)
        Weights of the edges from the source and to the sink; -inf where an edge is off.
    inner : float64 (n, n)
    length : int
        Number of vertices.
    """
    charge_work(6.0 * length * inner.size, 20 * length)
    # No walk adds up more weights; raised ones make every float64 sum an upper bound.
    start, inner, end = (round_up_for_sum(part, length + 4) for part in (start, inner, end))
    prefix, suffix = [start], [end]
    for _ in range(length - 1):
        prefix.append((prefix[-1][:, None] + inner).max(axis=0))
        suffix.append((inner + suffix[-1]).max(axis=1))
    best = float((prefix[-1] + end).max())
    through = np.full(inner.shape, -np.inf)
    for position in range(length - 1):
        np.maximum(through, prefix[position][:, None] + suffix[length - 2 - position], out=through)
    on = np.concatenate([start + suffix[-1], (through + inner).ravel(), prefix[-1] + end])
    return CheckedBounds(best, on, np.full(on.size, best) if best > -math.inf else np.full(on.size, -np.inf))
