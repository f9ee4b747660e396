"""Scores from users: accepted arrays and accepted numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gapless.core.errors import InvalidProblem
from gapless.core.given_array import given_array
from gapless.core.sparse import FloatArray

LARGEST = 1e12
"""Beyond this size, sums of scores lose digits that a proof needs."""

EXPECTED = f"expected a number of at most {LARGEST:g} in size, or -inf"


def score_array(values: Any, what: str) -> FloatArray:
    """A float64 copy of `values` of any numeric type.

    Raises `InvalidProblem`: text, complex numbers, dates, or anything that `given_array` refuses. `values`: see
    `given_array`. `what`: plural name in messages: "grandchild: scores".
    """
    given = given_array(values, f"{what} are")
    try:
        # Objects may be fractions, or text that float() would read.
        if given.dtype.kind not in "biufO" or any(isinstance(v, str | bytes) for v in _objects(given)):
            raise TypeError(f"the dtype is {given.dtype}")
        return np.array(given, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidProblem(f"{what} are not an array of numbers: {error}") from error


def check_scores(scores: FloatArray, place: Callable[[tuple[int, ...]], str]) -> None:
    """Refuse NaN, plus infinity and numbers beyond `LARGEST`; minus infinity forbids and is allowed.

    Raises `InvalidProblem`: for the first such place, which the message names.

    Parameters
    ----------
    scores : float64 array
    place : callable
        ``place(index)`` names the score at an index: "scores[0, 2]".
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
        raise InvalidProblem(f"{place(index)} is {scores[index]}; {EXPECTED}")


def bracketed(name: str) -> Callable[[tuple[int, ...]], str]:
    """Places in Python notation for `check_scores`, ``name[2, 3]``; a single number is just its name."""
    return lambda index: f"{name}[{', '.join(map(str, index))}]" if index else name


def _objects(given: Any) -> Any:
    return given.flat if given.dtype.kind == "O" else ()
