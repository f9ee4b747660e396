"""Whether one parser is better than another on the same sentences: paired bootstrap over sentences."""

from __future__ import annotations

import attrs
import numpy as np

from gapless_tasks.dependency_parsing.evaluation import Accuracy

DRAWS = 10_000


@attrs.frozen
class Comparison:
    """Two parsers on the same sentences.

    Parameters
    ----------
    difference : float
        UAS of the first minus UAS of the second, punctuation left out.
    low, high : float
        95 % interval of the difference.
    p : float
        One-sided: share of the draws in which the first is not better; at least one in `DRAWS` + 1.
    """

    difference: float
    low: float
    high: float
    p: float


def compare(one: Accuracy, other: Accuracy, seed: int = 0, draws: int = DRAWS) -> Comparison:
    """Draw the sentences anew, with replacement, and look how often the difference stays.

    Parameters
    ----------
    one, other : Accuracy
        Of the same sentences in the same order.
    seed : int
    draws : int

    Raises
    ------
    ValueError
        The two are not about the same words.
    """
    if not np.array_equal(one.counted, other.counted):
        raise ValueError("the two parsers were not evaluated on the same sentences")
    gained = (one.right - other.right).astype(np.float64)
    counted = one.counted.astype(np.float64)
    rng = np.random.default_rng(seed)
    count = gained.size
    drawn = np.empty(draws)
    for start in range(0, draws, 1000):  # a few megabytes at a time, whatever the number of sentences
        chosen = rng.integers(count, size=(min(1000, draws - start), count))
        drawn[start : start + len(chosen)] = gained[chosen].sum(axis=1) / np.maximum(counted[chosen].sum(axis=1), 1)
    low, high = np.quantile(drawn, [0.025, 0.975])
    difference = float(gained.sum() / max(1.0, counted.sum()))
    return Comparison(difference, float(low), float(high), (1 + int((drawn <= 0).sum())) / (draws + 1))
