"""Tolerances for equal scores, in one place, so that "meets" means the same in every proof."""

from __future__ import annotations

import math

import numpy as np

from gapless.core.sparse import BoolArray, FloatArray

RELATIVE = 1e-8
"""Small enough to tell integer scores of tens of millions apart, large enough for a simplex optimum."""

ROUNDING = 1e-6
"""Distance below a multiple at which a bound still counts as the multiple: erring upward keeps the bound true."""

INTEGRAL = 1e-6
"""Distance from a whole number within which a value of a linear program counts as one, and a row as satisfied."""

EPSILON = 2.0**-52
"""The distance between float64 numbers near 1."""


def margin(value: float) -> float:
    """Difference that float64 arithmetic and LP solvers may leave between equal scores near `value`."""
    return RELATIVE * max(1.0, abs(value)) if math.isfinite(value) else 0.0


def rounding(decisions: int, size: float, largest_term: float = 0.0) -> float:
    """Limit on the difference of two float64 sums of the score of so many decisions, in other orders.

    Where large terms cancel, this exceeds `margin` of the sum.

    Parameters
    ----------
    decisions : int
        Each adds a weight and, at most, one term of its own.
    size : float
        Sum of the sizes of the weights.
    largest_term : float
        See `Maximiser.own_size` and `ConfigurationFactor.largest_term`.
    """
    terms = 2 * decisions + 4
    return EPSILON * terms * (size + terms * largest_term)


def meets(bound: float, value: float, relative: float = 0.0) -> bool:
    """Whether `bound` exceeds `value` by no more than the margin (or `relative`)."""
    if bound == value:
        return True
    if not (math.isfinite(bound) and math.isfinite(value)):
        return bound < value
    return bound - value <= max(margin(value), relative * max(1.0, abs(value)))


def round_bound(bound: float, granularity: float | None) -> float:
    """The largest multiple of `granularity` below an upper bound, up to numerical noise."""
    if granularity is None or not math.isfinite(bound):
        return bound
    multiple = bound / granularity
    if not abs(multiple) < 2.0**52:  # all doubles of this size are multiples
        return bound
    return math.floor(multiple + ROUNDING * max(1.0, RELATIVE / ROUNDING * abs(multiple))) * granularity


def off_grid(values: FloatArray, granularity: float, forgiven: float = 1e-3 * ROUNDING) -> BoolArray:
    """Mask of finite values that are not multiples of `granularity`, beyond float64 rounding and `forgiven`.

    By default a thousandth of the tolerance of `round_bound`, because a structure's value is a sum of many.
    """
    with np.errstate(over="ignore"):
        multiples = np.abs(np.where(np.isfinite(values), values, 0.0) / granularity)
    multiples = np.minimum(multiples, 2.0**52)  # from there on `round_bound` rounds nothing
    off: BoolArray = np.abs(multiples - np.rint(multiples)) > forgiven + 8.0 * EPSILON * multiples
    return off
