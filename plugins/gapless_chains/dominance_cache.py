"""Dominance tables of transition scores: built once for each array, and only when they will pay."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from gapless.arrays.sparse import FloatArray
from gapless_chains.identity_cache import IdentityCache
from gapless_kernels import DominanceTables, dominance_tables


class DominanceCache:
    """Dominance tables of one transition matrix, (K, K), by the type of the label scores they serve.

    A table costs K^3 operations, as much as decoding K tokens without one; whether it pays depends on how many
    tokens will ever be decoded. This is the ski-rental problem: renting until the rent
    paid equals the price, then buying, never costs more than twice the optimum in hindsight.
    """

    def __init__(self, transition: FloatArray) -> None:
        # A copy: what is remembered for an array must not keep the array alive.
        self._transition = np.array(transition)
        self._built: dict[np.dtype[Any], DominanceTables] = {}
        self._rented = 0
        self._lock = threading.Lock()  # threads decode parts of one batch

    def build(self, dtype: np.dtype[Any] | type[Any] = np.float64) -> DominanceTables:
        """Return the tables for scores of type `dtype`; build them on the first call."""
        kind = np.dtype(dtype)
        with self._lock:
            if kind not in self._built:
                self._built[kind] = dominance_tables(self._transition, kind)
            return self._built[kind]

    def worth_it(self, tokens: int, dtype: np.dtype[Any] | type[Any] = np.float64) -> DominanceTables | None:
        """Return the tables if they exist or `tokens` more tokens pay for them; None means to decode without."""
        kind = np.dtype(dtype)
        if kind not in self._built:
            self._rented += tokens
            # K tokens without a table cost K^3 operations, the price of the table (ski rental, competitive
            # ratio 2).
            if self._rented < len(self._transition):
                return None
        return self.build(kind)


dominance_cache = IdentityCache(DominanceCache)
