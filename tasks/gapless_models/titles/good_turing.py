"""Good-Turing discounts of counts."""

from __future__ import annotations

import numpy as np

import gapless as gl
from gapless.core.sparse import FloatArray, IntArray

SIGNIFICANT = 1.96
"""Standard deviations by which Turing's estimate must differ from the smoothed one to be preferred."""


def discounts(counts: IntArray) -> FloatArray:
    """By how much events are discounted that were seen r times.

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
    seen, times = np.unique(counts, return_counts=True)
    slope = _slope(seen, times) if seen.size > 1 else 0.0
    if slope >= -1.0:
        raise gl.InvalidProblem(
            f"{counts.size} different events seen {int(counts.sum())} times are too little text for Good-Turing "
            "smoothing; give more sections"
        )
    adjusted = seen * (1.0 + 1.0 / seen) ** (slope + 1.0)
    for i in range(seen.size - 1):
        r, now, above = float(seen[i]), float(times[i]), float(times[i + 1])
        turing = (r + 1.0) * above / now
        deviation = (r + 1.0) * np.sqrt(above / now**2 * (1.0 + above / now))
        if seen[i + 1] != r + 1 or turing >= r or abs(turing - adjusted[i]) <= SIGNIFICANT * deviation:
            break
        adjusted[i] = turing
    found = np.zeros(int(seen[-1]) + 1)
    found[seen] = adjusted / seen
    return found


def _slope(seen: IntArray, times: IntArray) -> float:
    """Of the line through the logarithms of the counts of counts, each averaged over the gap around it."""
    before = np.concatenate([[0], seen[:-1]])
    after = np.concatenate([seen[1:], [2 * seen[-1] - before[-1]]])
    x, y = np.log(seen), np.log(2.0 * times / (after - before))
    x -= x.mean()
    return float(x @ (y - y.mean()) / (x @ x))
