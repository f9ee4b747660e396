# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Dependency trees as a maximiser of the search; see the stub."""

from libc.stdint cimport int32_t, int64_t

import numpy as np

from gapless_kernels.lanes cimport _sets
from gapless_kernels.search cimport roles

_sets.follow()

cdef extern from "search/trees.h" nogil:
    ctypedef struct gs_trees:
        Py_ssize_t n, N, arcs
        int projective, single_root
        int32_t *head
        int32_t *modifier
        int32_t *conflict
        Py_ssize_t *cell

    int gs_trees_maximise(void *, int, const double *, const signed char *, double *, int32_t *, Py_ssize_t *)
    int gs_trees_marginals(void *, const double *, const signed char *, double *, double *)
    int gs_trees_internal_score(void *, const int32_t *, Py_ssize_t, double *)
    int gs_trees_exclude(void *, int32_t, int32_t)
    int gs_trees_reserve(gs_trees *, Py_ssize_t, Py_ssize_t)
    Py_ssize_t gs_trees_number(gs_trees *)
    void gs_trees_free(gs_trees *)


cdef class Trees(roles.Maximiser):
    """The best dependency tree of given arcs; see the stub."""

    cdef gs_trees trees

    def __init__(self, heads, modifiers, words, *, projective, single_root):
        if self.trees.head != NULL:
            raise RuntimeError("these trees were set up before; make others")
        # Copies: they are checked first and read again below.
        cdef const int64_t[::1] h = np.array(heads, np.int64), m = np.array(modifiers, np.int64)
        cdef Py_ssize_t size = words + 1, arcs = h.shape[0], e
        if size < 2 or size > 30000:
            raise ValueError(f"words must be in 1..29999, got {words}")
        if m.shape[0] != arcs:
            raise ValueError(f"heads holds {arcs} arcs, modifiers {m.shape[0]}")
        for e in range(arcs):
            if not (0 <= h[e] < size and 1 <= m[e] < size and h[e] != m[e]):
                raise ValueError(
                    f"arc {e} is {h[e]} -> {m[e]}, expected a head in 0..{size - 1} and another word"
                )
        self.trees.projective, self.trees.single_root = bool(projective), bool(single_root)
        if not gs_trees_reserve(&self.trees, words, arcs):
            raise MemoryError("no memory for the charts of this sentence")
        for e in range(arcs):
            self.trees.head[e], self.trees.modifier[e] = <int32_t>h[e], <int32_t>m[e]
        if gs_trees_number(&self.trees) >= 0:
            raise ValueError("an arc is listed twice")
        self.role.size = sizeof(roles.gs_maximiser)
        self.role.object = &self.trees
        self.role.decisions, self.role.cells, self.role.cell = arcs, size * size, self.trees.cell
        self.role.most_on, self.role.conflict = words, self.trees.conflict
        self.role.maximise, self.role.marginals = gs_trees_maximise, gs_trees_marginals
        self.role.internal_score, self.role.excludes = gs_trees_internal_score, gs_trees_exclude

    def __dealloc__(self):
        gs_trees_free(&self.trees)
