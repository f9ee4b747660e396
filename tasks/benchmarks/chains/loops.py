"""The baselines and the floor as plain loops, for numba to compile; they also run, slowly, as they stand."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np

from benchmarks.frame.peers import NUMBA

Array = Any  # numba infers the types; the arrays' shapes and types stand in the docstrings


def viterbi(
    unary: Array,
    offsets: Array,
    transition: Array,
    initial: Array,
    final: Array,
    messages: Array,
    labels: Array,
    values: Array,
) -> None:
    """Viterbi as a careful user writes it: sources outside, so that the inner loop runs along rows and vectorises.

    Only maxima are kept; the best source is found again along the best path. All scores float32; `messages` is room
    for the longest sentence, (n, K); `labels` (N,) int64 and `values` (S,) float32 are written.
    """
    k = unary.shape[1]
    for s in range(values.shape[0]):
        begin = offsets[s]
        n = offsets[s + 1] - begin
        for y in range(k):
            messages[0, y] = unary[begin, y] + initial[y]
        for i in range(1, n):
            here = messages[i]
            before = messages[i - 1]
            first = before[0]
            row = transition[0]
            for y in range(k):
                here[y] = first + row[y]
            for x in range(1, k):
                score = before[x]
                row = transition[x]
                for y in range(k):
                    here[y] = max(here[y], score + row[y])
            row = unary[begin + i]
            for y in range(k):
                here[y] += row[y]
        best = -math.inf
        label = 0
        for y in range(k):
            score = messages[n - 1, y] + final[y]
            if score > best:
                best = score
                label = y
        values[s] = best
        labels[begin + n - 1] = label
        for i in range(n - 2, -1, -1):
            best = -math.inf
            source = 0
            for x in range(k):
                score = messages[i, x] + transition[x, label]
                if score > best:
                    best = score
                    source = x
            label = source
            labels[begin + i] = label


def row_sums(unary: Array, values: Array) -> None:
    """Read all scores once: the sum of each row."""
    for i in range(unary.shape[0]):
        row = unary[i]
        total = row[0]
        for y in range(1, row.shape[0]):
            total += row[y]
        values[i] = total


def row_argmaxima(bits: Array, places: Array) -> None:
    """Find the best label of each token by itself, the first of equals.

    `bits` are the scores as int32, ``unary.view(np.int32)``: with the other bits of negative numbers flipped, their
    order is that of the scores, and compilers reduce integers in vectors, floats they do not. Two passes, the
    maximum and its place, cost less than one that keeps both.
    """
    k = bits.shape[1]
    others = np.int32(0x7FFFFFFF)
    for i in range(bits.shape[0]):
        row = bits[i]
        best = ~others
        for y in range(k):
            key = row[y]
            best = max(best, key ^ ((key >> 31) & others))
        best ^= (best >> 31) & others
        place = np.int32(k)
        for y in range(np.int32(k)):
            place = min(place, np.int32(y) if row[y] == best else np.int32(k))
        places[i] = place


@attrs.frozen
class Compiled:
    """The loops after numba."""

    viterbi: Callable[..., None]
    row_sums: Callable[..., None]
    row_argmaxima: Callable[..., None]


def compiled() -> Compiled:
    """Compile the loops for this machine, one thread each.

    Raises
    ------
    MissingDependency
        numba is not installed.
    """
    numba = NUMBA.load()
    # No NaN and no difference between the two zeros: this lets the compiler turn maxima into vector instructions.
    # A sum may be taken in any order as well; only the time it takes matters.
    maxima = numba.njit(fastmath={"nnan", "nsz"}, nogil=True)
    sums = numba.njit(fastmath={"nnan", "nsz", "reassoc"}, nogil=True)
    loops = Compiled(maxima(viterbi), sums(row_sums), numba.njit(nogil=True)(row_argmaxima))
    unary, row = np.zeros((2, 3), np.float32), np.zeros(3, np.float32)
    labels = np.zeros(2, np.int64)
    square = np.zeros((3, 3), np.float32)
    loops.viterbi(unary, np.array([0, 2]), square, row, row, unary.copy(), labels, np.zeros(1, np.float32))
    loops.row_sums(unary, np.zeros(2, np.float32))
    loops.row_argmaxima(unary.view(np.int32), labels)
    return loops
