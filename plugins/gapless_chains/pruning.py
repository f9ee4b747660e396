"""Pruning of a forward pass from transitions alone: bounds and dominance of leaving a label."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from gapless.core.sparse import FloatArray
from gapless_chains.dominance_cache import dominance_cache
from gapless_chains.once_per_array import OncePerArray

Pruning = Callable[[FloatArray, int], Mapping[str, FloatArray]]
"""From the transitions, and how many tokens are to be decoded, to what `gapless_kernels.k_best_batch` prunes by;
nothing for varying transitions."""


def _leaving(transition: FloatArray) -> tuple[FloatArray, FloatArray]:
    # Nobody can go to a label that all transitions to are forbidden.
    reached = (transition > -np.inf).any(axis=0)
    return (
        np.min(transition, axis=1, where=reached, initial=np.inf) if reached.any() else transition.min(axis=1),
        transition.max(axis=1),
    )


def _excess(transition: FloatArray) -> FloatArray:
    tables = dominance_cache(transition).build()
    excess = tables.excess[:, : tables.labels] + tables.gauge
    excess -= tables.gauge[:, None]
    return excess


leaving_bounds = OncePerArray(_leaving)
"""For transitions (K, K): at most and at least every score of leaving each label, two float64 (K,)."""

leaving_excess = OncePerArray(_excess)
"""For transitions (K, K): entry ``[y, x]`` is the most that leaving x can gain on leaving y, float64 (K, K)."""


def by_nothing(transition: FloatArray, tokens: int) -> Mapping[str, FloatArray]:
    """Viterbi: every label offers something to every other."""
    return {}


def by_bounds(transition: FloatArray, tokens: int) -> Mapping[str, FloatArray]:
    """Viterbi with pruning, Belanger et al. 2012, eq. 14."""
    if transition.ndim == 3:
        return {}
    lower, upper = leaving_bounds(transition)
    return {"lower": lower, "upper": upper}


def by_dominance(transition: FloatArray, tokens: int) -> Mapping[str, FloatArray]:
    """One-pass dominance: a label is dropped when another is ahead by more than leaving it can gain.

    As long as the table would not pay, by bounds: they cost next to nothing, so transitions may change at every
    step of a training.
    """
    if transition.ndim == 3 or dominance_cache(transition).worth_it(tokens) is None:
        return by_bounds(transition, tokens)
    return {"table": leaving_excess(transition)}
