"""The best projective tree through every arc under siblings, grandchildren and grand-siblings, in NumPy."""

from __future__ import annotations

import numpy as np

from gapless.arrays.round_up import round_up_for_sum
from gapless.arrays.sparse import FloatArray, IntArray
from gapless_dependency.proofs.inside_outside import Chart, Items, Recursion, Scores


def bounds_through_arcs(
    weights: FloatArray,
    grandchild: FloatArray | None,
    sibling: FloatArray | None,
    grand_sibling: FloatArray | None,
    single_root: bool,
    through: bool = True,
) -> tuple[float, FloatArray]:
    """As `spans.bounds_through_arcs`, but with the scores of siblings, grandchildren and grand-siblings.

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
    section 2.2) that know the head of their head where a score asks for it. O(n^4) time, else O(n^3), in O(n) array
    operations; items whose grandparent lies within them are computed but never used.
    """
    size = len(weights)
    grand = grandchild is not None or grand_sibling is not None
    additions = 4 * size if grand else 2 * size
    arc_scores = Chart(round_up_for_sum(weights, additions))
    arc_scores.inside[:, 0] = -np.inf
    pair = round_up_for_sum(np.zeros((1, 1, 1)) if sibling is None else sibling, additions)
    pair = np.broadcast_to(pair, (size, size, size))
    positions = np.arange(size)
    above = round_up_for_sum(np.zeros((1, 1, 1)) if grandchild is None else grandchild, additions)
    # The root has no head, so it is the middle of no chain.
    above[:, 0] = 0.0
    above = np.broadcast_to(above, (size, size, size))
    both = round_up_for_sum(np.zeros((1, 1, 1, 1)) if grand_sibling is None else grand_sibling, additions)
    both = np.broadcast_to(both, (size, size, size, size))
    # [grandparent, head, end]; between neighbours in a chain of modifiers [head, left one, right one].
    span, arc, between = (Chart(np.full((size,) * (3 if grand else 2), -np.inf)) for _ in range(3))
    span.inside[..., positions, positions] = 0.0
    g, row = positions[:, None, None], positions[:, None]
    recursion = Recursion()

    def items(chart: Chart, known: IntArray, *index: IntArray) -> Items:
        """Index items, with the head above if they know it."""
        return chart, (known, *(i[None] for i in index)) if grand else index

    def scored(h: IntArray, s: IntArray, m: IntArray) -> tuple[Items | Scores, ...]:
        """List the scores of an arc h -> m with the nearer neighbour s."""
        if not grand:
            return (arc_scores, (h, m)), (pair, (h, s, m))
        arcs = (h[None], m[None])
        return (arc_scores, arcs), (above, (g, *arcs)), (pair, (h, s, m)), (both, (g, h, s, m))

    for k in range(1, size):
        low = np.arange(size - k)
        cut = low[:, None] + np.arange(k)
        # Two neighbours in a chain of modifiers, each with its descendants towards the other.
        left, right = items(span, g, low[:, None], cut), items(span, g, (low + k)[:, None], cut + 1)
        recursion.best(items(between, row, low, low + k), left, right)
        for side in (1, -1):
            head = low if side > 0 else low + k
            end = head + side * k
            h, m = head[:, None], end[:, None]
            recursion.best(items(arc, row, head, end), *scored(h, h, m), items(span, h[None], m, h + side))
            many = head != 0 if single_root else np.ones(head.size, bool)
            h, m = h[many], m[many]
            s = h + side * np.arange(1, k)
            neighbours = items(between, h[None], np.minimum(s, m), np.maximum(s, m))
            made = items(arc, row, head[many], end[many])
            recursion.best(made, *scored(h, s, m), items(arc, g, h, s), neighbours)
            h, e = head[:, None], end[:, None]
            m = h + side * np.arange(1, k + 1)
            recursion.best(items(span, row, head, end), items(arc, g, h, m), items(span, h[None], m, e))
    # The root has no head: its items are those that know position 0.
    root_item = (0, 0, size - 1) if grand else (0, size - 1)
    span.outside[root_item] = 0.0
    return float(span.inside[root_item]), recursion.through(arc_scores, through)
