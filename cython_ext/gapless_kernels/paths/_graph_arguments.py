"""Checks of graphs whose vertices belong to classes, shared by the path kernels and their twins."""

from typing import Any

import numpy as np
import numpy.typing as npt

from gapless_kernels._arguments import check_array, check_type, owned

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
        The four arrays, C-contiguous, the classes as a private copy, and the number of classes.
    """
    (classes,) = owned(classes)
    for name, array, dtype in (
        ("start", start, np.float64),
        ("ordering", ordering, np.float64),
        ("end", end, np.float64),
        ("classes", classes, np.int64),
    ):
        check_type(name, array, dtype)
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
        classes,
        most + 1,
    )


def check_colorings(colorings: npt.NDArray[Any], colors: int, classes: int, length: int) -> npt.NDArray[np.uint8]:
    """Check the colours of classes, one colouring in a row; return a private C-contiguous copy.

    Parameters
    ----------
    colorings : (t, classes) array of uint8
        Colours from 0 to colors - 1.
    colors : int
        At least `length`, at most 32.
    classes, length : int
        The number of classes, and of vertices on a path.
    """
    if not length <= colors <= MOST_COLORS:
        raise ValueError(f"colors must be from the length, {length}, to {MOST_COLORS}, got {colors}")
    (colorings,) = owned(colorings)
    check_type("colorings", colorings, np.uint8)
    if colorings.ndim != 2 or colorings.shape[0] == 0 or colorings.shape[1] != classes:
        raise ValueError(f"colorings must have shape (t, {classes}) with t >= 1, got {colorings.shape}")
    if int(colorings.max()) >= colors:
        raise ValueError(f"colorings must be below {colors}, got {colorings.max()}")
    return colorings


def check_completion(
    charges: npt.NDArray[Any], completion: npt.NDArray[Any], classes: int, length: int, n: int
) -> tuple[Floats, Floats]:
    """Check bounds on the completions of paths, (classes,) and (length, n); return them C-contiguous."""
    check_array("charges", charges, (classes,))
    check_array("completion", completion, (length, n))
    return np.ascontiguousarray(charges), np.ascontiguousarray(completion)
