# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Maximum arborescences, compiled; see the twin `_arborescence_twin` for what each function owes."""

from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int32_t

import numpy as np

from gapless_kernels.parsing._k_best import trees_in_order
from gapless_kernels.arborescences._marginals import tree_marginals
from gapless_kernels._arguments import check_count
from gapless_kernels.parsing._arguments import check_weights
from gapless_kernels.lanes cimport _sets

_sets.follow()

cdef extern from "arborescences/arborescence.h" nogil:
    size_t arborescence_workspace(ptrdiff_t) noexcept
    double arborescence_best(ptrdiff_t, const double *, int, void *, int32_t *) noexcept
    void arborescence_slacks_above(ptrdiff_t, const double *, int, void *, double, double *) noexcept


cdef tuple best(weights, bint single_root, bint with_marginals, double threshold):
    """Find a best tree, and the best with each arc if asked for."""
    cdef const double[:, ::1] arcs = check_weights(weights)
    cdef Py_ssize_t n = arcs.shape[0] - 1
    cdef double[::1] work = np.empty(arborescence_workspace(n) // 8 + 1)
    heads, marginals = np.empty(n + 1, np.int32), None
    cdef int32_t[::1] into = heads
    cdef double[:, ::1] table = None
    cdef double value
    if with_marginals:
        table = marginals = np.empty((n + 1, n + 1))
    with nogil:
        value = arborescence_best(n, &arcs[0, 0], single_root, &work[0], &into[0])
        if with_marginals:
            arborescence_slacks_above(n, &arcs[0, 0], single_root, &work[0], threshold, &table[0, 0])
    heads = heads.astype(np.int64)
    return (value, heads, marginals) if with_marginals else (value, heads)


def arborescence(weights, single_root):
    """Find a best tree; see `_arborescence_twin.arborescence`."""
    return best(weights, bool(single_root), False, 0.0)


def arborescence_max_marginals(weights, single_root, threshold=-np.inf):
    """Find the best tree with each arc; see `_arborescence_twin.arborescence_max_marginals`."""
    return best(weights, bool(single_root), True, threshold)


def arborescence_k_best(weights, k, single_root):
    """Find the k best trees; see `_arborescence_twin.arborescence_k_best`."""
    return trees_in_order(check_weights(weights), check_count(k), bool(single_root), arborescence)


def arborescence_marginals(weights, single_root):
    """Sum over all trees; see `_arborescence_twin.arborescence_marginals`."""
    return tree_marginals(check_weights(weights), bool(single_root))
