# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Non-crossing pairs as a backbone of the search, in C: the recursion of ``maximiser.py``, in its order."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t

import numpy as np

from gapless_kernels.search.roles cimport GS_CHARTS, GS_FOUND, GS_NOTHING, GS_ON, Maximiser, gs_maximiser


cdef class NonCrossingPairs(Maximiser):
    """Non-crossing pairs of `length` bases.

    Decision d pairs ``left[d] < right[d]``; decisions are sorted by left base, then by right.
    """

    cdef Py_ssize_t n
    cdef Py_ssize_t[::1] left, right, first, spans
    cdef Py_ssize_t[::1] forced        # the pair that a base must be in, or -1
    cdef double[::1] alone, worth      # as in the twin
    cdef double[:, :, ::1] inside      # chart, from, before
    cdef double[:, ::1] outside
    # for each base the best value with it alone or in a pair, and the second best
    cdef double[:, ::1] two
    cdef Py_ssize_t[::1] best          # the pair of the former, or -1

    def __init__(self, Py_ssize_t length, left, right):
        self.n = length
        self.left, self.right = np.array(left, np.intp), np.array(right, np.intp)
        self.first = np.searchsorted(self.left, np.arange(length + 1)).astype(np.intp)
        self.role.size = sizeof(gs_maximiser)  # of the header that this was compiled against
        self.role.decisions = self.role.cells = len(self.left)
        self.role.most_on = length // 2
        self.forced, self.best = np.zeros(length + 1, np.intp), np.zeros(length + 1, np.intp)
        self.alone, self.worth = np.zeros(length + 1), np.zeros(len(self.left) + 1)
        self.inside = np.zeros((GS_CHARTS, length + 1, length + 1))
        self.outside, self.two = np.zeros((length + 1, length + 1)), np.zeros((length + 1, 2))
        self.spans = np.zeros(4 * length + 4, np.intp)

    cdef bint fix(self, const double *weights, const signed char *state) noexcept nogil:
        """Weights and bases under the state; whether no base is forced into two pairs."""
        cdef Py_ssize_t d, i, k
        for i in range(self.n):
            self.forced[i], self.alone[i] = -1, 0.0
        for d in range(self.role.decisions):
            if state[d] == GS_ON:
                i, k = self.left[d], self.right[d]
                if self.forced[i] >= 0 or self.forced[k] >= 0:
                    return False
                self.forced[i] = self.forced[k] = d
                self.alone[i] = self.alone[k] = -INFINITY
        for d in range(self.role.decisions):
            i, k = self.forced[self.left[d]], self.forced[self.right[d]]
            self.worth[d] = weights[d] if (i < 0 or i == d) and (k < 0 or k == d) else -INFINITY
        return True

    cdef int maximise(
        self, int chart, const double *weights, const signed char *state, double *value, int32_t *on,
        Py_ssize_t *count
    ) noexcept nogil:
        cdef Py_ssize_t i, j, k, d, depth = 1
        cdef double above
        cdef double *row
        cdef double *rest
        if not self.fix(weights, state):
            return GS_NOTHING
        for i in range(self.n, -1, -1):
            row = &self.inside[chart, i, 0]
            row[i] = 0.0
            if i == self.n:
                continue
            rest = &self.inside[chart, i + 1, 0]
            for j in range(i + 1, self.n + 1):
                row[j] = self.alone[i] + rest[j]
            for d in range(self.first[i], self.first[i + 1]):
                k = self.right[d]
                above = self.worth[d] + self.inside[chart, i + 1, k]
                rest = &self.inside[chart, k + 1, 0]
                for j in range(k + 1, self.n + 1):
                    row[j] = above + rest[j] if above + rest[j] > row[j] else row[j]
        value[0], count[0] = self.inside[chart, 0, self.n], 0
        if value[0] == -INFINITY:
            return GS_NOTHING
        self.spans[0], self.spans[1] = 0, self.n
        while depth:
            depth -= 1
            i, j = self.spans[2 * depth], self.spans[2 * depth + 1]
            while i < j and self.inside[chart, i, j] == self.alone[i] + self.inside[chart, i + 1, j]:
                i += 1
            if i == j:
                continue
            d = self.first[i]
            while self.inside[chart, i, j] != (
                (self.worth[d] + self.inside[chart, i + 1, self.right[d]])
                + self.inside[chart, self.right[d] + 1, j]
            ):
                d += 1
            on[count[0]] = d
            count[0] += 1
            self.spans[2 * depth], self.spans[2 * depth + 1] = i + 1, self.right[d]
            self.spans[2 * depth + 2], self.spans[2 * depth + 3] = self.right[d] + 1, j
            depth += 2
        return GS_FOUND

    cdef int marginals(
        self, const double *weights, const signed char *state, double *on, double *off
    ) noexcept nogil:
        cdef Py_ssize_t i, j, k, d, base
        cdef double around, paired
        cdef double *row
        cdef double *rest
        cdef double *after
        if not self.fix(weights, state):  # a structure in the other chart has had its own weights meanwhile
            return GS_NOTHING
        for i in range(self.n + 1):
            for j in range(i, self.n + 1):
                self.outside[i, j] = -INFINITY
            self.best[i], self.two[i, 0], self.two[i, 1] = -1, -INFINITY, -INFINITY
        self.outside[0, self.n] = 0.0
        for i in range(self.n):
            row, after, rest = &self.outside[i, 0], &self.outside[i + 1, 0], &self.inside[0, i + 1, 0]
            around = -INFINITY
            for j in range(i + 1, self.n + 1):
                paired = row[j] + self.alone[i]
                after[j] = paired if paired > after[j] else after[j]
                around = paired + rest[j] if paired + rest[j] > around else around
            self.offer(i, -1, around)
            for d in range(self.first[i], self.first[i + 1]):
                k = self.right[d]
                after, rest = &self.outside[k + 1, 0], &self.inside[0, k + 1, 0]
                around = -INFINITY
                for j in range(k + 1, self.n + 1):
                    paired = row[j] + self.worth[d]
                    around = paired + rest[j] if paired + rest[j] > around else around
                    paired = paired + self.inside[0, i + 1, k]
                    after[j] = paired if paired > after[j] else after[j]
                if around > self.outside[i + 1, k]:
                    self.outside[i + 1, k] = around
                on[d] = around + self.inside[0, i + 1, k]
                self.offer(i, d, on[d])
                self.offer(k, d, on[d])
        if off != NULL:
            for d in range(self.role.decisions):
                i = self.left[d]  # without the pair, it is alone or in another
                off[d] = self.two[i, 1] if self.best[i] == d else self.two[i, 0]
        return GS_FOUND

    cdef void offer(self, Py_ssize_t base, Py_ssize_t pair, double value) noexcept nogil:
        if value > self.two[base, 0]:
            self.two[base, 1] = self.two[base, 0]
            self.best[base], self.two[base, 0] = pair, value
        elif value > self.two[base, 1]:
            self.two[base, 1] = value

    cdef int internal_score(self, const int32_t *on, Py_ssize_t count, double *own) noexcept nogil:
        cdef Py_ssize_t number, other
        own[0] = 0.0
        for number in range(count):
            for other in range(number):
                if self.excludes(on[number], on[other]):
                    return GS_NOTHING
        return GS_FOUND

    cdef bint excludes(self, int32_t one, int32_t other) noexcept nogil:
        cdef Py_ssize_t i = self.left[one], k = self.right[one], a = self.left[other], b = self.right[other]
        if i == a or i == b or k == a or k == b:
            return True
        return (i < a < k) != (i < b < k)
