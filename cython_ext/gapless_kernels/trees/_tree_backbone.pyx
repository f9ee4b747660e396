# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Labellings of rooted trees, chains among them, as a backbone of the search.

The twin is `gapless_chains.TreeLabelMaximiser`. Decision ``i * K + x`` says that node i has label x.
Messages from the leaves to the roots find the best labelling; a pass back adds the best score outside each
node's subtree. The scores that the other children give a parent are summed from both sides, never subtracted:
differences of -inf would be NaN.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

import numpy as np

from gapless_kernels._arguments import check_array, check_offsets, check_parents
from gapless_kernels.lanes cimport _sets
from gapless_kernels.search.roles cimport GS_CHARTS, GS_FOUND, GS_NOTHING, Maximiser, gs_maximiser

_sets.follow()

cdef extern from "lanes/lanes.h" nogil:
    void step_f64(const double *, const double *, Py_ssize_t, Py_ssize_t, const double *, double *) noexcept
    Py_ssize_t argmax_f64(const double *, Py_ssize_t) noexcept
    void offers_f64(const double *, const double *, Py_ssize_t, Py_ssize_t, double *) noexcept

cdef extern from "search/label_rows.h" nogil:
    const double *allowed_row(const double *, const signed char *, Py_ssize_t, double *) noexcept
    void without_each(const double *, Py_ssize_t, double *) noexcept


