"""Graphs of the DIMACS colouring challenge that are made by a rule."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Edges = NDArray[np.int64]


def myciel(k: int) -> tuple[int, Edges]:
    """Return the number of vertices and the edges of ``myciel<k>``: no triangle, k + 1 colours (Mycielski 1955)."""
    count, edges = 2, [(0, 1)]
    for _ in range(k - 1):
        top = 2 * count
        edges += [(a, b + count) for a, b in edges] + [(b, a + count) for a, b in edges]
        edges += [(copy, top) for copy in range(count, top)]
        count = top + 1
    return count, np.array(edges, np.int64)


def queen(rows: int, columns: int) -> tuple[int, Edges]:
    """Return the squares of a chess board; an edge where a queen moves from one to the other."""
    places = [(r, c) for r in range(rows) for c in range(columns)]
    edges = [
        (i, j)
        for i, (r, c) in enumerate(places)
        for j, (s, d) in enumerate(places[:i])
        if r == s or c == d or abs(r - s) == abs(c - d)
    ]
    return len(places), np.array(edges, np.int64).reshape(-1, 2)
