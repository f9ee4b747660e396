"""The best projective tree through every arc under siblings, grandchildren and grand-siblings, in NumPy."""

from __future__ import annotations

import numpy as np

from gapless.core.sparse import FloatArray, IntArray
from gapless_dependency.proofs.recursion import Chart, Items, Recursion, Scores
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
    Koo and Collins 2010, section 4.1 (model 1): items of the adjacent-sibling recursion (McDonald and Pereira 2006,
    section 2.2) that know the head of their head, where a score asks for it; else that axis has length one. O(n^4)
    time, or O(n^3), in O(n) array operations; items whose grandparent lies within them are made and never used.
    """
    size = len(weights)
    grand = grandchild is not None or grand_sibling is not None
    additions = 4 * size if grand else 2 * size
    arc_scores = Chart(raised(weights, additions))
    arc_scores.inside[:, 0] = -np.inf
    pair = raised(np.zeros((1, 1, 1)) if sibling is None else sibling, additions)
    pair = np.broadcast_to(pair, (size, size, size))
    at = np.arange(size)
    known = at if grand else at[:1]
    above = raised(np.zeros((1, 1, 1)) if grandchild is None else grandchild, additions)
    above[:, 0] = 0.0
    both = raised(np.zeros((1, 1, 1, 1)) if grand_sibling is None else grand_sibling, additions)
    above = np.broadcast_to(above, (len(known), size, size))
    both = np.broadcast_to(both, (len(known), size, size, size))
    # [grandparent, head, end]; between neighbours in a chain of modifiers [head, left one, right one].
    span, arc, between = (Chart(np.full((len(known), size, size), -np.inf)) for _ in range(3))
    span.inside[:, at, at] = 0.0
    g, row = known[:, None, None], known[:, None]
    recursion = Recursion()

    def below(head: IntArray) -> IntArray:
        """The head, as the grandparent that the items below its modifiers know."""
        return head[None] if grand else np.zeros_like(head)[None]

    def scored(h: IntArray, s: IntArray, m: IntArray) -> tuple[Items | Scores, ...]:
        """What an arc h -> m scores whose nearer neighbour is s."""
        scores: tuple[Items | Scores, ...] = ((arc_scores, (h[None], m[None])), (pair, (h, s, m)))
        return (*scores, (above, (g, h[None], m[None])), (both, (g, h, s, m))) if grand else scores

    for k in range(1, size):
        low = np.arange(size - k)
        cut = low[:, None] + np.arange(k)
        # Two neighbours in a chain of modifiers, each with its descendants towards the other.
        recursion.best(
            (between, (row, low, low + k)), (span, (g, low[:, None], cut)), (span, (g, (low + k)[:, None], cut + 1))
        )
        for side in (1, -1):
            head = low if side > 0 else low + k
            end = head + side * k
            h, m = head[:, None], end[:, None]
            first = (span, (below(h), m[None], (h + side)[None]))
            recursion.best((arc, (row, head, end)), *scored(h, h, m), first)
            many = head != 0 if single_root else np.ones(head.size, bool)
            h, m = h[many], m[many]
            s = h + side * np.arange(1, k)
            neighbours = (between, (below(h), np.minimum(s, m)[None], np.maximum(s, m)[None]))
            recursion.best((arc, (row, head[many], end[many])), *scored(h, s, m), (arc, (g, h, s)), neighbours)
            h, e = head[:, None], end[:, None]
            m = h + side * np.arange(1, k + 1)
            recursion.best((span, (row, head, end)), (arc, (g, h, m)), (span, (below(h), m[None], e[None])))
    # The root has no head: its items are those that know position 0.
    span.outside[0, 0, size - 1] = 0.0
    return float(span.inside[0, 0, size - 1]), recursion.through(arc_scores, through)
