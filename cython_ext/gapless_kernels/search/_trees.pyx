# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Dependency trees as a maximiser of the search: Eisner's dynamic program, or maximum arborescences.

A decision is an arc; its weight is in cell head * (n + 1) + modifier, as both algorithms read them.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t

import numpy as np

from gapless_kernels.lanes cimport _sets
from gapless_kernels.search.roles cimport GS_CHARTS, GS_FOUND, GS_NOTHING, Maximiser, gs_maximiser

_sets.follow()

cdef extern from "arborescences/arborescence.h" nogil:
    size_t arborescence_workspace(Py_ssize_t) noexcept
    double arborescence_best(Py_ssize_t, const double *, int, void *, int32_t *) noexcept
    void arborescence_slacks(Py_ssize_t, const double *, int, void *, double *) noexcept

cdef extern from "parsing/eisner.h" nogil:
    size_t eisner_workspace(Py_ssize_t) noexcept
    double eisner_inside(Py_ssize_t, const double *, int, void *, int32_t *) noexcept
    void eisner_outside(Py_ssize_t, const double *, int, void *, double *) noexcept

cdef extern from "parsing/tree_checks.h" nogil:
    int arcs_conflict(int32_t, int32_t, int32_t, int32_t, int) noexcept
    int arcs_exclude(int32_t, int32_t, int32_t, int32_t, int) noexcept
    int is_tree(const int64_t *, Py_ssize_t, int) noexcept
    int projective_tree(const int64_t *, Py_ssize_t, int) noexcept


cdef class Trees(Maximiser):
    """The best dependency tree of given arcs; see the stub."""

    cdef Py_ssize_t n, N
    cdef bint projective, single_root
    cdef const int64_t[::1] head, modifier
    cdef int32_t[::1] index, best
    cdef int64_t[::1] heads
    cdef Py_ssize_t[::1] cells
    cdef double[::1] marginal
    cdef unsigned char[:, ::1] work

    def __init__(self, heads, modifiers, words, *, bint projective, bint single_root):
        if self.n:
            raise RuntimeError("these trees were set up before; make others")
        # Copies: they are checked here and read later.
        cdef const int64_t[::1] h = np.array(heads, np.int64), m = np.array(modifiers, np.int64)
        cdef Py_ssize_t N = words + 1, arcs = h.shape[0], e
        if not 2 <= N <= 30000:
            raise ValueError(f"words must be in 1..29999, got {words}")
        if m.shape[0] != arcs:
            raise ValueError(f"heads holds {arcs} arcs, modifiers {m.shape[0]}")
        cdef int32_t[::1] index = np.full(N * N, -1, np.int32), conflicts = np.empty(arcs, np.int32)
        self.cells = np.empty(arcs + 1, np.intp)
        for e in range(arcs):
            if not (0 <= h[e] < N and 1 <= m[e] < N and h[e] != m[e]):
                raise ValueError(
                    f"arc {e} is {h[e]} -> {m[e]}, expected a head in 0..{words} and another word"
                )
            self.cells[e] = h[e] * N + m[e]
            if index[self.cells[e]] >= 0:
                raise ValueError("an arc is listed twice")
            index[self.cells[e]] = <int32_t>e
        for e in range(arcs):
            conflicts[e] = index[m[e] * N + h[e]]
        self.N, self.n, self.projective, self.single_root = N, words, projective, single_root
        self.head, self.modifier, self.index = h, m, index
        self.best, self.heads, self.marginal = np.zeros(N, np.int32), np.zeros(N, np.int64), np.zeros(N * N)
        size = eisner_workspace(self.n) if projective else arborescence_workspace(self.n)
        # Zeros, whose pages are there once they are used; the rows begin at multiples of 64 bytes.
        self.work = np.zeros((GS_CHARTS, (size // 64 + 2) * 64), np.uint8)
        self.role.size = sizeof(gs_maximiser)
        self.role.decisions, self.role.cells, self.role.cell = arcs, N * N, &self.cells[0]
        self.role.most_on = self.n
        self.take_conflicts(conflicts)

    cdef int maximise(
        self, int chart, const double *weights, const signed char *state, double *value, int32_t *on,
        Py_ssize_t *count
    ) noexcept nogil:
        # Weights of arcs that are off, and of the conflicts of those that are on, are -inf: the state is not
        # needed.
        cdef Py_ssize_t m
        cdef int32_t *heads = &self.best[0]
        if self.projective:
            value[0] = eisner_inside(self.n, weights, self.single_root, &self.work[chart, 0], heads)
        else:
            value[0] = arborescence_best(self.n, weights, self.single_root, &self.work[chart, 0], heads)
        if not value[0] > -INFINITY:
            return GS_NOTHING
        for m in range(1, self.N):
            on[m - 1] = self.index[heads[m] * self.N + m]
        count[0] = self.n
        return GS_FOUND

    cdef int marginals(
        self, const double *weights, const signed char *state, double *on, double *off
    ) noexcept nogil:
        cdef Py_ssize_t e
        cdef double *marginal = &self.marginal[0]
        if self.projective:
            eisner_outside(self.n, weights, self.single_root, &self.work[0, 0], marginal)
        else:
            arborescence_slacks(self.n, weights, self.single_root, &self.work[0, 0], marginal)
        for e in range(self.role.decisions):
            on[e] = marginal[self.cells[e]]
        return GS_FOUND  # `off` stays as it is, because every arc is in a group

    cdef int internal_score(self, const int32_t *on, Py_ssize_t count, double *score) noexcept nogil:
        """Write 0; GS_NOTHING if the arcs are no tree of this family."""
        cdef Py_ssize_t k
        score[0] = 0.0
        if count != self.n:
            return GS_NOTHING
        for k in range(1, self.N):
            self.heads[k] = -1
        for k in range(count):
            self.heads[self.modifier[on[k]]] = self.head[on[k]]
        if self.projective:
            return GS_FOUND if projective_tree(&self.heads[0], self.n, self.single_root) else GS_NOTHING
        return GS_FOUND if is_tree(&self.heads[0], self.n, self.single_root) else GS_NOTHING

    cdef bint excludes(self, int32_t one, int32_t other) noexcept nogil:
        cdef int32_t g = <int32_t>self.head[one], m = <int32_t>self.modifier[one]
        cdef int32_t h = <int32_t>self.head[other], w = <int32_t>self.modifier[other]
        if self.projective:
            return arcs_exclude(g, m, h, w, self.single_root)
        return arcs_conflict(g, m, h, w, self.single_root)
