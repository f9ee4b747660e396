"""Checks of a graph whose vertices belong to classes, shared by the kernels that look for paths and their twins."""

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["check_graph"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def check_graph(
    start: npt.NDArray[Any], ordering: npt.NDArray[Any], end: npt.NDArray[Any], classes: npt.NDArray[Any]
) -> tuple[Floats, Floats, Floats, Integers, int]:
    """Check the scores of a graph. Scores are not looked at: they must be numbers below plus infinity.

    Parameters
    ----------
    start : (n,) array of float64
        Score of each vertex as the first, ``n >= 1``.
    ordering : (n, n) array of float64
        Score of the column's vertex following the row's.
    end : (n,) array of float64
        Score of each vertex as the last.
    classes : (n,) array of int64
        Class of each vertex, from 0 to at most n - 1.

    Returns
    -------
    tuple
        The four arrays, C-contiguous, and the number of classes.

    Raises
    ------
    TypeError
        If an argument is not an array of its type.
    ValueError
        If a shape is wrong, or a class is out of range.
    """
    for name, array, dtype in (
        ("start", start, np.float64),
        ("ordering", ordering, np.float64),
        ("end", end, np.float64),
        ("classes", classes, np.int64),
    ):
        if not isinstance(array, np.ndarray):
            raise TypeError(f"{name} must be a NumPy array, got {type(array).__name__}")
        if array.dtype != dtype:
            raise TypeError(f"{name} must be {np.dtype(dtype)}, got {array.dtype}")
    n = start.size
    if start.shape != (n,) or n == 0:
        raise ValueError(f"start must have shape (n,) with n >= 1, got {start.shape}")
    for name, array, shape in (("ordering", ordering, (n, n)), ("end", end, (n,)), ("classes", classes, (n,))):
        if array.shape != shape:
            raise ValueError(f"{name} must have shape {shape}, got {array.shape}")
    count = int(classes.max()) + 1
    if int(classes.min()) < 0 or count > n:
        raise ValueError(f"classes must be numbered from 0 to at most {n - 1}, got {classes.min()} to {count - 1}")
    return (
        np.ascontiguousarray(start),
        np.ascontiguousarray(ordering),
        np.ascontiguousarray(end),
        np.ascontiguousarray(classes),
        count,
    )
