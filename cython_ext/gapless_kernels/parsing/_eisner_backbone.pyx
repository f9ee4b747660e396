# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Higher-order projective trees as backbones of the search; their twin is `gapless_dependency.TreeMaximiser`.

The dynamic programs are those of ``_eisner_higher``. A decision is an arc, with its weight in cell ``head *
(n + 1) + modifier``; the scores of larger parts are the internal scores of the trees.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t

import numpy as np

from gapless_kernels.lanes cimport _sets
from gapless_kernels.lanes.arrays cimport address
from gapless_kernels.parsing._arguments import check_parts
from gapless_kernels.parsing.orders cimport carreras_order, eisner_order, grand_order, sibling_order
from gapless_kernels.search.roles cimport GS_CHARTS, GS_FOUND, GS_NOTHING, Maximiser, gs_maximiser

_sets.follow()

cdef extern from "parsing/tree_checks.h" nogil:
    int arcs_exclude(int32_t, int32_t, int32_t, int32_t, int) noexcept
    int projective_tree(const int64_t *, Py_ssize_t, int) noexcept


cdef class HigherOrderTrees(Maximiser):
    """Projective trees with scores of larger parts; see the stub."""

    cdef Py_ssize_t n, N
    cdef bint single_root
    cdef const eisner_order *order
    cdef const double *parts[3]
    cdef list tables
    cdef int32_t[::1] heads, modifiers, index
    cdef Py_ssize_t[::1] cells
    cdef int64_t[::1] tree
    cdef double[::1] first, second, marginal, top, next_top

    def __init__(
        self, heads, modifiers, Py_ssize_t words, bint single_root,
        *, sibling=None, outermost=None, grandchild=None, grand_sibling=None,
    ):
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
                raise ValueError(
                    f"arc {e} is {h} -> {m}, expected a head in 0..{words} and another word, each arc once"
                )
            index[h * N + m], self.cells[e] = e, h * N + m
        self.index, self.n, self.N, self.single_root = index, words, N, single_root
        siblings = ("sibling", sibling, (0, 2, 1))
        if grandchild is not None or grand_sibling is not None:
            self.order = &grand_order
            grand = ("grand_sibling", grand_sibling, (1, 3, 2, 0))
            inputs = [("grandchild", grandchild, (1, 2, 0)), siblings, grand]
            filled = 2
        elif outermost is not None:
            self.order = &carreras_order
            inputs, filled = [siblings, ("outermost", outermost, (0, 1, 2))], 2
        else:
            self.order = &sibling_order
            inputs, filled = [siblings], 0
        charts = self.order.charts(words)
        self.tables = []
        for e, (name, scores, axes) in enumerate(inputs):
            table = check_parts(name, scores, N, axes)
            if table is None and e < filled:
                table = np.zeros((N,) * len(axes))
            self.tables.append(table)
            self.parts[e] = <const double *>address(table)
        self.first, self.second = np.empty(2 * charts), np.empty(charts)
        self.tree, self.marginal = np.empty(N, np.int64), np.empty(N * N)
        self.top, self.next_top = np.empty(N), np.empty(N)
        self.role.size = sizeof(gs_maximiser)
        self.role.decisions, self.role.cells, self.role.cell = self.heads.shape[0], N * N, &self.cells[0]
        self.role.most_on, self.role.has_internal_scores = words, True

    cdef int maximise(
        self, int chart, const double *weights, const signed char *state, double *value, int32_t *on,
        Py_ssize_t *count
    ) noexcept nogil:
        cdef Py_ssize_t m
        cdef double *work = &self.second[0] if chart else &self.first[0]
        # Arcs that are off weigh -inf; so do the other arcs of a word with an arc that is on.
        value[0] = self.order.best(self.n, weights, self.parts, self.single_root, work, &self.tree[0])
        if value[0] == -INFINITY:
            return GS_NOTHING
        for m in range(1, self.N):
            on[m - 1] = self.index[self.tree[m] * self.N + m]
        count[0] = self.n
        return GS_FOUND

    cdef int marginals(
        self, const double *weights, const signed char *state, double *on, double *off
    ) noexcept nogil:
        cdef Py_ssize_t e, m
        self.order.max_marginals(
            self.n, weights, self.parts, self.single_root, &self.first[0], &self.marginal[0]
        )
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

    cdef int internal_score(self, const int32_t *on, Py_ssize_t count, double *score) noexcept nogil:
        cdef Py_ssize_t k
        score[0] = 0.0
        if count != self.n:
            return GS_NOTHING
        for k in range(self.N):
            self.tree[k] = -1
        for k in range(count):
            self.tree[self.modifiers[on[k]]] = self.heads[on[k]]
        if not projective_tree(&self.tree[0], self.n, self.single_root):
            return GS_NOTHING
        score[0] = self.order.internal_score(&self.tree[0], self.n, self.parts)
        return GS_FOUND if score[0] > -INFINITY else GS_NOTHING

    cdef bint excludes(self, int32_t left, int32_t right) noexcept nogil:
        cdef int32_t head = self.heads[left], modifier = self.modifiers[left]
        return arcs_exclude(head, modifier, self.heads[right], self.modifiers[right], self.single_root)
