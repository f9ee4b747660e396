"""The *Maximiser* role: non-crossing pairs of largest weight (Nussinov and Jacobson 1980), and max-marginals.

The twin of ``_noncrossing.pyx``: the same recursion, row by row in NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gapless.roles import Fixings, Maximiser, MaxMarginals, Optimum
from gapless_rna_folding.dotbracket import Structure

Floats = NDArray[np.float64]


class NonCrossing(Maximiser[Structure]):
    """Non-crossing pairs of `length` bases, each base in one at most; decision d pairs ``left[d] < right[d]``.

    Time O(n * pairs) for solving and for slacks, memory O(n^2).

    Parameters
    ----------
    length : int
    left, right : int64 (pairs,)
        Sorted by left base, then by right.
    """

    def __init__(self, length: int, left: NDArray[np.int64], right: NDArray[np.int64]) -> None:
        self.length, self.left, self.right = length, left, right
        self.first = np.searchsorted(left, np.arange(length + 1))

    def solve(self, weights: Floats, fixings: Fixings) -> Optimum[Structure]:
        """Find the best structure; at ties, the one in which the first bases stay unpaired."""
        worth, alone = self._fixed(weights, fixings)
        inside = self._inside(worth, alone)
        if inside[0, -1] == -np.inf:
            return Optimum(-np.inf, np.zeros(0, np.int64))
        found, spans = [], [(0, self.length)]
        while spans:
            i, end = spans.pop()
            while i < end and inside[i, end] == alone[i] + inside[i + 1, end]:
                i += 1
            if i < end:
                of_i = np.arange(self.first[i], self.first[i + 1])
                of_i = of_i[self.right[of_i] < end]
                k = self.right[of_i]
                d = int(of_i[np.argmax(worth[of_i] + inside[i + 1, k] + inside[k + 1, end])])
                found.append(d)
                spans += [(i + 1, int(self.right[d])), (int(self.right[d]) + 1, end)]
        on_ids = np.array(sorted(found), np.int64)
        structure = tuple(zip(self.left[on_ids].tolist(), self.right[on_ids].tolist(), strict=True))
        return Optimum(float(inside[0, -1]), on_ids, structure)

    def max_marginals(self, weights: Floats, fixings: Fixings) -> MaxMarginals:
        """Compute max-marginals by an outside pass."""
        worth, alone = self._fixed(weights, fixings)
        inside = self._inside(worth, alone)
        best = inside[0, -1]
        if best == -np.inf:
            nothing = np.full(weights.size, np.inf)
            return MaxMarginals(nothing, nothing)
        with_on, with_alone = self._outside(worth, alone, inside)
        return MaxMarginals(
            np.maximum(best - with_on, 0.0), np.maximum(best - self._without(with_on, with_alone), 0.0)
        )

    def compiled(self) -> Any:
        """Return the recursion in C: the class of ``_noncrossing.pyx`` if it was built, else numba's, else None."""
        try:
            from gapless_rna_folding._noncrossing import NonCrossingPairs  # noqa: PLC0415  built by setup.py
        except ModuleNotFoundError:
            try:
                from gapless_rna_folding.by_numba import noncrossing_pairs  # noqa: PLC0415  numba is an extra
            except ModuleNotFoundError:
                return None
            return noncrossing_pairs(self.length, self.left, self.right)
        return NonCrossingPairs(self.length, self.left, self.right)

    def _fixed(self, weights: Floats, fixings: Fixings) -> tuple[Floats, Floats]:
        """Return weights of pairs, -inf if impossible; and 0 for each base that may stay unpaired, else -inf."""
        worth = np.where(fixings.state == 0, -np.inf, weights)
        alone = np.zeros(self.length)
        for d in fixings.on:
            for base in (self.left[d], self.right[d]):
                alone[base] = -np.inf
                worth[((self.left == base) | (self.right == base)) & (np.arange(worth.size) != d)] = -np.inf
        return worth, alone

    def _inside(self, worth: Floats, alone: Floats) -> Floats:
        """Tabulate the best structure of the bases i to j - 1, [i, j]."""
        n = self.length
        inside = np.full((n + 2, n + 1), -np.inf)
        np.fill_diagonal(inside[: n + 1], 0.0)
        for i in range(n - 1, -1, -1):
            row = inside[i]
            row[i + 1 :] = alone[i] + inside[i + 1, i + 1 :]
            for d in range(self.first[i], self.first[i + 1]):
                k = self.right[d]
                np.maximum(row[k + 1 :], (worth[d] + inside[i + 1, k]) + inside[k + 1, k + 1 :], out=row[k + 1 :])
        return inside[: n + 1]

    def _outside(self, worth: Floats, alone: Floats, inside: Floats) -> tuple[Floats, Floats]:
        """Compute the best value with each pair on, and with each base unpaired."""
        n = self.length
        outside = np.full((n + 1, n + 1), -np.inf)
        outside[0, n] = 0.0
        with_on, with_alone = np.full(worth.size, -np.inf), np.full(n, -np.inf)
        for i in range(n):
            left_alone = outside[i, i + 1 :] + alone[i]
            np.maximum(outside[i + 1, i + 1 :], left_alone, out=outside[i + 1, i + 1 :])
            with_alone[i] = (left_alone + inside[i + 1, i + 1 :]).max()
            for d in range(self.first[i], self.first[i + 1]):
                k = self.right[d]
                paired = outside[i, k + 1 :] + worth[d]
                around = (paired + inside[k + 1, k + 1 :]).max()
                with_on[d] = around + inside[i + 1, k]
                outside[i + 1, k] = max(outside[i + 1, k], around)
                np.maximum(outside[k + 1, k + 1 :], paired + inside[i + 1, k], out=outside[k + 1, k + 1 :])
        return with_on, with_alone

    def _without(self, with_on: Floats, with_alone: Floats) -> Floats:
        """Compute the best value without each pair: its left base is unpaired, or in another pair."""
        without = with_alone[self.left]
        for base in range(self.length):
            of_base = np.flatnonzero((self.left == base) | (self.right == base))
            for d in of_base[self.left[of_base] == base]:
                others = with_on[of_base[of_base != d]]
                without[d] = max(without[d], others.max(initial=-np.inf))
        return without
