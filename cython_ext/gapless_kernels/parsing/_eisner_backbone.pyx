# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Higher-order projective trees as backbones of the search; their twin is `gapless_dependency.TreeMaximiser`.

The dynamic programs are those of ``_eisner_higher``. A decision is an arc, with its weight in cell ``head * (n + 1) +
modifier``; the scores of larger parts are the trees' own.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t

import numpy as np

from gapless_kernels.lanes cimport _sets
from gapless_kernels.lanes.arrays cimport address
from gapless_kernels.parsing._arguments import check_parts
from gapless_kernels.search.roles cimport GS_CHARTS, GS_FOUND, GS_NOTHING, Maximiser, gs_maximiser

_sets.follow()

ctypedef double (*best_of)(Py_ssize_t, const double *, const double **, int, double *, int64_t *) noexcept nogil
ctypedef void (*rest_of)(Py_ssize_t, const double *, const double **, int, double *, double *) noexcept nogil
ctypedef double (*own_of)(const int64_t *, Py_ssize_t, const double **) noexcept nogil

cdef extern from "parsing/sibling.h" nogil:
    size_t sibling_charts(Py_ssize_t) noexcept
    double sibling_best(Py_ssize_t, const double *, const double **, int, double *, int64_t *) noexcept
    void sibling_rest(Py_ssize_t, const double *, const double **, int, double *, double *) noexcept

cdef extern from "parsing/carreras.h" nogil:
    size_t carreras_charts(Py_ssize_t) noexcept
    double carreras_best(Py_ssize_t, const double *, const double **, int, double *, int64_t *) noexcept
    void carreras_rest(Py_ssize_t, const double *, const double **, int, double *, double *) noexcept

cdef extern from "parsing/grand_sibling.h" nogil:
    size_t grand_charts(Py_ssize_t) noexcept
    double grand_best(Py_ssize_t, const double *, const double **, int, double *, int64_t *) noexcept
    void grand_rest(Py_ssize_t, const double *, const double **, int, double *, double *) noexcept

cdef extern from "parsing/own_scores.h" nogil:
    int arcs_exclude(int32_t, int32_t, int32_t, int32_t, int) noexcept
    int projective_tree(const int64_t *, Py_ssize_t, int) noexcept
    double sibling_own(const int64_t *, Py_ssize_t, const double **) noexcept
    double carreras_own(const int64_t *, Py_ssize_t, const double **) noexcept
    double grand_own(const int64_t *, Py_ssize_t, const double **) noexcept


