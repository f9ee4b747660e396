"""The best projective tree through every arc under adjacent siblings, in NumPy."""

from __future__ import annotations

import numpy as np

from gapless.core.sparse import FloatArray
from gapless_dependency.proofs.recursion import Chart, Recursion
from gapless_dependency.proofs.rounding import raised


def through_every_arc(
    weights: FloatArray, sibling: FloatArray | None, single_root: bool, through: bool = True
) -> tuple[float, FloatArray]:
    """Bounds as of `spans.through_every_arc`, under further scores.

    Parameters
    ----------
    weights, single_root, through
        As there.
    sibling : float64 (n + 1, n + 1, n + 1), or None
        [head, nearer, farther] as in `gapless_dependency.AdjacentSibling`.

    Notes
    -----
    McDonald and Pereira 2006, section 2.2. O(n^3) time in O(n) array operations.
    """
    size = len(weights)
    additions = 2 * size
    arc_scores = Chart(raised(weights, additions))
    arc_scores.inside[:, 0] = -np.inf
    pair = raised(np.zeros((1, 1, 1)) if sibling is None else sibling, additions)
    pair = np.broadcast_to(pair, (size, size, size))
    span, arc, between = (Chart(np.full((size, size), -np.inf)) for _ in range(3))
    at = np.arange(size)
    span.inside[at, at] = 0.0
    recursion = Recursion()
    for k in range(1, size):
        low = np.arange(size - k)
        cut = low[:, None] + np.arange(k)
        # Two neighbours in a chain of modifiers, each with its descendants towards the other.
        recursion.best(
            (between, (low, low + k)), (span, (low[:, None], cut)), (span, ((low + k)[:, None], cut + 1))
        )
        for side in (1, -1):
            head = low if side > 0 else low + k
            end = head + side * k
            h, m = head[:, None], end[:, None]
            score = (arc_scores, (h, m))
            recursion.best((arc, (head, end)), score, (pair, (h, h, m)), (span, (m, h + side)))
            many = head != 0 if single_root else np.ones(head.size, bool)
            h, m = h[many], m[many]
            s = h + side * np.arange(1, k)
            neighbours = (between, (np.minimum(s, m), np.maximum(s, m)))
            recursion.best(
                (arc, (head[many], end[many])), (arc_scores, (h, m)), (pair, (h, s, m)), (arc, (h, s)), neighbours
            )
            h, e = head[:, None], end[:, None]
            m = h + side * np.arange(1, k + 1)
            recursion.best((span, (head, end)), (arc, (h, m)), (span, (m, e)))
    span.outside[0, size - 1] = 0.0
    return float(span.inside[0, size - 1]), recursion.through(arc_scores, through)
