"""Readers and checks for the arguments of an ordering problem."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gapless import InvalidProblem
from gapless.arrays.score_array import bracketed, check_scores, score_array
from gapless.arrays.sparse import FloatArray, IntArray


def checked_scores(name: str, values: Any) -> FloatArray:
    """Copy scores; `InvalidProblem` names the first invalid one."""
    array = score_array(values, f"{name}: the scores")
    check_scores(array, bracketed(name))
    return array


def start_of(values: Any) -> FloatArray:
    """Copy the scores of first vertices; `OrderingProblem` checks the numbers of all arrays at once."""
    return score_array(values, "start: the scores")


def ordering_of(values: Any) -> FloatArray:
    """Copy the scores of edges, contiguous by rows, as the kernels need them."""
    return np.ascontiguousarray(score_array(values, "ordering: the scores"))


def end_of(values: Any) -> FloatArray:
    """Copy the scores of last vertices."""
    return score_array(values, "end: the scores")


def length_of(value: Any) -> int:
    """Check the number of vertices on a path."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InvalidProblem(f"length is {value!r}, expected the number of vertices on the path, an integer")
    if value < 1:
        raise InvalidProblem(f"length is {value}; a path has at least 1 vertex between its ends")
    return int(value)


def classes_of(values: Any) -> IntArray | None:
    """Number classes 0, 1, ... as they first appear; any hashable names are allowed."""
    if values is None:
        return None
    if _numbered(values):
        return np.array(values, np.int64)
    listed = values.tolist() if hasattr(values, "tolist") else values  # arrays, tensors, columns of tables
    if isinstance(listed, str) or not isinstance(listed, Sequence):
        raise InvalidProblem(f"classes is {values!r}, expected one class for each vertex")
    if any(issubclass(kind, float) for kind in set(map(type, listed))):
        missing = [number for number, name in enumerate(listed) if isinstance(name, float) and math.isnan(name)]
        if missing:
            raise InvalidProblem(f"classes[{missing[0]}] is NaN; give a vertex without a class one of its own")
    try:
        numbers = {name: number for number, name in enumerate(dict.fromkeys(listed))}
        return np.fromiter(map(numbers.__getitem__, listed), np.int64, len(listed))
    except TypeError as error:
        raise InvalidProblem(f"classes cannot be told apart: {error}; name them by numbers or strings") from error


def _numbered(values: Any) -> bool:
    """Return whether classes are already an array of the numbers 0, 1, ... as they first appear."""
    if not isinstance(values, np.ndarray) or values.ndim != 1 or values.dtype.kind != "i" or not values.size:
        return False
    # Numbers appear in order if none exceeds the highest before it by more than one.
    highest = np.maximum.accumulate(values)
    return bool(values[0] == 0 and values.min() == 0 and (values[1:] - highest[:-1]).max(initial=0) <= 1)


def names_of(values: Any) -> tuple[str, ...] | None:
    """Read names of vertices, from any iterable."""
    if values is None:
        return None
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidProblem(f"names is {values!r}, expected strings, one for each vertex")
    names = tuple(values)
    if set(map(type, names)) <= {str}:
        return names
    for index, name in enumerate(names):
        if not isinstance(name, str):
            raise InvalidProblem(f"names[{index}] is {name!r}; names must be strings, one for each vertex")
    return names
