"""Bounds on walks of k vertices under any weights of edges: written for checking, in plain NumPy."""

from __future__ import annotations

import math

import numpy as np

from gapless.core.proofs.checked_bounds import CheckedBounds
from gapless.core.proofs.raised import raised
from gapless.core.sparse import FloatArray
from gapless.core.work import spend_work


def walk_bounds(start: FloatArray, inner: FloatArray, end: FloatArray, length: int) -> CheckedBounds:
    """The best walk, and the best through each edge; walks may come back to a vertex, paths are among them.

    Parameters
    ----------
    start, end : float64 (n,)
        Weights of the edges from the source and to the sink; -inf where an edge is off.
    inner : float64 (n, n)
    length : int
        Number of vertices.
    """
    spend_work(6.0 * length * inner.size, 20 * length)
    start, inner, end = (raised(part, length + 4) for part in (start, inner, end))
    before, after = [start], [end]
    for _ in range(length - 1):
        before.append((before[-1][:, None] + inner).max(axis=0))
        after.append((inner + after[-1]).max(axis=1))
    best = float((before[-1] + end).max())
    through = np.full(inner.shape, -np.inf)
    for place in range(length - 1):
        np.maximum(through, before[place][:, None] + after[length - 2 - place], out=through)
    on = np.concatenate([start + after[-1], (through + inner).ravel(), before[-1] + end])
    return CheckedBounds(best, on, np.full(on.size, best) if best > -math.inf else np.full(on.size, -np.inf))
