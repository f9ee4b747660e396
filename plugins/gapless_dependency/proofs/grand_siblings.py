"""The best projective tree through every arc under grandchildren and grand-siblings, in NumPy."""

from __future__ import annotations

import numpy as np

from gapless.core.sparse import FloatArray
from gapless_dependency.proofs.recursion import Chart, Recursion
from gapless_dependency.proofs.rounding import raised


def through_every_arc(
    weights: FloatArray,
    grandchild: FloatArray | None,
    sibling: FloatArray | None,
    grand_sibling: FloatArray | None,
    single_root: bool,
    through: bool = True,
) -> tuple[float, FloatArray]:
    """Bounds as of `spans.through_every_arc`, under further scores.

    Parameters
    ----------
    weights, single_root, through
        As there.
    grandchild : float64 (n + 1, n + 1, n + 1), or None
        [grandparent, head, modifier], for heads that are words.
    sibling : float64 (n + 1, n + 1, n + 1), or None
        [head, nearer, farther] as in `gapless_dependency.AdjacentSibling`.
    grand_sibling : float64 (n + 1, n + 1, n + 1, n + 1), or None
        [grandparent, head, nearer, farther] as in `gapless_dependency.GrandSibling`.

    Notes
    -----
    Koo and Collins 2010, section 4.1 (model 1): items of the adjacent-sibling recursion that know the head of their
    head. O(n^4) time in O(n) array operations; items whose grandparent lies within them are made and never used.
    """
    size = len(weights)
    additions = 4 * size
    arc_scores = Chart(raised(weights, additions))
    arc_scores.inside[:, 0] = -np.inf
    above = raised(np.zeros((size, size, size)) if grandchild is None else grandchild, additions)
    above[:, 0] = 0.0
    pair = raised(np.zeros((1, 1, 1)) if sibling is None else sibling, additions)
    pair = np.broadcast_to(pair, (size, size, size))
    both = np.zeros((1, 1, 1, 1)) if grand_sibling is None else grand_sibling
    both = np.broadcast_to(raised(both, additions), (size, size, size, size))
    # [grandparent, head, end]; between neighbours in a chain of modifiers [head, left one, right one].
    span, arc, between = (Chart(np.full((size, size, size), -np.inf)) for _ in range(3))
    at = np.arange(size)
    span.inside[:, at, at] = 0.0
    g, heads = at[:, None, None], at[:, None, None]
    recursion = Recursion()
    for k in range(1, size):
        low = np.arange(size - k)
        cut = low[:, None] + np.arange(k)
        recursion.best(
            (between, (at[:, None], low, low + k)),
            (span, (heads, low[:, None], cut)),
            (span, (heads, (low + k)[:, None], cut + 1)),
        )
        for side in (1, -1):
            head = low if side > 0 else low + k
            end = head + side * k
            h, m = head[:, None], end[:, None]
            recursion.best(
                (arc, (at[:, None], head, end)),
                (arc_scores, (h[None], m[None])),
                (above, (g, h[None], m[None])),
                (pair, (h, h, m)),
                (both, (g, h, h, m)),
                (span, (h[None], m[None], (h + side)[None])),
            )
            many = head != 0 if single_root else np.ones(head.size, bool)
            h, m = h[many], m[many]
            s = h + side * np.arange(1, k)
            recursion.best(
                (arc, (at[:, None], head[many], end[many])),
                (arc_scores, (h[None], m[None])),
                (above, (g, h[None], m[None])),
                (pair, (h, s, m)),
                (both, (g, h, s, m)),
                (arc, (g, h, s)),
                (between, (h[None], np.minimum(s, m)[None], np.maximum(s, m)[None])),
            )
            h, e = head[:, None], end[:, None]
            m = h + side * np.arange(1, k + 1)
            recursion.best((span, (at[:, None], head, end)), (arc, (g, h, m)), (span, (h[None], m[None], e[None])))
    # The root has no head: its items are those that know position 0.
    span.outside[0, 0, size - 1] = 0.0
    return float(span.inside[0, 0, size - 1]), recursion.through(arc_scores, through)
