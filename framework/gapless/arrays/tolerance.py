"""Tolerances for comparing scores, in one place, so that "meets" means the same in every proof."""

from __future__ import annotations

import math

import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray

RELATIVE = 1e-8
"""Small enough to tell integer scores of tens of millions apart, large enough for a simplex optimum."""

ROUNDING = 1e-6
"""Distance below a multiple within which a bound is rounded up to it: rounding up keeps the bound valid."""

INTEGRAL = 1e-6
"""Distance from a whole number within which a value of a linear program counts as one, and a row as satisfied."""

EPSILON = 2.0**-52
"""Distance between neighbouring float64 numbers just above 1."""


def score_tolerance(value: float) -> float:
    """Return the difference that float64 arithmetic and LP solvers may leave between equal scores near `value`."""
    return RELATIVE * max(1.0, abs(value)) if math.isfinite(value) else 0.0


def rounding(decisions: int, size: float, largest_term: float = 0.0) -> float:
    """Bound the difference of two float64 sums of the same structure's score, in different orders.

    If large terms cancel, this exceeds `score_tolerance` of the sum (decision 058; Higham, *Accuracy and Stability
    of Numerical Algorithms*, 2002, section 4.2).

    Parameters
    ----------
    decisions : int
        Number of summed decisions; each adds its weight and at most one internal term.
    size : float
        Sum of the absolute weights.
    largest_term : float
        See `Maximiser.internal_score_limit` and `ConfigurationFactor.largest_term`.
    """
    # A weight and a term for each decision; 4 more for the constant, the last additions and their own rounding.
    # The compiled search computes the same number (`gs_sum_rounding`).
    terms = 2 * decisions + 4
    return EPSILON * terms * (size + terms * largest_term)


def meets(bound: float, value: float, relative: float = 0.0) -> bool:
    """Return whether `bound` exceeds `value` by at most `score_tolerance` or the share `relative`."""
    if bound == value:  # also two equal infinities, whose difference is NaN
        return True
    if not (math.isfinite(bound) and math.isfinite(value)):
        return bound < value
    return bound - value <= max(score_tolerance(value), relative * max(1.0, abs(value)))


def round_bound(bound: float, granularity: float | None) -> float:
    """Return the largest multiple of `granularity` that does not exceed an upper bound, up to numerical noise."""
    if granularity is None or not math.isfinite(bound):
        return bound
    multiple = bound / granularity
    if not abs(multiple) < 2.0**52:  # all doubles of this size are multiples
        return bound
    # `ROUNDING` is absolute; for large multiples the relative error of the bound exceeds it.
    return math.floor(multiple + ROUNDING * max(1.0, RELATIVE / ROUNDING * abs(multiple))) * granularity


def off_grid(values: FloatArray, granularity: float, tolerance: float = 1e-3 * ROUNDING) -> BoolArray:
    """Mark finite values that are not multiples of `granularity`, beyond float64 rounding and `tolerance`.

    The default is a thousandth of the tolerance of `round_bound`, because a structure's value sums many of them.
    """
    with np.errstate(over="ignore"):
        multiples = np.abs(np.where(np.isfinite(values), values, 0.0) / granularity)
    multiples = np.minimum(multiples, 2.0**52)  # from there on `round_bound` rounds nothing
    off: BoolArray = np.abs(multiples - np.rint(multiples)) > tolerance + 8.0 * EPSILON * multiples
    return off
