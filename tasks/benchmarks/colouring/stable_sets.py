"""The heaviest stable set of a graph, exactly."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gapless.roles import BoolArray, FloatArray


class StableSets:
    """Branch and bound over sets of vertices as the bits of whole numbers.

    Cliques that cover the open vertices bound the weight (Kumlander 2004).

    Parameters
    ----------
    weights : float64 (n,)
    adjacent : bool (n, n)
    above : float
        Weight to beat.
    """

    def __init__(self, weights: FloatArray, adjacent: BoolArray, above: float) -> None:
        order = np.argsort(-weights, kind="stable")
        self._order = order[weights[order] > 0]
        self._weights = weights[self._order].tolist()
        packed = np.packbits(adjacent[np.ix_(self._order, self._order)], axis=1, bitorder="little")
        self._adjacent = [int.from_bytes(row.tobytes(), "little") for row in packed]
        self.best = above
        self.found: list[tuple[float, int]] = []
        self._search((1 << self._order.size) - 1, 0.0, 0)

    def _search(self, open_ones: int, weight: float, chosen: int) -> None:
        weights, adjacent = self._weights, self._adjacent
        order = []
        bound, left = weight, open_ones
        while left:
            low = left & -left
            v = low.bit_length() - 1
            bound += weights[v]
            left ^= low
            order.append((v, low, bound))
            clique = left & adjacent[v]
            while clique:
                low = clique & -clique
                v = low.bit_length() - 1
                left ^= low
                clique &= adjacent[v]
                order.append((v, low, bound))
        for v, bit, most in reversed(order):
            if most <= self.best + 1e-12:
                return
            open_ones ^= bit
            rest = open_ones & ~adjacent[v]
            reached = weight + weights[v]
            if rest:
                self._search(rest, reached, chosen | bit)
            elif reached > self.best:
                self.best = reached
                self.found.append((reached, chosen | bit))

    def sets(self) -> Iterator[tuple[float, list[int]]]:
        """The sets found, heaviest first, with their weights."""
        for weight, chosen in reversed(self.found):
            yield weight, [int(v) for place, v in enumerate(self._order) if chosen >> place & 1]
