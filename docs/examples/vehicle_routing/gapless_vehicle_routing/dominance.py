"""Walks of the verifier's program that a known one can replace: a few cheap ones of each place are asked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gapless_vehicle_routing.network import Ints

ASKED = 40
"""Known walks of a place that are compared with new ones."""


class Dominance:
    """The cheapest walks seen at each place; they dominate later ones.

    A walk replaces one of the same place that is no lighter, no earlier, remembers no less, and costs no less than
    it does with all prices of halves that it alone has.

    Parameters
    ----------
    places : int
    prices : int64 (rows,)
        Of the subset rows, in the order of their bits; at least 0.
    word : int
        Bits of a word of halves.
    """

    def __init__(self, places: int, prices: Ints, word: int) -> None:
        self.known: list[Ints | None] = [None] * places
        self.prices, self.word = prices, np.arange(prices.size) // word
        self.bit = np.arange(prices.size) % word
        self.exact = int(prices.sum()) < 2**53

    def keep(self, walks: Ints) -> Ints:
        """Keep the undominated walks (place, memory, time, cost, halves) of one weight; weights only rise."""
        if not self.exact:
            return walks
        order = np.lexsort((walks[3], walks[0]))
        walks = walks[:, order]
        ends = np.append(np.flatnonzero(np.diff(walks[0])) + 1, walks.shape[1])
        begin, kept = 0, []
        for end in ends.tolist():
            kept.append(self._here(walks[:, begin:end]))
            begin = end
        return np.concatenate(kept, axis=1)

    def _here(self, walks: Ints) -> Ints:
        """Those of one place, by rising cost."""
        place = int(walks[0, 0])
        known = self.known[place]
        if known is not None:
            walks = walks[:, ~self._replaced(walks, known).any(axis=0)]
        first = walks[:, :ASKED]
        earlier = np.arange(first.shape[1])[:, None] < np.arange(walks.shape[1])[None]
        walks = walks[:, ~(self._replaced(walks, first) & earlier).any(axis=0)]
        known = walks[:, :ASKED] if known is None else np.concatenate([known, walks[:, :ASKED]], axis=1)
        self.known[place] = known[:, np.argsort(known[3], kind="stable")[:ASKED]]
        return walks

    def _replaced(self, walks: Ints, by: Ints) -> NDArray[np.bool_]:
        """Whether each walk of `by` replaces each of `walks`."""
        if not (walks.size and by.size):
            return np.zeros((by.shape[1], walks.shape[1]), bool)
        mine, theirs = (w[4:][self.word] >> self.bit[:, None] & 1 for w in (walks, by))
        alone = (theirs.T * self.prices).astype(np.float64) @ (1.0 - mine)
        less = by[3][:, None] + alone.astype(np.int64) <= walks[3][None]
        less &= by[2][:, None] <= walks[2][None]
        less &= by[1][:, None] & ~walks[1][None] == 0
        return np.asarray(less)
