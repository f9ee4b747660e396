# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Maximum arborescences, compiled; see the twin `_arborescence_twin` for what each function owes."""

from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int32_t

import numpy as np

from gapless_kernels.arborescences._k_best import trees_in_order
from gapless_kernels.arborescences._marginals import tree_marginals
from gapless_kernels._arguments import check_count
from gapless_kernels.parsing._arguments import check_weights
from gapless_kernels.lanes cimport _sets

_sets.follow()

cdef extern from "arborescences/arborescence.h" nogil:
    size_t arborescence_workspace(ptrdiff_t) noexcept
    double arborescence_best(ptrdiff_t, const double *, int, void *, int32_t *) noexcept
    void arborescence_slacks_above(ptrdiff_t, const double *, int, void *, double, double *) noexcept


cdef double best(
    const double[:, ::1] weights, bint single_root, double[::1] work, int32_t[::1] heads
) noexcept nogil:
    return arborescence_best(weights.shape[0] - 1, &weights[0, 0], single_root, &work[0], &heads[0])


def workspace(n):
    """Allocate the workspace of one call."""
    return np.empty(arborescence_workspace(n) // 8 + 1)


def arborescence(weights, single_root):
    """Find a best tree; see `_arborescence_twin.arborescence`."""
    cdef const double[:, ::1] arcs = check_weights(weights)
    cdef Py_ssize_t n = arcs.shape[0] - 1
    cdef double[::1] work = workspace(n)
    heads = np.empty(n + 1, np.int32)
    cdef int32_t[::1] into = heads
    cdef bint single = bool(single_root)
    cdef double value
    with nogil:
        value = best(arcs, single, work, into)
    return value, heads.astype(np.int64)


def arborescence_max_marginals(weights, single_root, threshold=-np.inf):
    """Find the best tree with each arc; see `_arborescence_twin.arborescence_max_marginals`."""
    cdef const double[:, ::1] arcs = check_weights(weights)
    cdef Py_ssize_t n = arcs.shape[0] - 1
    cdef double[::1] work = workspace(n)
    heads = np.empty(n + 1, np.int32)
    marginals = np.empty((n + 1, n + 1))
    cdef int32_t[::1] into = heads
    cdef double[:, ::1] table = marginals
    cdef bint single = bool(single_root)
    cdef double value, lower_limit = threshold
    with nogil:
        value = best(arcs, single, work, into)
        arborescence_slacks_above(n, &arcs[0, 0], single, &work[0], lower_limit, &table[0, 0])
    return value, heads.astype(np.int64), marginals


def arborescence_k_best(weights, k, single_root):
    """Find the k best trees; see `_arborescence_twin.arborescence_k_best`."""
    return trees_in_order(check_weights(weights), check_count(k), bool(single_root), arborescence)


def arborescence_marginals(weights, single_root):
    """Sum over all trees; see `_arborescence_twin.arborescence_marginals`."""
    return tree_marginals(check_weights(weights), bool(single_root))
