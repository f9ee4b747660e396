"""The same backbone without a C compiler: functions compiled by numba, passed to the search by address.

Without max-marginals the search fixes no pairs, which costs nodes; ``_noncrossing.pyx`` has them.
"""

from __future__ import annotations

import numpy as np
from numba import carray, cfunc, njit, types
from numpy.typing import NDArray

from gapless_kernels import ForeignMaximiser

DOUBLES, STATES, IDS = types.CPointer(types.double), types.CPointer(types.int8), types.CPointer(types.int32)


@njit
def inside_of(n, left, right, first, worth, alone):
    """Fill the table of `NonCrossing._inside`."""
    inside = np.zeros((n + 1, n + 1))
    for i in range(n - 1, -1, -1):
        inside[i, i + 1 :] = alone[i] + inside[i + 1, i + 1 :]
        for d in range(first[i], first[i + 1]):
            k = right[d]
            above = worth[d] + inside[i + 1, k]
            for j in range(k + 1, n + 1):
                inside[i, j] = max(inside[i, j], above + inside[k + 1, j])
    return inside


@cfunc(types.int32(types.voidptr, types.int32, DOUBLES, STATES, DOUBLES, IDS, types.CPointer(types.intp)))
def maximise(data, chart, weights, state, value, on, count):
    n, pairs = carray(data, (2,), np.int64)
    flat = carray(data, (3 + n + 2 * pairs,), np.int64)
    first, left, right = flat[2 : n + 3], flat[n + 3 : n + 3 + pairs], flat[n + 3 + pairs :]
    worth, alone, forced = np.empty(pairs), np.zeros(n), np.full(n, -1)
    for d in range(pairs):
        if state[d] == 1:
            if forced[left[d]] >= 0 or forced[right[d]] >= 0:
                return 1
            forced[left[d]] = forced[right[d]] = d
            alone[left[d]] = alone[right[d]] = -np.inf
    for d in range(pairs):
        fits = forced[left[d]] in (-1, d) and forced[right[d]] in (-1, d)
        worth[d] = weights[d] if fits else -np.inf
    inside = inside_of(n, left, right, first, worth, alone)
    value[0], found = inside[0, n], 0
    if value[0] == -np.inf:
        return 1
    spans = [(0, n)]
    while spans:
        i, j = spans.pop()
        while i < j and inside[i, j] == alone[i] + inside[i + 1, j]:
            i += 1
        if i < j:
            d = first[i]
            while inside[i, j] != (worth[d] + inside[i + 1, right[d]]) + inside[right[d] + 1, j]:
                d += 1
            on[found] = d
            found += 1
            spans += [(i + 1, right[d]), (right[d] + 1, j)]
    count[0] = found
    return 0


@cfunc(types.int32(types.voidptr, IDS, types.intp, DOUBLES))
def internal_score(data, on, count, score):
    n, pairs = carray(data, (2,), np.int64)
    flat = carray(data, (3 + n + 2 * pairs,), np.int64)
    left, right = flat[n + 3 : n + 3 + pairs], flat[n + 3 + pairs :]
    score[0] = 0.0
    for one in range(count):
        i, k = left[on[one]], right[on[one]]
        for other in range(one):
            a, b = left[on[other]], right[on[other]]
            if i in (a, b) or k in (a, b) or (i < a < k) != (i < b < k):
                return 1
    return 0


def noncrossing_pairs(length: int, left: NDArray[np.int64], right: NDArray[np.int64]) -> ForeignMaximiser:
    """Make the backbone as a numba function; see `NonCrossing`."""
    first = np.searchsorted(left, np.arange(length + 1))
    data = np.concatenate([[length, len(left)], first, left, right]).astype(np.int64)
    return ForeignMaximiser(
        len(left),
        maximise,
        internal_score=internal_score,
        has_internal_scores=False,
        data=data,
        most_on=length // 2,
    )
