# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""First-order projective parsing, compiled; the twin `_eisner_twin` documents their contracts."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t

import sys

import numpy as np

from gapless_kernels._arguments import check_count
from gapless_kernels.parsing._arguments import check_weights
from gapless_kernels.lanes cimport _sets

_sets.follow()

cdef extern from "parsing/eisner.h" nogil:
    size_t eisner_workspace(Py_ssize_t) noexcept
    double eisner_inside(Py_ssize_t, const double *, int, void *, int32_t *) noexcept
    void eisner_outside(Py_ssize_t, const double *, int, void *, double *) noexcept

cdef extern from "parsing/sums.h" nogil:
    Py_ssize_t eisner_sums_workspace(Py_ssize_t) noexcept
    double eisner_sums(Py_ssize_t, const double *, int, double *, double *) noexcept

cdef extern from "parsing/k_best.h" nogil:
    ctypedef struct eisner_forest:
        pass
    int eisner_forest_open(eisner_forest *, Py_ssize_t, const double *, int, void *, int32_t *) noexcept
    int eisner_forest_tree(eisner_forest *, Py_ssize_t, double *, int32_t *) noexcept
    void eisner_forest_close(eisner_forest *) noexcept


cdef tuple best(weights, bint single_root, bint with_marginals):
    """Find the best tree, and the best with each arc if asked for."""
    cdef const double[:, ::1] arcs = check_weights(weights)
    cdef Py_ssize_t size = arcs.shape[0]
    heads, max_marginals = np.empty(size, np.int32), None
    cdef int32_t[::1] into = heads
    cdef double[::1] work = workspace(size - 1)
    cdef double[:, ::1] table = None
    cdef double value
    if with_marginals:
        table = max_marginals = np.empty((size, size))
    with nogil:
        value = eisner_inside(size - 1, &arcs[0, 0], single_root, &work[0], &into[0])
        if with_marginals:
            eisner_outside(size - 1, &arcs[0, 0], single_root, &work[0], &table[0, 0])
    heads = heads.astype(np.int64)
    return (value, heads, max_marginals) if with_marginals else (value, heads)


# Ctrl-C is checked after so many trees.
cdef Py_ssize_t CHUNK = 64


cdef list k_best(const double[:, ::1] weights, Py_ssize_t k, bint single_root, double[::1] work):
    """List the k best trees in parts: pairs of values and heads."""
    cdef eisner_forest forest
    cdef double[::1] values
    cdef int32_t[:, ::1] heads
    cdef Py_ssize_t n = weights.shape[0] - 1, tree_count = 0, filled
    cdef int status = 1
    scratch = np.empty(n + 1, np.int32)
    cdef int32_t[::1] first = scratch
    if eisner_forest_open(&forest, n, &weights[0, 0], single_root, &work[0], &first[0]) < 0:
        raise MemoryError
    parts = []
    try:
        while status > 0 and tree_count < k:
            size = min(CHUNK, k - tree_count)
            part = np.empty(size), np.empty((size, n + 1), np.int32)
            values, heads = part
            filled = 0
            with nogil:
                while filled < values.shape[0]:
                    status = eisner_forest_tree(
                        &forest, tree_count + filled, &values[filled], &heads[filled, 0]
                    )
                    if status <= 0:
                        break
                    filled += 1
            if status < 0:
                raise MemoryError
            tree_count += filled
            parts.append((part[0][:filled], part[1][:filled]))
            PyErr_CheckSignals()
    finally:
        eisner_forest_close(&forest)
    return parts


def workspace(n):
    """Allocate the workspace for sentences of n words."""
    return np.empty((eisner_workspace(n) + 7) // 8)


def eisner(weights, single_root):
    """Find the best projective tree; see `_eisner_twin.eisner`."""
    return best(weights, single_root, False)


def eisner_max_marginals(weights, single_root):
    """Find the best projective tree, and the best with each arc; see `_eisner_twin.eisner_max_marginals`."""
    return best(weights, single_root, True)


def eisner_marginals(weights, single_root):
    """Compute arc probabilities; see `_eisner_twin.eisner_marginals`."""
    cdef const double[:, ::1] arcs = check_weights(weights)
    cdef Py_ssize_t size = arcs.shape[0]
    marginals = np.empty((size, size))
    cdef double[::1] work = np.empty(eisner_sums_workspace(size - 1))
    cdef double[:, ::1] table = marginals
    cdef bint single = single_root
    cdef double total
    with nogil:
        total = eisner_sums(size - 1, &arcs[0, 0], single, &work[0], &table[0, 0])
    return total, marginals


def eisner_k_best(weights, k, single_root):
    """Find the k best projective trees; see `_eisner_twin.eisner_k_best`."""
    weights, k = check_weights(weights), check_count(k)
    values, heads = zip(*k_best(weights, min(k, sys.maxsize), single_root, workspace(len(weights) - 1)))
    values, heads = np.concatenate(values), np.concatenate(heads).astype(np.int64)
    # Sums in another order may round the other way.
    order = np.argsort(-values, kind="stable")
    return values[order], heads[order]
