# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""A maximiser whose decisions come in several alternatives, as an arc with its labels; see the stub."""

from libc.math cimport INFINITY, NAN
from libc.stdint cimport int32_t

import numpy as np

from gapless_kernels.lanes cimport _sets
from gapless_kernels.search.roles cimport (
    GS_CHARTS, GS_FOUND, GS_FREE, GS_NOTHING, GS_OFF, GS_ON, Maximiser, gs_maximiser
)

_sets.follow()


cdef class Alternatives(Maximiser):
    """The structures of a maximiser, with one alternative for each decision that is on; see the stub."""

    cdef Maximiser inner
    cdef int32_t[::1] part, chosen
    cdef int32_t[:, ::1] best
    cdef double[:, ::1] weights
    cdef signed char[:, ::1] state
    cdef double[::1] on, off, second
    cdef double optimum  # of chart 0

    def __init__(self, Maximiser inner, of):
        cdef Py_ssize_t count = inner.role.decisions
        parts = np.array(of, np.int32)
        if parts.ndim != 1 or (parts.size and not 0 <= parts.min() <= parts.max() < count):
            raise ValueError(f"of must name a decision in 0..{count - 1} for each alternative")
        self.inner, self.part = inner, np.append(parts, np.int32(0))
        self.best = np.empty((GS_CHARTS, count + 1), np.int32)
        self.weights = np.full((GS_CHARTS, inner.role.cells + 1), -np.inf)
        self.state = np.empty((GS_CHARTS, count + 1), np.int8)
        self.on, self.off, self.second = (np.empty(count + 1) for _ in range(3))
        self.chosen = np.empty(max(count, inner.role.most_on) + 1, np.int32)
        self.role.size = sizeof(gs_maximiser)
        self.role.decisions = self.role.cells = parts.size
        self.role.most_on, self.role.has_internal_scores = inner.role.most_on, inner.role.has_internal_scores
        if inner.role.marginals == NULL:
            self.role.marginals = NULL

    cdef inline Py_ssize_t cell(self, Py_ssize_t a) noexcept nogil:
        return a if self.inner.role.cell == NULL else self.inner.role.cell[a]

    cdef int without_answer(self, int status) noexcept nogil:
        """Return the status of a call without a result, after taking over the inner error."""
        if status != GS_NOTHING:
            with gil:
                self.error = self.inner.error
        return status

    cdef int maximise(
        self, int chart, const double *weights, const signed char *state, double *value, int32_t *on,
        Py_ssize_t *count
    ) noexcept nogil:
        cdef Py_ssize_t a, d, k
        cdef int status
        cdef int32_t *best = &self.best[chart, 0]
        cdef double *inner = &self.weights[chart, 0]
        cdef signed char *fixed = &self.state[chart, 0]
        for a in range(self.inner.role.decisions):
            best[a], fixed[a], inner[self.cell(a)] = -1, GS_OFF, -INFINITY
        for d in range(self.role.decisions):
            a = self.part[d]
            if state[d] == GS_ON:
                if fixed[a] == GS_ON:
                    return GS_NOTHING
                best[a], fixed[a], inner[self.cell(a)] = <int32_t>d, GS_ON, weights[d]
            elif fixed[a] == GS_ON or state[d] == GS_OFF:
                continue
            elif best[a] < 0 or weights[d] > inner[self.cell(a)]:
                best[a], fixed[a], inner[self.cell(a)] = <int32_t>d, GS_FREE, weights[d]
        count[0] = 0
        status = self.inner.role.maximise(self.inner.role.object, chart, inner, fixed, value, on, count)
        if status != GS_FOUND:
            return self.without_answer(status)
        if chart == 0:
            self.optimum = value[0]
        if not 0 <= count[0] <= self.role.most_on:
            return GS_FOUND  # which the search refuses
        for k in range(count[0]):
            on[k] = best[on[k]] if 0 <= on[k] < self.inner.role.decisions else -1
        return GS_FOUND

    cdef int marginals(
        self, const double *weights, const signed char *state, double *on, double *off
    ) noexcept nogil:
        cdef Py_ssize_t a, d
        cdef int status
        cdef double top
        for a in range(self.inner.role.decisions):
            self.off[a], self.second[a] = NAN, -INFINITY
        cdef double *inner_off = NULL if off == NULL else &self.off[0]
        cdef const double *inner = &self.weights[0, 0]
        status = self.inner.role.marginals(
            self.inner.role.object, inner, &self.state[0, 0], &self.on[0], inner_off
        )
        if status != GS_FOUND:
            return self.without_answer(status)
        for d in range(self.role.decisions):
            a = self.part[d]
            if d != self.best[0, a] and state[d] == GS_FREE and self.state[0, a] == GS_FREE:
                self.second[a] = max(self.second[a], weights[d])
        for d in range(self.role.decisions):
            a = self.part[d]
            top = self.weights[0, self.cell(a)]
            if d == self.best[0, a]:
                on[d] = self.on[a]
            elif state[d] == GS_OFF or self.state[0, a] == GS_ON or -INFINITY in (weights[d], self.on[a]):
                on[d] = -INFINITY
            else:
                on[d] = self.on[a] - (top - weights[d])
            if off == NULL:
                continue
            if d != self.best[0, a]:
                off[d] = self.optimum
            elif self.second[a] == -INFINITY or self.on[a] == -INFINITY:
                off[d] = self.off[a]
            elif self.off[a] != self.off[a]:  # the inner maximiser leaves it out
                off[d] = NAN
            else:
                off[d] = max(self.off[a], self.on[a] - (top - self.second[a]))
        return GS_FOUND

    cdef int internal_score(self, const int32_t *on, Py_ssize_t count, double *score) noexcept nogil:
        cdef Py_ssize_t k
        score[0] = 0.0
        if count > self.inner.role.most_on:
            return GS_NOTHING
        if self.inner.role.internal_score == NULL:
            return GS_FOUND
        for k in range(count):
            self.chosen[k] = self.part[on[k]]
        return self.inner.role.internal_score(self.inner.role.object, &self.chosen[0], count, score)

    cdef bint excludes(self, int32_t one, int32_t other) noexcept nogil:
        if self.part[one] == self.part[other]:
            return True
        if self.inner.role.excludes == NULL:
            return False
        return self.inner.role.excludes(self.inner.role.object, self.part[one], self.part[other])
