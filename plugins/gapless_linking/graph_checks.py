"""Checks that compressed sparse rows are those of an undirected graph, since files can be forged."""

from __future__ import annotations

import secrets

import numpy as np
from numpy.typing import NDArray

from gapless.arrays.sparse import FloatArray, IntArray

_CHUNK = 1 << 20
"""Ends of edges that are looked at at once."""


def repeated(vertices: IntArray) -> int | None:
    """Return an id that occurs twice, if any."""
    ordered = np.sort(vertices)
    twice = np.flatnonzero(ordered[1:] == ordered[:-1])
    return int(ordered[twice[0]]) if twice.size else None


def flaw(offsets: IntArray, neighbours: NDArray[np.int32], weights: FloatArray | None) -> str | None:
    """Describe why rows of valid sizes and ranges are not those of an undirected graph; None if they are.

    Rows must ascend, without loops, and each edge must stand in both rows with one weight. That is tested by a sum
    over a keyed hash of each edge, in one pass: a file that does not know the key passes by a chance of 2^-64.
    """
    # Odd multipliers are invertible modulo 2^64, so no information about an edge is lost.
    keys = np.array([secrets.randbits(64) | 1 for _ in range(4)], np.uint64)
    balance = np.uint64(0)
    first = 0
    count = offsets.size - 1
    while first < count:
        last = max(first + 1, int(np.searchsorted(offsets, offsets[first] + _CHUNK, "right")) - 1)
        lengths = np.diff(offsets[first : last + 1])
        begin, end = int(offsets[first]), int(offsets[last])
        rows = np.repeat(np.arange(first, last), lengths)
        ends = np.asarray(neighbours[begin:end], np.int64)
        if np.any(rows == ends):
            return f"inner number {rows[rows == ends][0]} is its own neighbour"
        falls = np.flatnonzero((ends[1:] <= ends[:-1]) & (rows[1:] == rows[:-1]))
        if falls.size:
            return f"the neighbours of inner number {rows[falls[0]]} do not ascend"
        low, high = (np.asarray(pick(rows, ends), np.uint64) for pick in (np.minimum, np.maximum))
        mixed = low * keys[0] + high * keys[1]
        if weights is not None:
            mixed += np.ascontiguousarray(weights[begin:end], np.float64).view(np.uint64) * keys[2]
        mixed ^= mixed >> np.uint64(31)
        mixed *= keys[3]
        mixed ^= mixed >> np.uint64(29)
        mixed *= keys[0]
        upward = rows < ends
        with np.errstate(over="ignore"):
            # Each edge stands once upward and once downward; equal hashes cancel modulo 2^64.
            balance += mixed[upward].sum(dtype=np.uint64) - mixed[~upward].sum(dtype=np.uint64)
        first = last
    return None if balance == 0 else "an edge stands in one row and not in the other, or with another weight"
