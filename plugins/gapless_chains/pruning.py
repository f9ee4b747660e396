"""Tables for pruning by transitions alone, built once for each array: bounds and dominance of leaving a label."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
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


Pruning = Callable[[FloatArray, int], Mapping[str, FloatArray]]
"""Maps transitions and the number of tokens to decode to the pruning arguments of `gapless_kernels.k_best_batch`;
no arguments for transitions that vary."""


def _leaving(transition: FloatArray) -> tuple[FloatArray, FloatArray]:
    # A label is unreachable if every transition into it is forbidden.
    reachable = (transition > -np.inf).any(axis=0)
    return (
        # If no label is reachable, there is nothing to leave for, and any bound is right.
        np.min(transition, axis=1, where=reachable, initial=np.inf) if reachable.any() else transition.min(axis=1),
        transition.max(axis=1),
    )


def _excess(transition: FloatArray) -> FloatArray:
    tables = dominance_cache(transition).build()
    # The tables hold centred transitions; their gauge turns the excess back into that of the model's own
    # scores.
    excess = tables.excess[:, : tables.labels] + tables.gauge
    excess -= tables.gauge[:, None]
    return excess


leaving_bounds = IdentityCache(_leaving)
"""For transitions (K, K): at most and at least every score of leaving each label, two float64 (K,)."""

leaving_excess = IdentityCache(_excess)
"""For transitions (K, K): entry ``[y, x]`` is the most that leaving x can gain on leaving y, float64 (K, K)."""


def by_nothing(transition: FloatArray, tokens: int) -> Mapping[str, FloatArray]:
    """Prune nothing: plain Viterbi."""
    return {}


def by_bounds(transition: FloatArray, tokens: int) -> Mapping[str, FloatArray]:
    """Prune by bounds on leaving a label, Belanger et al. 2012, eq. 14."""
    if transition.ndim == 3:
        return {}
    lower, upper = leaving_bounds(transition)
    return {"lower": lower, "upper": upper}


def by_dominance(transition: FloatArray, tokens: int) -> Mapping[str, FloatArray]:
    """Prune by dominance: drop a label if another is ahead by more than leaving it can gain.

    Uses bounds while the table would not pay: they cost next to nothing, so that transitions may change at every
    step of a training.
    """
    if transition.ndim == 3 or dominance_cache(transition).worth_it(tokens) is None:
        return by_bounds(transition, tokens)
    return {"table": leaving_excess(transition)}
