"""Good-Turing discounts of counts."""

from __future__ import annotations

import numpy as np

import gapless as gl
from gapless.arrays.sparse import FloatArray, IntArray

SIGNIFICANT = 1.96
"""Standard deviations by which Turing's estimate must differ from the smoothed one to be preferred."""


def discounts(counts: IntArray) -> FloatArray:
    """Compute the discounts of events that were seen r times.

    Source: Gale and Sampson, Good-Turing Frequency Estimation Without Tears (1995), without their last step, the
    renormalisation: what is left over goes to back-off here. NLTK's `SimpleGoodTuringProbDist` estimates the same
    for one distribution, without back-off.

    Parameters
    ----------
    counts : int64 (events,)
        Counts of the events; all positive.

    Returns
    -------
    float64 (largest count + 1,)
        ``r* / r`` for each r that occurs, strictly between 0 and 1; 0 for others.

    Raises
    ------
    InvalidProblem
        Too little text: the counts of counts do not fall as those of language do.
    """
    sizes, times = np.unique(counts, return_counts=True)
    slope = _slope(sizes, times) if sizes.size > 1 else 0.0
    if slope >= -1.0:
        raise gl.InvalidProblem(
            f"{counts.size} different events seen {int(counts.sum())} times are too little text for Good-Turing "
            "smoothing; give more sections"
        )
    adjusted = sizes * (1.0 + 1.0 / sizes) ** (slope + 1.0)
    for i in range(sizes.size - 1):
        r, now, above = float(sizes[i]), float(times[i]), float(times[i + 1])
        turing = (r + 1.0) * above / now
        deviation = (r + 1.0) * np.sqrt(above / now**2 * (1.0 + above / now))
        if sizes[i + 1] != r + 1 or turing >= r or abs(turing - adjusted[i]) <= SIGNIFICANT * deviation:
            break
        adjusted[i] = turing
    rates = np.zeros(int(sizes[-1]) + 1)
    rates[sizes] = adjusted / sizes
    return rates


def _slope(seen: IntArray, times: IntArray) -> float:
    """Fit the slope of the line through the log counts of counts, each averaged over the gap around it."""
    previous = np.concatenate([[0], seen[:-1]])
    following = np.concatenate([seen[1:], [2 * seen[-1] - previous[-1]]])
    x, y = np.log(seen), np.log(2.0 * times / (following - previous))
    x -= x.mean()
    return float(x @ (y - y.mean()) / (x @ x))
