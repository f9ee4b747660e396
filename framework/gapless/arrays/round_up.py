"""Upward rounding of float64 scores, so that bounds hold for exact sums."""

from __future__ import annotations

import math

import numpy as np

from gapless.arrays.sparse import FloatArray

ULP = 2.0**-52
"""Twice the relative error of one rounded addition."""


def round_up_for_sum(scores: FloatArray, additions: int) -> FloatArray:
    """Raise each score so that a float64 sum of the results is no less than the exact sum of the given scores.

    A summand that goes through k additions is off by at most k half ulps of its own size, whatever the others are
    (Higham, *Accuracy and Stability of Numerical Algorithms*, 2002, section 4.2). Each score is raised by a share
    of its own size, so a large score outside the best structure leaves the bound as it is.

    Parameters
    ----------
    scores : float64
        Finite or -inf.
    additions : int
        Limit on the additions that a summand goes through; adding 0 is exact and does not count.
    """
    # A full ulp per addition is twice the error; 4 more cover this multiplication and second-order terms.
    size = np.where(np.isfinite(scores), np.abs(scores), 0.0)
    higher: FloatArray = scores + size * (ULP * (additions + 4))
    return higher


def next_float(value: float) -> float:
    """Return the next larger float64; -inf, which is exact, stays."""
    return math.nextafter(value, math.inf) if value > -math.inf else value


def next_floats(values: FloatArray) -> FloatArray:
    """As `next_float`, elementwise; float64 of any shape."""
    higher: FloatArray = np.where(values > -np.inf, np.nextafter(values, np.inf), -np.inf)
    return higher
