"""Checks of graphs in compressed sparse rows, shared by the compiled kernels and their NumPy twins.

The loops trust their arguments, so these checks refuse whatever could make them read or write out of bounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def check_array(name: str, array: Any, kind: type, size: int | None = None) -> None:
    """Check for a one-dimensional array of a type and, if given, a size."""
    if not isinstance(array, np.ndarray) or array.dtype != kind or array.ndim != 1:
        raise TypeError(f"{name} must be a one-dimensional array of {np.dtype(kind)}")
    if size is not None and array.size != size:
        raise ValueError(f"{name} has {array.size} entries, expected {size}")


def check_first(name: str, first: Any, held: str, size: int) -> None:
    """Check where the rows of an array begin, and the last of them ends: numbers that rise from 0 to `size`."""
    check_array(name, first, np.int64)
    if not first.size or first[0] != 0 or first[-1] != size or np.any(first[1:] < first[:-1]):
        raise ValueError(f"{name} must rise from 0 to the number of {held}, {size}")


def check_adjacency(offsets: Any, neighbours: Any) -> int:
    """Check rows of neighbours and count the vertices.

    Parameters
    ----------
    offsets : int64 (n + 1,)
    neighbours : int32 (offsets[n],)

    Returns
    -------
    int
        Number of vertices, n.

    Raises
    ------
    TypeError, ValueError
        Wrong types or shapes, offsets that fall, neighbours out of range.
    """
    check_array("neighbours", neighbours, np.int32)
    check_first("offsets", offsets, "neighbours", neighbours.size)
    check_numbers("neighbours", neighbours, offsets.size - 1)
    return int(offsets.size - 1)


def check_numbers(name: str, numbers: NDArray[Any], count: int, least: int = 0) -> None:
    """Refuse numbers outside ``least .. count - 1``."""
    if numbers.size and not (numbers.min() >= least and numbers.max() < count):
        raise ValueError(f"{name} must lie between {least} and {count - 1}")


def check_weights(weights: Any, size: int) -> None:
    """Refuse weights of edges that are neither None nor float64, one for each neighbour."""
    if weights is not None:
        check_array("weights", weights, np.float64, size)


def check_classes(classes: Any, count: int, root: int) -> None:
    """Refuse classes outside ``-1 .. count - 1``, or without a vertex in class `root`."""
    check_array("classes", classes, np.int64, count)
    check_numbers("classes", classes, count, -1)
    if root < 0 or not np.any(classes == root):
        raise ValueError(f"no vertex is in class {root}")


def check_forest(parents: Any, masses: Any) -> None:
    """Refuse parents that do not come before their children, or another number of masses than of nodes."""
    check_array("parents", parents, np.int64)
    check_array("masses", masses, np.float64, parents.size)
    if np.any((parents < -1) | (parents >= np.arange(parents.size))):
        raise ValueError("a parent must come before its child")


def check_weighted_adjacency(offsets: Any, neighbours: Any, weights: Any) -> int:
    """Check rows of neighbours and the lengths of edges, none of which may be negative or NaN."""
    count = check_adjacency(offsets, neighbours)
    check_weights(weights, neighbours.size)
    if weights is not None and not np.all(weights >= 0):
        raise ValueError("weights must be at least 0")
    return count


def check_gates(region: Any, charges: Any, count: int) -> None:
    """Check for one region and one charge for each vertex."""
    check_array("region", region, np.int64, count)
    check_array("charges", charges, np.float64, count)


def check_search_sets(first: Any, members: Any, points: Any, count: int) -> None:
    """Refuse members or points that are no vertices, and offsets of sets that do not fit."""
    for name, vertices in (("members", members), ("points", points)):
        check_array(name, vertices, np.int64)
        check_numbers(name, vertices, count)
    check_first("first", first, "members", members.size)
