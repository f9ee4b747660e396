"""Checks of graphs whose vertices belong to classes, shared by the path kernels and their twins."""

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["check_colorings", "check_completion", "check_graph"]

MOST_COLORS = 32

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def check_graph(
    start: npt.NDArray[Any], ordering: npt.NDArray[Any], end: npt.NDArray[Any], classes: npt.NDArray[Any]
) -> tuple[Floats, Floats, Floats, Integers, int]:
    """Check the arrays of a graph, but not its scores, which must be numbers below plus infinity.

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
    least, most = int(np.minimum.reduce(classes)), int(np.maximum.reduce(classes))
    if least < 0 or most >= n:
        raise ValueError(f"classes must be numbered from 0 to at most {n - 1}, got {least} to {most}")
    return (
        np.ascontiguousarray(start),
        np.ascontiguousarray(ordering),
        np.ascontiguousarray(end),
        np.ascontiguousarray(classes),
        most + 1,
    )


def check_colorings(colorings: npt.NDArray[Any], colors: int, classes: int, length: int) -> npt.NDArray[np.uint8]:
    """Check the colours of classes, one colouring in a row.

    Parameters
    ----------
    colorings : (t, classes) array of uint8
        Colours from 0 to colors - 1.
    colors : int
        At least `length`, at most 32.
    classes : int
    length : int
        The number of vertices on a path.

    Returns
    -------
    (t, classes) C-contiguous array of uint8

    Raises
    ------
    TypeError
        If it is not an array of its type.
    ValueError
        If the shape is wrong, a colour is out of range, or there are too few or too many.
    """
    if not length <= colors <= MOST_COLORS:
        raise ValueError(f"colors must be from the length, {length}, to {MOST_COLORS}, got {colors}")
    if not isinstance(colorings, np.ndarray):
        raise TypeError(f"colorings must be a NumPy array, got {type(colorings).__name__}")
    if colorings.dtype != np.uint8:
        raise TypeError(f"colorings must be uint8, got {colorings.dtype}")
    if colorings.ndim != 2 or colorings.shape[0] == 0 or colorings.shape[1] != classes:
        raise ValueError(f"colorings must have shape (t, {classes}) with t >= 1, got {colorings.shape}")
    if int(colorings.max()) >= colors:
        raise ValueError(f"colorings must be below {colors}, got {colorings.max()}")
    return np.ascontiguousarray(colorings)


def check_completion(
    charges: npt.NDArray[Any], completion: npt.NDArray[Any], classes: int, length: int, n: int
) -> tuple[Floats, Floats]:
    """Check bounds on the completions of paths.

    Parameters
    ----------
    charges : (classes,) array of float64
    completion : (length, n) array of float64
    classes, length, n : int

    Returns
    -------
    tuple
        The two arrays, C-contiguous.

    Raises
    ------
    TypeError
        If an argument is not an array of its type.
    ValueError
        If a shape is wrong.
    """
    for name, array, shape in (("charges", charges, (classes,)), ("completion", completion, (length, n))):
        if not isinstance(array, np.ndarray):
            raise TypeError(f"{name} must be a NumPy array, got {type(array).__name__}")
        if array.dtype != np.float64:
            raise TypeError(f"{name} must be float64, got {array.dtype}")
        if array.shape != shape:
            raise ValueError(f"{name} must have shape {shape}, got {array.shape}")
    return np.ascontiguousarray(charges), np.ascontiguousarray(completion)
