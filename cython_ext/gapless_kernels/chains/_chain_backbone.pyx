# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Labellings of a chain as a backbone of the search; its twin is `gapless_chains.ViterbiMaximiser`.

Decision ``i * K + x`` says that position i has label x. One pass of messages from the left finds the best labelling, as
in ``_viterbi``; a pass from the right adds what follows each label.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libc.string cimport memchr

import numpy as np

from gapless_kernels._arguments import check_array
from gapless_kernels.lanes cimport _sets
from gapless_kernels.search.roles cimport GS_CHARTS, GS_FOUND, GS_NOTHING, GS_ON, Maximiser

_sets.follow()

cdef extern from "lanes/lanes.h" nogil:
    void step_f64(const double *, const double *, Py_ssize_t, Py_ssize_t, const double *, double *) noexcept
    Py_ssize_t argmax_f64(const double *, Py_ssize_t) noexcept
    void offers_f64(const double *, const double *, Py_ssize_t, Py_ssize_t, double *) noexcept

cdef extern from "search/label_rows.h" nogil:
    const double *allowed_row(const double *, const signed char *, Py_ssize_t, double *) noexcept
    void without_each(const double *, Py_ssize_t, double *) noexcept


cdef class ChainLabels(Maximiser):
    """The labellings of a chain.

    Parameters
    ----------
    length : int
        Positions, at least 1.
    transition : float64 (K, K) or (n-1, K, K)
        Own score of neighbouring labels, source first; -inf forbids. One matrix for all edges or one for each.
    """

    cdef Py_ssize_t n, k
    cdef bint varying
    cdef const double[:, :, ::1] transition, reversed
    cdef double[:, :, ::1] messages
    cdef double[::1] row, sums, after, zeros
    cdef int32_t[::1] labels

    def __init__(self, Py_ssize_t length, transition):
        given = np.ascontiguousarray(transition)
        self.n, self.k = length, given.shape[len(given.shape) - 1]
        edges = () if given.ndim == 2 else (length - 1,)
        check_array("transition", given, (*edges, self.k, self.k))
        if length < 1 or self.k < 1:
            raise ValueError(f"a chain has at least one position and one label, got {length} and {self.k}")
        stacked = given[None] if given.ndim == 2 else given
        self.varying = given.ndim == 3
        self.transition, self.reversed = stacked, np.ascontiguousarray(stacked.transpose(0, 2, 1))
        self.messages = np.empty((GS_CHARTS, length, self.k))
        self.row, self.sums, self.after, self.zeros = np.empty(self.k), np.empty(self.k), np.empty(self.k), np.zeros(self.k)
        self.labels = np.empty(length, np.int32)
        self.role.decisions = self.role.cells = length * self.k
        self.role.most_on, self.role.has_own = length, True

    cdef int maximise(self, int chart, const double *weights, const signed char *state, double *value, int32_t *on, Py_ssize_t *count) noexcept nogil:
        cdef Py_ssize_t i, x, k = self.k, n = self.n, y
        cdef double *message = &self.messages[chart, 0, 0]
        cdef const double *row = allowed_row(weights, state, k, &self.row[0])
        for x in range(k):
            message[x] = row[x]
        for i in range(1, n):
            row = allowed_row(weights + i * k, state + i * k, k, &self.row[0])
            step_f64(message + (i - 1) * k, &self.transition[(i - 1) * self.varying, 0, 0], k, k, row, message + i * k)
        y = argmax_f64(message + (n - 1) * k, k)
        value[0] = message[(n - 1) * k + y]
        if value[0] == -INFINITY:
            return GS_NOTHING
        on[n - 1] = <int32_t>((n - 1) * k + y)
        for i in range(n - 2, -1, -1):
            offers_f64(message + i * k, &self.reversed[i * self.varying, y, 0], 1, k, &self.sums[0])
            y = argmax_f64(&self.sums[0], k)
            on[i] = <int32_t>(i * k + y)
        count[0] = n
        return GS_FOUND

    cdef int marginals(self, const double *weights, const signed char *state, double *on, double *off) noexcept nogil:
        cdef Py_ssize_t i, x, k = self.k
        cdef const double *row
        cdef double *message
        for x in range(k):
            self.after[x] = 0.0
        for i in range(self.n - 1, -1, -1):
            message = &self.messages[0, i, 0]
            for x in range(k):
                on[i * k + x] = message[x] + self.after[x]
            if off != NULL:
                without_each(on + i * k, k, off + i * k)
            if i == 0:
                break
            row = allowed_row(weights + i * k, state + i * k, k, &self.row[0])
            for x in range(k):
                self.sums[x] = row[x] + self.after[x]
            step_f64(&self.sums[0], &self.reversed[(i - 1) * self.varying, 0, 0], k, k, &self.zeros[0], &self.after[0])
        return GS_FOUND

    cdef int own(self, const int32_t *on, Py_ssize_t count, double *own) noexcept nogil:
        cdef Py_ssize_t i
        own[0] = 0.0
        if count != self.n:
            return GS_NOTHING
        for i in range(count):
            self.labels[i] = -1
        for i in range(count):
            self.labels[on[i] // self.k] = <int32_t>(on[i] % self.k)
        for i in range(count):
            if self.labels[i] < 0:
                return GS_NOTHING
            if i:
                own[0] += self.transition[(i - 1) * self.varying, self.labels[i - 1], self.labels[i]]
        return GS_FOUND if own[0] > -INFINITY else GS_NOTHING

    cdef bint excludes(self, int32_t one, int32_t other) noexcept nogil:
        cdef Py_ssize_t i = one // self.k, j = other // self.k
        if i + 1 == j:
            return self.transition[i * self.varying, one % self.k, other % self.k] == -INFINITY
        if j + 1 == i:
            return self.transition[j * self.varying, other % self.k, one % self.k] == -INFINITY
        return False
