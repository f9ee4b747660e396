"""The check of a single number as a score."""

from __future__ import annotations

from typing import Any

from gapless import InvalidProblem
from gapless.arrays.score_array import EXPECTED, check_scores, score_array


def single_score(value: Any, name: str = "a factor") -> float:
    """Check a factor's only score: a finite number of at most 1e12 in size, or -inf.

    `name`: the factor's, for messages.
    """
    try:
        array = score_array(value, f"{name}: scores")
    except InvalidProblem as error:
        raise InvalidProblem(f"{name}: the score is {value!r}, {EXPECTED}; {error}") from error
    if array.ndim:
        raise InvalidProblem(f"{name}: the score is {value!r}, {EXPECTED}")
    check_scores(array, lambda _: f"{name}: the score")
    return float(array)
