"""Pruning of a forward pass from transitions alone: bounds and dominance of leaving a label."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from gapless.arrays.sparse import FloatArray
from gapless_chains.dominance_cache import dominance_cache
from gapless_chains.identity_cache import IdentityCache

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
