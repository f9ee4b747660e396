"""Checks and helpers shared by the compiled graph search and its NumPy twin."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from gapless_kernels._arguments import check_output
from gapless_kernels.graphs._adjacency_arguments import check_first

WORDS = (1, 2)


class GraphSearch(Protocol):
    """Searches in one graph; see `_graph_distances_twin.WaveSearch`."""

    @property
    def words(self) -> int:
        """Width of the rows that are kept."""

    def distances(
        self,
        points: npt.NDArray[np.int32],
        clique_first: npt.NDArray[np.int64],
        clique_members: npt.NDArray[np.int32],
        table: npt.NDArray[Any],
        words: int,
    ) -> bool:
        """Fill a table with the distances between all pairs of points."""


def check_graph(offsets: Any, neighbours: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Check a private copy of compressed sparse rows, converted for the kernels."""
    first, near = np.array(offsets, np.int64, order="C"), np.array(neighbours, np.int32, order="C")
    if first.ndim != 1 or first.size < 2 or first[0] != 0 or first[-1] != near.size or near.ndim != 1:
        raise ValueError("offsets must start at 0 and end at the number of neighbours")
    if np.any(np.diff(first) < 0) or (near.size and not 0 <= near.min() <= near.max() < first.size - 1):
        raise ValueError("offsets fall, or a neighbour is no vertex")
    return first, near


def check_search(n: int, points: Any, clique_first: Any, clique_members: Any, table: Any, words: int) -> None:
    """Check the arguments of a search."""
    for name, array, kind in (
        ("points", points, np.int32),
        ("clique_first", clique_first, np.int64),
        ("clique_members", clique_members, np.int32),
    ):
        if array.dtype != kind or array.ndim != 1 or not array.flags.c_contiguous:
            raise ValueError(f"{name} must be a flat array of {np.dtype(kind)}")
    for name, array in (("points", points), ("clique_members", clique_members)):
        if array.size and not 0 <= array.min() <= array.max() < n:
            raise ValueError(f"{name} names a vertex that is none")
    if np.unique(points).size < points.size:
        raise ValueError("points names a vertex twice")
    check_first("clique_first", clique_first, "members", clique_members.size)
    if table.dtype not in (np.uint8, np.uint16, np.uint32):
        raise ValueError(f"table must be unsigned, of at most 4 bytes, got {table.dtype}")
    check_output("table", table, (points.size, points.size), table.dtype)
    if words not in WORDS:
        raise ValueError(f"words is {words}, expected one of {WORDS}")


def vertex_cover(pairs: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Choose rows of a symmetric table that cover all its entries, greedily by the entries not yet covered."""
    remaining = pairs.sum(axis=1)
    cover = []
    while remaining.any():
        row = int(remaining.argmax())
        cover.append(row)
        remaining -= pairs[row]
        remaining[row] = 0
        remaining[cover] = 0
    return np.array(cover, np.int64)