cdef class TreeLabels(Maximiser):
    """The labellings of a tree or forest.

    Parameters
    ----------
    parents : int64 (n,)
        Parent of each node, which comes before it; -1 for a root.
    transition : float64 (K, K) or (n, K, K)
        Internal scores of neighbouring labels, the parent's first; -inf forbids. One matrix for all edges, or
        entry i for the edge above node i.
    """

    cdef Py_ssize_t n, k
    cdef bint varying
    cdef const int64_t[::1] parents
    cdef const double[:, :, ::1] transition, reversed
    cdef double[:, :, ::1] messages, offers
    cdef double[:, ::1] outside
    cdef double[::1] row, sums, zeros, best
    cdef int32_t[::1] labels

    def __init__(self, parents, transition):
        # Copies: they are read in every search, and the caller may write to the originals.
        scores, above = np.array(transition, order="C"), np.array(parents, order="C")
        n, k = len(above), scores.shape[len(scores.shape) - 1]
        nodes = () if scores.ndim == 2 else (n,)
        check_array("transition", scores, (*nodes, k, k))
        if n < 1 or k < 1:
            raise ValueError(f"a tree has at least one node and one label, got {n} and {k}")
        check_array("parents", above, (n,), np.int64)
        offsets = np.array([0, n])
        check_offsets(offsets, n)
        check_parents(above, offsets)
        self.n, self.k, self.varying, self.parents = n, k, scores.ndim == 3, above
        stacked = scores[None] if scores.ndim == 2 else scores
        self.transition, self.reversed = stacked, np.ascontiguousarray(stacked.transpose(0, 2, 1))
        self.messages, self.offers = np.empty((GS_CHARTS, n, k)), np.empty((GS_CHARTS, n, k))
        self.outside = np.empty((n, k))
        self.row, self.sums, self.zeros, self.best = np.empty(k), np.empty(k), np.zeros(k), np.empty(n)
        self.labels = np.empty(n, np.int32)
        self.role.size = sizeof(gs_maximiser)
        self.role.decisions = self.role.cells = n * k
        self.role.most_on, self.role.has_internal_scores = n, True

    cdef int maximise(
        self, int chart, const double *weights, const signed char *state, double *value, int32_t *on,
        Py_ssize_t *count
    ) noexcept nogil:
        cdef Py_ssize_t i, x, above, k = self.k, n = self.n, y
        cdef double *message
        cdef double *offers
        cdef const double *pairs
        for i in range(n):
            message = &self.messages[chart, i, 0]
            memcpy(message, allowed_row(weights + i * k, state + i * k, k, &self.row[0]), k * sizeof(double))
        for i in range(n - 1, -1, -1):
            above = self.parents[i]
            if above < 0:
                continue
            message = &self.messages[chart, i, 0]
            offers = &self.offers[chart, i, 0]
            step_f64(message, &self.reversed[i * self.varying, 0, 0], k, k, &self.zeros[0], offers)
            for x in range(k):
                self.messages[chart, above, x] += offers[x]
        value[0] = 0.0
        for i in range(n):
            message = &self.messages[chart, i, 0]
            above = self.parents[i]
            if above < 0:
                y = argmax_f64(message, k)
                value[0] += message[y]
                if value[0] == -INFINITY:
                    return GS_NOTHING
            else:
                pairs = &self.transition[i * self.varying, self.labels[above], 0]
                offers_f64(message, pairs, 1, k, &self.sums[0])
                y = argmax_f64(&self.sums[0], k)
            self.labels[i] = <int32_t>y
            on[i] = <int32_t>(i * k + y)
        count[0] = n
        return GS_FOUND

    cdef int marginals(
        self, const double *weights, const signed char *state, double *on, double *off
    ) noexcept nogil:
        cdef Py_ssize_t i, x, above, k = self.k
        cdef double *outside
        cdef const double *pairs
        cdef const double *row
        self._roots()
        # First the offers of the children that come later, which the parent's row sums up so far.
        for i in range(self.n):
            for x in range(k):
                on[i * k + x] = 0.0
        for i in range(self.n - 1, -1, -1):
            above = self.parents[i]
            if above >= 0:
                for x in range(k):
                    self.outside[i, x] = on[above * k + x]
                    on[above * k + x] += self.offers[0, i, x]
        # Then from the roots down: a parent's row sums its weights, its outside score, offers of earlier
        # children.
        for i in range(self.n):
            above, outside = self.parents[i], &self.outside[i, 0]
            if above < 0:
                for x in range(k):
                    outside[x] = self.best[i]
            else:
                for x in range(k):
                    self.sums[x] = on[above * k + x] + outside[x]
                    on[above * k + x] += self.offers[0, i, x]
                pairs = &self.transition[i * self.varying, 0, 0]
                step_f64(&self.sums[0], pairs, k, k, &self.zeros[0], outside)
            row = allowed_row(weights + i * k, state + i * k, k, &self.row[0])
            memcpy(on + i * k, row, k * sizeof(double))
            for x in range(k):
                on[i * k + x] += outside[x]
        if off != NULL:
            for i in range(self.n):
                without_each(on + i * k, k, off + i * k)
        return GS_FOUND

    cdef void _roots(self) noexcept nogil:
        """Write the score of all other trees to `best` of each root."""
        cdef Py_ssize_t i, k = self.k
        cdef double prefix = 0.0, suffix = 0.0, root_score
        for i in range(self.n):
            if self.parents[i] < 0:
                self.best[i] = prefix
                prefix += self.messages[0, i, argmax_f64(&self.messages[0, i, 0], k)]
        for i in range(self.n - 1, -1, -1):
            if self.parents[i] < 0:
                root_score = self.messages[0, i, argmax_f64(&self.messages[0, i, 0], k)]
                self.best[i] += suffix
                suffix += root_score

    cdef int internal_score(self, const int32_t *on, Py_ssize_t count, double *score) noexcept nogil:
        cdef Py_ssize_t i
        score[0] = 0.0
        if count != self.n:
            return GS_NOTHING
        for i in range(count):
            self.labels[i] = -1
        for i in range(count):
            self.labels[on[i] // self.k] = <int32_t>(on[i] % self.k)
        for i in range(count):
            if self.labels[i] < 0:
                return GS_NOTHING
            if self.parents[i] >= 0:
                score[0] += self.transition[i * self.varying, self.labels[self.parents[i]], self.labels[i]]
        return GS_FOUND if score[0] > -INFINITY else GS_NOTHING

    cdef bint excludes(self, int32_t left, int32_t right) noexcept nogil:
        cdef Py_ssize_t i = left // self.k, j = right // self.k
        if self.parents[j] == i:
            return self.transition[j * self.varying, left % self.k, right % self.k] == -INFINITY
        if self.parents[i] == j:
            return self.transition[i * self.varying, right % self.k, left % self.k] == -INFINITY
        return False
