"""Fixed-point numbers for resources, whose sums are exact: rounding decides about no window (decision 046)."""

from __future__ import annotations

import numpy as np

import gapless_kernels as kernels
from gapless.arrays.sparse import FloatArray
from gapless.errors import InvalidProblem
from gapless.rcsp.network import Network

BINARY_PLACES = 40
"""Number of binary places of the largest number that rounding keeps."""

WINDOW_GROWTH = 2.0**11
"""Growth of windows in units of the last place, for numbers that are rounded: half a unit for each of 4096 arcs."""


def power_below(x: float) -> float:
    """Return the largest power of two that is no larger than a positive number."""
    return float(2.0 ** np.floor(np.log2(x)))


COARSE = 1e-3
"""Limit on the growth of windows, in uses of the largest arc, if some end that much earlier than others."""


def clip_unreachable(use: FloatArray, lower: FloatArray, upper: FloatArray, network: Network) -> FloatArray:
    """Reduce the ends of windows to the largest sums that can still reach the sink; no use may be negative."""
    # Users write a large number for "no limit"; it would set the unit, and round the uses away.
    s, t = network.source, network.sink
    start = max(0.0, lower[s])
    ends = np.where(np.arange(lower.size) == t, lower, -np.inf)
    _, late, _ = kernels.label_windows(network.tails, network.heads, use, ends, upper, start, s, t)
    return np.minimum(upper, np.where(late > -np.inf, late, max(late[t], 0.0)))


def exact(
    use: FloatArray, lower: FloatArray, upper: FloatArray, waits: bool, source: int, location: str
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Round to multiples of one power of two; if any number is rounded, windows grow by `WINDOW_GROWTH` units."""
    numbers = np.concatenate([use, lower, upper])
    numbers = numbers[np.isfinite(numbers)]
    size = np.abs(numbers).max() if numbers.size else 0.0
    if size == 0.0:
        return use, lower, upper
    # 40 places of 53 leave 13 bits for the sum of 4096 arcs: float64 adds such numbers without rounding.
    unit = power_below(min(float(size), 2.0**1000)) * 2.0 ** (1 - BINARY_PLACES)
    # Integers, and all other multiples of the unit, stay exactly as they are.
    if (np.rint(numbers / unit) * unit == numbers).all():
        return use, lower, upper
    largest_use = float(np.abs(use).max(initial=0.0))
    ends = np.delete(np.stack([upper] if waits else [lower, upper]), source, axis=1)
    if 0 < COARSE * largest_use < WINDOW_GROWTH * unit and (np.abs(ends) < COARSE * size).any():
        raise InvalidProblem(
            f"{location}: {size:g} as the end of a window is too large for uses of at most {largest_use:g}, which "
            "would be rounded away; give inf, or -inf, where there is no limit"
        )
    use, lower, upper = (np.rint(array / unit) * unit for array in (use, lower, upper))
    # Waiting lifts a sum to the lower end, so no sum can be too small by rounding: that end need not move.
    with np.errstate(over="ignore"):  # beyond the largest float, there is no limit
        return use, lower if waits else lower - WINDOW_GROWTH * unit, upper + WINDOW_GROWTH * unit
