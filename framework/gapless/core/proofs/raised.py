"""Scores raised by what float64 may round away, so that bounds hold for exact sums."""

from __future__ import annotations

import math

import numpy as np

from gapless.core.sparse import FloatArray

ULP = 2.0**-52
"""Twice the relative error of one rounded addition."""


def raised(scores: FloatArray, additions: int) -> FloatArray:
    """The scores, each raised so that a float64 sum of them is no less than the exact sum of the given ones.

    A summand that goes through k additions is off by at most k half ulps of its own size, whatever the others are.
    So each pays for itself, and a large score that is in no good tree costs nothing. `scores` (float64): finite or
    -inf. `additions`: limit on the additions that a summand goes through; those of 0 are exact.
    """
    size = np.where(np.isfinite(scores), np.abs(scores), 0.0)
    higher: FloatArray = scores + size * (ULP * (additions + 4))
    return higher


def above(value: float) -> float:
    """The next larger number; -inf, which is exact, stays."""
    return math.nextafter(value, math.inf) if value > -math.inf else value


def all_above(values: FloatArray) -> FloatArray:
    """As `above`, for each; float64 of any shape."""
    higher: FloatArray = np.where(values > -np.inf, np.nextafter(values, np.inf), -np.inf)
    return higher
