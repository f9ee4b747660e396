"""Scores from users: accepted arrays and accepted numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gapless.arrays.array_input import as_array
from gapless.arrays.sparse import FloatArray
from gapless.errors import InvalidProblem

LARGEST = 1e12
"""Largest size of a score: beyond it, sums of scores lose digits that a proof needs."""

EXPECTED = f"expected a number of at most {LARGEST:g} in size, or -inf"


def score_array(values: Any, what: str) -> FloatArray:
    """Copy `values` of any numeric type to float64.

    Raises `InvalidProblem`: text, complex numbers, dates, or anything that `as_array` refuses. `values`: see
    `as_array`. `what`: plural name in messages: "grandchild: scores".
    """
    array = as_array(values, f"{what} are")
    try:
        # Objects may be fractions, or text that float() would read.
        if array.dtype.kind not in "biufO" or any(isinstance(v, str | bytes) for v in _objects(array)):
            raise TypeError(f"the dtype is {array.dtype}")
        return np.array(array, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidProblem(f"{what} are not an array of numbers: {error}") from error


def check_scores(scores: FloatArray, name_at: Callable[[tuple[int, ...]], str]) -> None:
    """Refuse NaN, plus infinity and numbers beyond `LARGEST`; minus infinity forbids and is allowed.

    Raises `InvalidProblem`, which names the first such score.

    Parameters
    ----------
    scores : float64 array
    name_at : callable
        ``name_at(index)`` names the score at an index: "scores[0, 2]".
    """
    # Passes without boolean arrays in the good case: the maximum is NaN when any entry is.
    lowest = scores.min(initial=0.0)
    if lowest == -np.inf:
        lowest = scores.min(initial=0.0, where=scores > -np.inf)
    if scores.max(initial=0.0) <= LARGEST and lowest >= -LARGEST:
        return
    good = (np.abs(scores) <= LARGEST) | (scores == -np.inf)
    if not good.all():
        index = tuple(np.argwhere(~good)[0].tolist())
        raise InvalidProblem(f"{name_at(index)} is {scores[index]}; {EXPECTED}")


def bracketed(name: str) -> Callable[[tuple[int, ...]], str]:
    """Return the function that names scores in Python notation, ``name[2, 3]``; a single number is just `name`."""
    return lambda index: f"{name}[{', '.join(map(str, index))}]" if index else name


def _objects(given: Any) -> Any:
    return given.flat if given.dtype.kind == "O" else ()
