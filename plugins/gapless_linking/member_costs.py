"""Costs of single candidates: their distances from the anchors minus their prior."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray


def unary_costs(anchor_lengths: Iterable[tuple[float, FloatArray]], prior: FloatArray) -> FloatArray:
    """Sum the weighted distances from the anchors and subtract the prior, float64 (N,); inf forbids.

    Parameters
    ----------
    anchor_lengths : pairs of a weight and float64 (N,)
        For each anchor its weight, which is not 0, and its distance from each candidate.
    prior : float64 (N,)
        In units of the cost.
    """
    costs = np.zeros(prior.size)
    for weight, lengths in anchor_lengths:
        # A negative weight must not turn an unreachable anchor into a reward without bound.
        costs += np.where(np.isinf(lengths), np.inf, weight * lengths)
    return costs - prior


def centred(costs: FloatArray, first: IntArray) -> tuple[FloatArray, float]:
    """Split costs into the minimum of each set and the excess over it; return the excesses and the sum of minima.

    The minimum of a set counts as 0 if the whole set is forbidden.
    """
    minima = np.minimum.reduceat(costs, first[:-1])
    # inf - inf would turn forbidden candidates into NaN.
    minima[np.isinf(minima)] = 0.0
    excess = costs - np.repeat(minima, np.diff(first))
    excess.flags.writeable = False
    return excess, math.fsum(minima.tolist())


def granularity(costs: FloatArray) -> float | None:
    """Return the step between integral totals: 2 if all `costs` are even, 1 if integers, else None.

    Each distance counts twice, once for either order of its pair.
    """
    finite = costs[np.isfinite(costs)]
    if np.any(finite != np.floor(finite)):
        return None
    return 1.0 if np.any(finite % 2) else 2.0
