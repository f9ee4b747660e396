"""Resources in numbers whose sums are exact: no window is missed, or kept, by a rounding."""

from __future__ import annotations

import numpy as np

import gapless_kernels.labels as kernels
from gapless.core.errors import InvalidProblem
from gapless.core.sparse import FloatArray
from gapless.labelling.network import Network

PLACES = 40
"""Binary places of the largest number that are kept."""

SLACK = 2.0**11
"""The most by which a window may be missed, in units of the last place: half of one for each of 4096 arcs."""


def power_below(x: float) -> float:
    """The largest power of two that is no larger than a positive number."""
    return float(2.0 ** np.floor(np.log2(x)))


COARSE = 1e-3
"""The most by which windows may grow, in uses of the largest arc, where some end that much earlier than others."""


def in_reach(use: FloatArray, lower: FloatArray, upper: FloatArray, network: Network) -> FloatArray:
    """Ends of windows without what no sum that comes to the sink can be: large numbers that stand for no limit.

    No use is negative.
    """
    s, t = network.source, network.sink
    start = max(0.0, lower[s])
    ends = np.where(np.arange(lower.size) == t, lower, -np.inf)
    _, late, _ = kernels.label_windows(network.tails, network.heads, use, ends, upper, start, s, t)
    return np.minimum(upper, np.where(late > -np.inf, late, max(late[t], 0.0)))


def exact(
    use: FloatArray, lower: FloatArray, upper: FloatArray, waits: bool, source: int, place: str
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Round to multiples of one power of two; where anything is rounded, windows grow by `SLACK` units."""
    every = np.concatenate([use, lower, upper])
    every = every[np.isfinite(every)]
    size = np.abs(every).max() if every.size else 0.0
    if size == 0.0:
        return use, lower, upper
    unit = power_below(min(float(size), 2.0**1000)) * 2.0 ** (1 - PLACES)
    if (np.rint(every / unit) * unit == every).all():
        return use, lower, upper
    most = float(np.abs(use).max(initial=0.0))
    ends = np.delete(np.stack([upper] if waits else [lower, upper]), source, axis=1)
    if 0 < COARSE * most < SLACK * unit and (np.abs(ends) < COARSE * size).any():
        raise InvalidProblem(
            f"{place}: {size:g} as the end of a window is too large for uses of at most {most:g}, which would be "
            "rounded away; give inf, or -inf, where there is no limit"
        )
    use, lower, upper = (np.rint(array / unit) * unit for array in (use, lower, upper))
    with np.errstate(over="ignore"):  # beyond the largest float, there is no limit
        return use, lower if waits else lower - SLACK * unit, upper + SLACK * unit
