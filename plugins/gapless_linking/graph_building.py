"""Compressed sparse rows of edges in any order, tens of millions of them, and checks of rows that a file holds."""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gapless import InvalidProblem
from gapless.arrays.array_input import as_array
from gapless.arrays.sparse import FloatArray, IntArray

_TABLE = 4
"""Ids below this multiple of their number are sorted out in a table."""


def edge_arrays(edges: Any, weights: Any) -> tuple[IntArray, IntArray, FloatArray | None]:
    """Check both ends and the length of each edge; `edges` is (m, 2)."""
    try:
        pairs = np.asarray(edges)
    except ValueError as error:
        raise InvalidProblem(f"edges must be pairs of vertices, that is integers: {error}") from error
    if not pairs.size:
        pairs = np.zeros((0, 2), np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise InvalidProblem(f"edges must be pairs of vertices, that is integers; got {pairs.dtype} {pairs.shape}")
    largest = np.iinfo(np.int64).max
    if pairs.size and pairs.max() > largest:
        row = int(np.argmax((pairs > largest).any(axis=1)))
        raise InvalidProblem(f"edges[{row}] is {pairs[row].tolist()}: ids of vertices are at most {largest}")
    if pairs.size and pairs.min() < 0:
        row = int(np.argmax((pairs < 0).any(axis=1)))
        raise InvalidProblem(f"edges[{row}] is {pairs[row].tolist()}: ids of vertices are not negative")
    lengths = None
    if weights is not None:
        array = as_array(weights, "weights are")
        if array.dtype.kind not in "biuf":
            raise InvalidProblem(f"weights are {array.dtype}, expected real numbers")
        lengths = np.asarray(array, np.float64)
        if lengths.shape != (len(pairs),):
            raise InvalidProblem(f"there are weights {lengths.shape} for {len(pairs)} edges")
        wrong = ~((lengths > 0) & (lengths < np.inf))
        if wrong.any():
            row = int(np.argmax(wrong))
            raise InvalidProblem(f"weights[{row}] is {lengths[row]}, expected a positive number")
    return pairs[:, 0].astype(np.int64, copy=False), pairs[:, 1].astype(np.int64, copy=False), lengths


def numbered(first: IntArray, second: IntArray, ids: IntArray | None) -> tuple[IntArray, IntArray, IntArray]:
    """Return ids, ascending, and the ends of edges as indices into them; by default the ids that the edges name."""
    largest = max(int(first.max(initial=-1)), int(second.max(initial=-1)))
    if largest < _TABLE * (first.size + second.size):
        used = np.zeros(largest + 1, bool)
        if ids is None:
            used[first] = used[second] = True
            ids = np.flatnonzero(used)
        if ids.size == largest + 1:
            return ids, first, second
    elif ids is None:
        ids = np.union1d(first, second)
    indices = np.searchsorted(ids, first), np.searchsorted(ids, second)
    for ends, index in zip((first, second), indices, strict=True):
        if ends.size and not np.array_equal(ids[np.minimum(index, ids.size - 1)], ends):
            raise InvalidProblem(f"an edge names vertex {ends.max()}, which the graph does not have")
    return ids, *indices


def compressed(
    u: IntArray, v: IntArray, weights: FloatArray | None, n: int
) -> tuple[IntArray, NDArray[np.int32], FloatArray | None, IntArray]:
    """Build compressed sparse rows: symmetric, no loops, lightest parallel edges, rows by falling degree.

    Parameters
    ----------
    u, v : int64 (m,)
        Both ends, below n.
    weights : float64 (m,), optional

    Returns
    -------
    offsets : int64 (n + 1,)
    neighbours : int32
        New numbers, ascending in each row.
    weights : float64, or None
    order : int64 (n,)
        ``order[i]`` is what the new number i was.
    """
    if n >= 2**31:
        raise InvalidProblem(f"{n} vertices: a graph holds fewer than 2^31")
    # One key per edge sorts faster than two columns; n < 2^31 keeps it within int64.
    keys = np.minimum(u, v).astype(np.int64)
    keys *= n
    keys += np.maximum(u, v)
    keys, lengths = distinct(keys[u != v], None if weights is None else weights[u != v])
    low, high = (keys // n).astype(np.int32), (keys % n).astype(np.int32)
    degrees = np.bincount(low, minlength=n) + np.bincount(high, minlength=n)
    order = np.argsort(-degrees, kind="stable")
    number = np.empty(n, np.int64)
    number[order] = np.arange(n)
    # Frees 8 bytes per edge before the largest arrays are allocated.
    del keys
    m = low.size
    both = np.empty(2 * m, np.int64)
    np.multiply(number[low], n, out=both[:m])
    np.multiply(number[high], n, out=both[m:])
    both[:m] += number[high]
    both[m:] += number[low]
    if lengths is None:
        both.sort()
    else:
        sorting = np.argsort(both, kind="stable")
        both, lengths = both[sorting], np.concatenate([lengths, lengths])[sorting]
    offsets = np.concatenate([[0], np.cumsum(degrees[order])])
    both %= n
    return offsets, both.astype(np.int32), lengths, order


def distinct(keys: IntArray, weights: FloatArray | None) -> tuple[IntArray, FloatArray | None]:
    """Keep each key once, ascending, with its minimum weight; sorts `keys` in place. Faster than numpy.unique."""
    if weights is None:
        keys.sort()
    else:
        sorting = np.argsort(keys, kind="stable")
        keys, weights = keys[sorting], weights[sorting]
    new = np.ones(keys.size, bool)
    new[1:] = keys[1:] != keys[:-1]
    if weights is not None and weights.size:
        weights = np.minimum.reduceat(weights, np.flatnonzero(new))
    return keys[new], weights


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
