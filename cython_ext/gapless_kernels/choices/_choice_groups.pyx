# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Independent choices as a maximiser of the search; see the stub."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t

import numpy as np

from gapless_kernels.lanes cimport _sets
from gapless_kernels.search cimport roles

_sets.follow()


cdef class ChoiceGroups(roles.Maximiser):
    """The best decision of each group, and every ungrouped one of positive weight; see the stub."""

    cdef int64_t[::1] first, members, ungrouped
    cdef double optimum  # of chart 0

    def __init__(self, decisions, group_first=(0,), groups=()):
        self.first = np.array(group_first, np.int64)
        self.members = np.array(groups, np.int64)
        grouped = np.bincount(np.asarray(self.members), minlength=decisions)
        if self.first.shape[0] < 1 or self.first[0] != 0 or (np.diff(np.asarray(self.first)) < 0).any():
            raise ValueError("group_first must ascend from 0")
        end = self.first[self.first.shape[0] - 1]
        if end != self.members.shape[0] or len(grouped) > decisions or (grouped > 1).any():
            raise ValueError(f"groups must hold group_first[-1] different decisions of {decisions}")
        self.ungrouped = np.flatnonzero(grouped == 0)
        self.role.size = sizeof(roles.gs_maximiser)
        self.role.decisions = self.role.cells = self.role.most_on = decisions
        self.role.internal_score = self.role.excludes = NULL

    cdef int maximise(
        self, int chart, const double *weights, const signed char *state, double *value, int32_t *on,
        Py_ssize_t *count
    ) noexcept nogil:
        cdef Py_ssize_t g, k, e, best
        value[0], count[0] = 0.0, 0
        for g in range(self.first.shape[0] - 1):
            best = -1
            for k in range(self.first[g], self.first[g + 1]):
                e = self.members[k]
                if weights[e] > -INFINITY and (best < 0 or weights[e] > weights[best]):
                    best = e
            if best < 0:
                return roles.GS_NOTHING
            on[count[0]] = <int32_t>best
            count[0] += 1
            value[0] += weights[best]
        for k in range(self.ungrouped.shape[0]):
            e = self.ungrouped[k]
            if weights[e] > 0.0 or state[e] == roles.GS_ON:
                on[count[0]] = <int32_t>e
                count[0] += 1
                value[0] += weights[e]
        if chart == 0:
            self.optimum = value[0]
        return roles.GS_FOUND

    cdef int marginals(
        self, const double *weights, const signed char *state, double *on, double *off
    ) noexcept nogil:
        cdef Py_ssize_t g, k, e
        cdef double total = self.optimum, best, second
        for g in range(self.first.shape[0] - 1):
            best = second = -INFINITY
            for k in range(self.first[g], self.first[g + 1]):
                e = self.members[k]
                if weights[e] > best:
                    best, second = weights[e], best
                elif weights[e] > second:
                    second = weights[e]
            for k in range(self.first[g], self.first[g + 1]):
                e = self.members[k]
                on[e] = total - best + weights[e]
                if off != NULL:
                    off[e] = total if weights[e] < best else total - best + second
        for k in range(self.ungrouped.shape[0]):
            e = self.ungrouped[k]
            on[e] = total + min(weights[e], 0.0) if state[e] != roles.GS_ON else total
            if off != NULL:
                off[e] = -INFINITY if state[e] == roles.GS_ON else total - max(weights[e], 0.0)
        return roles.GS_FOUND