cdef class HigherOrderTrees(Maximiser):
    """Projective trees with scores of larger parts; see the stub."""

    cdef Py_ssize_t n, N
    cdef bint single_root
    cdef best_of best
    cdef rest_of rest
    cdef own_of scored
    cdef const double *parts[3]
    cdef list held
    cdef int32_t[::1] heads, modifiers, index
    cdef Py_ssize_t[::1] cells
    cdef int64_t[::1] found
    cdef double[::1] first, second, marginal, top, next_top

    def __init__(self, heads, modifiers, Py_ssize_t words, bint single_root, *, sibling=None, outermost=None, grandchild=None, grand_sibling=None):
        cdef Py_ssize_t e, N = words + 1
        cdef size_t charts
        if words < 1 or words > 30000:
            raise ValueError(f"words must be in 1..30000, got {words}")
        if outermost is not None and (grandchild is not None or grand_sibling is not None):
            raise ValueError("no order has outermost grandchildren and others")
        self.heads, self.modifiers = np.array(heads, np.int32), np.array(modifiers, np.int32)
        if self.heads.shape[0] != self.modifiers.shape[0]:
            raise ValueError(f"heads holds {self.heads.shape[0]} arcs, modifiers {self.modifiers.shape[0]}")
        index = np.full(N * N, -1, np.int32)
        self.cells = np.empty(self.heads.shape[0] + 1, np.intp)
        for e in range(self.heads.shape[0]):
            h, m = self.heads[e], self.modifiers[e]
            if not (0 <= h < N and 1 <= m < N and h != m) or index[h * N + m] >= 0:
                raise ValueError(f"arc {e} is {h} -> {m}, expected a head in 0..{words} and another word, each arc once")
            index[h * N + m], self.cells[e] = e, h * N + m
        self.index, self.n, self.N, self.single_root = index, words, N, single_root
        siblings = ("sibling", sibling, (0, 2, 1))
        if grandchild is not None or grand_sibling is not None:
            charts, self.best, self.rest, self.scored = grand_charts(words), grand_best, grand_rest, grand_own
            given = [("grandchild", grandchild, (1, 2, 0)), siblings, ("grand_sibling", grand_sibling, (1, 3, 2, 0))]
            filled = 2
        elif outermost is not None:
            charts, self.best, self.rest, self.scored = carreras_charts(words), carreras_best, carreras_rest, carreras_own
            given, filled = [siblings, ("outermost", outermost, (0, 1, 2))], 2
        else:
            charts, self.best, self.rest, self.scored = sibling_charts(words), sibling_best, sibling_rest, sibling_own
            given, filled = [siblings], 0
        self.held = []
        for e, (name, scores, axes) in enumerate(given):
            laid = check_parts(name, scores, N, axes)
            if laid is None and e < filled:
                laid = np.zeros((N,) * len(axes))
            self.held.append(laid)
            self.parts[e] = <const double *>address(laid)
        self.first, self.second = np.empty(2 * charts), np.empty(charts)
        self.found, self.marginal = np.empty(N, np.int64), np.empty(N * N)
        self.top, self.next_top = np.empty(N), np.empty(N)
        self.role.size = sizeof(gs_maximiser)
        self.role.decisions, self.role.cells, self.role.cell = self.heads.shape[0], N * N, &self.cells[0]
        self.role.most_on, self.role.has_own = words, True

    cdef int maximise(self, int chart, const double *weights, const signed char *state, double *value, int32_t *on, Py_ssize_t *count) noexcept nogil:
        cdef Py_ssize_t m
        # What is off weighs -inf, and so does what is not the only choice of its word.
        value[0] = self.best(self.n, weights, self.parts, self.single_root, &self.second[0] if chart else &self.first[0], &self.found[0])
        if value[0] == -INFINITY:
            return GS_NOTHING
        for m in range(1, self.N):
            on[m - 1] = self.index[self.found[m] * self.N + m]
        count[0] = self.n
        return GS_FOUND

    cdef int marginals(self, const double *weights, const signed char *state, double *on, double *off) noexcept nogil:
        cdef Py_ssize_t e, m
        self.rest(self.n, weights, self.parts, self.single_root, &self.first[0], &self.marginal[0])
        for m in range(self.N):
            self.top[m] = self.next_top[m] = -INFINITY
        for e in range(self.role.decisions):
            on[e], m = self.marginal[self.cells[e]], self.modifiers[e]
            if on[e] > self.top[m]:
                self.next_top[m], self.top[m] = self.top[m], on[e]
            elif on[e] > self.next_top[m]:
                self.next_top[m] = on[e]
        if off != NULL:
            for e in range(self.role.decisions):
                m = self.modifiers[e]
                off[e] = self.next_top[m] if on[e] == self.top[m] else self.top[m]
        return GS_FOUND

    cdef int own(self, const int32_t *on, Py_ssize_t count, double *own) noexcept nogil:
        cdef Py_ssize_t k
        own[0] = 0.0
        if count != self.n:
            return GS_NOTHING
        for k in range(self.N):
            self.found[k] = -1
        for k in range(count):
            self.found[self.modifiers[on[k]]] = self.heads[on[k]]
        if not projective_tree(&self.found[0], self.n, self.single_root):
            return GS_NOTHING
        own[0] = self.scored(&self.found[0], self.n, self.parts)
        return GS_FOUND if own[0] > -INFINITY else GS_NOTHING

    cdef bint excludes(self, int32_t one, int32_t other) noexcept nogil:
        return arcs_exclude(self.heads[one], self.modifiers[one], self.heads[other], self.modifiers[other], self.single_root)
