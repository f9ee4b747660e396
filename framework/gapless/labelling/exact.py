"""Resources in numbers whose sums are exact: no window is missed, or kept, by a rounding."""

from __future__ import annotations

import numpy as np

from gapless.core.sparse import FloatArray

PLACES = 40
"""Binary places of the largest number that are kept."""

SLACK = 2.0**11
"""The most by which a window may be missed, in units of the last place: half of one for each of 4096 arcs."""


def power_below(x: float) -> float:
    """The largest power of two that is no larger than a positive number."""
    return float(2.0 ** np.floor(np.log2(x)))


def exact(
    use: FloatArray, lower: FloatArray, upper: FloatArray, waits: bool
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Round to multiples of one power of two; where anything is rounded, windows grow by `SLACK` units."""
    every = np.concatenate([use, lower, upper])
    every = every[np.isfinite(every)]
    size = np.abs(every).max() if every.size else 0.0
    if size == 0.0:
        return use, lower, upper
    unit = power_below(float(size)) * 2.0 ** (1 - PLACES)
    if (np.rint(every / unit) * unit == every).all():
        return use, lower, upper
    use, lower, upper = (np.rint(array / unit) * unit for array in (use, lower, upper))
    return use, lower if waits else lower - SLACK * unit, upper + SLACK * unit
