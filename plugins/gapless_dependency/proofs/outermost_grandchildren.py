"""The best projective tree through every arc under adjacent siblings and outermost grandchildren, in NumPy."""

from __future__ import annotations

import numpy as np

from gapless.arrays.round_up import round_up_for_sum
from gapless.arrays.sparse import FloatArray
from gapless_dependency.proofs.inside_outside import Chart, Recursion


def bounds_through_arcs(
    weights: FloatArray,
    sibling: FloatArray | None,
    grandchild: FloatArray | None,
    single_root: bool,
    through: bool = True,
) -> tuple[float, FloatArray]:
    """As `spans.bounds_through_arcs`, but with the scores of adjacent siblings and outermost grandchildren.

    Parameters
    ----------
    weights, single_root, through
        As there.
    sibling : float64 (n + 1, n + 1, n + 1), or None
        [head, nearer, farther] as in `gapless_dependency.AdjacentSibling`.
    grandchild : float64 (n + 1, n + 1, n + 1), or None
        [head, modifier, farthest] as in `gapless_dependency.OutermostGrandchild`.

    Notes
    -----
    Carreras 2007, section 3. A span with a known outermost modifier scores it twice: as the farthest modifier of
    its head under each head above (`reach`), and as the nearer neighbour of each next modifier (`near`). O(n^4)
    time in O(n) array operations; items whose third position lies within them are computed but never used.
    """
    size = len(weights)
    additions = 4 * size
    arc_scores = Chart(round_up_for_sum(weights, additions))
    arc_scores.inside[:, 0] = -np.inf
    pair, farthest = (
        np.broadcast_to(
            round_up_for_sum(np.zeros((1, 1, 1)) if scores is None else scores, additions), (size, size, size)
        )
        for scores in (sibling, grandchild)
    )
    positions = np.arange(size)
    arc = Chart(np.full((size, size), -np.inf))
    # [head, end, outermost modifier]; [head above, head, end]; [head, end, next modifier].
    span, reach, near = (Chart(np.full((size, size, size), -np.inf)) for _ in range(3))
    reach.inside[:, positions, positions] = farthest[:, positions, positions]
    near.inside[positions, positions] = pair[positions, positions]
    recursion = Recursion()
    other = positions[:, None, None]
    for k in range(1, size):
        low = np.arange(size - k)
        for side in (1, -1):
            head = low if side > 0 else low + k
            end = head + side * k
            h, m = head[:, None], end[:, None]
            # With a single root, its arc has no nearer neighbour: the only cut is at the root itself.
            for rows, cuts in (head == 0, [0] if single_root else range(k)), (head > 0, range(k)):
                cut = h[rows] + side * np.array(cuts)
                recursion.best(
                    (arc, (head[rows], end[rows])),
                    (arc_scores, (h[rows], m[rows])),
                    (near, (h[rows], cut, m[rows])),
                    (reach, (h[rows], m[rows], cut + side)),
                )
        for side in (1, -1):
            head = low if side > 0 else low + k
            end = head + side * k
            h, e = head[:, None], end[:, None]
            m = h + side * np.arange(1, k + 1)
            recursion.best(
                (span, (h, e, m)),
                (arc, (h[..., None], m[..., None])),
                (reach, tuple(i[..., None] for i in (h, m, e))),
            )
            spans = (span, (h[None], e[None], m[None]))
            recursion.best((reach, (positions[:, None], head, end)), (farthest, (other, h[None], m[None])), spans)
            recursion.best((near, (head, end, positions[:, None])), (pair, (h[None], m[None], other)), spans)
    span.outside[0, size - 1] = 0.0
    return float(span.inside[0, size - 1].max()), recursion.through(arc_scores, through)
