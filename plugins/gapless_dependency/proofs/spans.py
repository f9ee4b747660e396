"""The best projective tree through every arc, in NumPy: Eisner's spans, inside and outside."""

from __future__ import annotations

import numpy as np

from gapless.arrays.round_up import round_up_for_sum
from gapless.arrays.sparse import FloatArray
from gapless.roles import charge_work


def bounds_through_arcs(weights: FloatArray, single_root: bool, through: bool = True) -> tuple[float, FloatArray]:
    """Bound all projective trees and those with each arc: their optima, raised by the rounding of the sums.

    Returns float, float64 (n + 1, n + 1): -inf where there is no tree.

    Parameters
    ----------
    weights : float64 (n + 1, n + 1)
        [head, modifier]; -inf where there is no arc.
    through : bool
        If True, bound the trees with each arc; otherwise the second array is -inf throughout.

    Notes
    -----
    A span is stored by one end and its length, once for each end, so that the splits of all spans of one length
    are two slices. O(n^3) time in O(n) array operations a length.
    """
    # A tree sums n weights: raised by that much rounding each, float sums bound the exact ones.
    weights = round_up_for_sum(weights, len(weights))
    charge_work(2 * len(weights) ** 3, 15 * len(weights))
    if through:
        charge_work(6 * len(weights) ** 3, 30 * len(weights))
    if single_root:
        return _single(weights, through)
    spans = _Spans(weights)
    spans.inside()
    value = float(spans.right[0, -1])
    if not through:
        return value, np.full(weights.shape, -np.inf)
    spans.outside_right[0, -1] = 0.0
    return value, spans.outside()


def _single(weights: FloatArray, through: bool) -> tuple[float, FloatArray]:
    # One root: the tree is an arc from the root to m, and complete spans of m over all words on either side.
    words = _Spans(weights[1:, 1:])
    words.inside()
    n = len(weights) - 1
    m = np.arange(n)
    left, right = words.left[m, m], words.right[m, n - 1 - m]
    roots = weights[0, 1:] + left + right
    each = np.full(weights.shape, -np.inf)
    if not through:
        return float(roots.max()), each
    words.outside_left[m, m] = weights[0, 1:] + right
    words.outside_right[m, n - 1 - m] = weights[0, 1:] + left
    each[0, 1:] = roots
    each[1:, 1:] = words.outside()
    return float(roots.max()), each


class _Spans:
    """Complete (`right`, `left`) and incomplete (`arc_right`, `arc_left`) spans [end with the head, length]."""

    def __init__(self, weights: FloatArray) -> None:
        self.weights = weights
        n = self.n = len(weights)
        none = np.full((n, n), -np.inf)
        self.right, self.left, self.arc_right, self.arc_left = (none.copy() for _ in range(4))
        # The same complete spans [end without the head, length].
        self.right_by_end, self.left_by_start = none.copy(), none.copy()
        for array in (self.right, self.left, self.right_by_end, self.left_by_start):
            array[:, 0] = 0.0
        self.outside_right, self.outside_left = none.copy(), none.copy()
        self.outside_by_end, self.outside_by_start = none.copy(), none.copy()
        self.outside_arc_right, self.outside_arc_left = none.copy(), none.copy()

    def inside(self) -> None:
        """Build spans from shorter ones, for all positions of one length at once."""
        for k in range(1, self.n):
            # The two spans below an arc meet between words; those of a complete span meet at its outermost
            # modifier (Eisner 1996).
            i, j = np.arange(self.n - k), np.arange(k, self.n)
            joined = (self.right[: self.n - k, :k] + self.left[k:, k - 1 :: -1][:, :k]).max(axis=1)
            self.arc_right[i, k] = joined + self.weights[i, j]
            self.arc_left[j, k] = joined + self.weights[j, i]
            rightward = self.arc_right[: self.n - k, 1 : k + 1] + self.right_by_end[k:, k - 1 :: -1][:, :k]
            leftward = self.arc_left[k:, 1 : k + 1] + self.left_by_start[: self.n - k, k - 1 :: -1][:, :k]
            self.right[i, k] = self.right_by_end[j, k] = rightward.max(axis=1)
            self.left[j, k] = self.left_by_start[i, k] = leftward.max(axis=1)

    def outside(self) -> FloatArray:
        """Return the best total through each arc, from outside values that the caller has set for whole spans."""
        through = np.full((self.n, self.n), -np.inf)
        # From long spans to short ones: the outside value of a span needs those of the longer ones around it.
        for k in range(self.n - 1, 0, -1):
            low, high = slice(0, self.n - k), slice(k, self.n)
            i, j = np.arange(self.n - k), np.arange(k, self.n)
            for outside, twin, arc, mate, mate_outside, arc_outside, heads, others in (
                (
                    self.outside_right[i, k], self.outside_by_end[j, k], self.arc_right, self.right_by_end,
                    self.outside_by_end, self.outside_arc_right, low, high,
                ),
                (
                    self.outside_left[j, k], self.outside_by_start[i, k], self.arc_left, self.left_by_start,
                    self.outside_by_start, self.outside_arc_left, high, low,
                ),
            ):  # fmt: skip
                # A complete span is stored twice, by either end; both copies collect outside values.
                total = np.maximum(outside, twin)[:, None]
                down = slice(k - 1, None, -1)
                _raise(arc_outside[heads, 1 : k + 1], total + mate[others, down][:, :k])
                _raise(mate_outside[others, down][:, :k], total + arc[heads, 1 : k + 1])
            through[i, j] = self.outside_arc_right[i, k] + self.arc_right[i, k]
            through[j, i] = self.outside_arc_left[j, k] + self.arc_left[j, k]
            joined = np.maximum(
                self.outside_arc_right[i, k] + self.weights[i, j], self.outside_arc_left[j, k] + self.weights[j, i]
            )[:, None]
            _raise(self.outside_right[low, :k], joined + self.left[high, k - 1 :: -1][:, :k])
            _raise(self.outside_left[high, k - 1 :: -1][:, :k], joined + self.right[low, :k])
        return through


def _raise(where: FloatArray, to: FloatArray) -> None:
    np.maximum(where, to, out=where)
