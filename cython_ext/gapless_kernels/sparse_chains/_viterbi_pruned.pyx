# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Compiled Viterbi decoding with pruning; the twin `_viterbi_pruned_twin` documents the contract."""

import numpy as np

from gapless_kernels.lanes.arrays cimport contiguous, point, write_back
from gapless_kernels._arguments import owned
from gapless_kernels.chains._transition_tables import padded
from gapless_kernels.sparse_chains._arguments import check_pruned, largest_score
from gapless_kernels.lanes cimport _sets

_sets.follow()

cdef extern from "sparse_chains/viterbi_pruned.h" nogil:
    void decode "GAPLESS_VITERBI_PRUNED"(
        int is_double, Py_ssize_t labels, Py_ssize_t stride, double largest, Py_ssize_t sentences,
        void *unary,
        void *offsets, void *padded, void *start, void *end, void *lower, void *upper, void *transition,
        void *initial,
        void *final, void *rows, void *members, void *counts, void *shifts, void *errors, void *vectors,
        void *path,
        void *values, void *status, void *survivors, void *messages) noexcept


def viterbi_pruned_batch(
    unary, offsets, transition, initial, final, lower, upper, labels, values, status, survivors=None,
    messages=None
):
    """Find a best path of each of many chains, with pruning; see `_viterbi_pruned_twin.viterbi_pruned_batch`.

    Works on a padded copy of `transition` in the type of `unary`.
    """
    cdef Py_ssize_t k, sentences, stride
    cdef int is_double
    cdef double largest
    cdef void *arg[21]
    (offsets,) = owned(offsets)
    check_pruned(
        unary, offsets, transition, initial, final, lower, upper, labels, values, status, survivors, messages
    )
    dtype = unary.dtype
    is_double = dtype == np.float64
    pairs, longest = padded(transition, dtype), int(np.diff(offsets).max())
    k, stride, sentences = len(transition), pairs.shape[1], len(offsets) - 1
    largest = largest_score(transition, initial, final)
    outputs = labels, values, status, survivors, messages
    written = [contiguous(array) for array in outputs]
    arrays = (
        contiguous(unary),
        contiguous(offsets),
        pairs,
        None if initial is None else np.ascontiguousarray(initial, dtype),
        None if final is None else np.ascontiguousarray(final, dtype),
        np.ascontiguousarray(lower, dtype),
        np.ascontiguousarray(upper, dtype),
        contiguous(transition),
        contiguous(initial),
        contiguous(final),
        np.empty((longest, stride), dtype),
        np.empty((longest, stride), np.int32),
        np.empty(longest, np.int32),
        np.empty(longest, dtype),
        np.empty(longest),
        np.empty((2, stride), dtype),
        *written,
    )
    point(arg, arrays)
    with nogil:
        decode(
            is_double, k, stride, largest, sentences, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5], arg[6],
            arg[7], arg[8], arg[9], arg[10], arg[11], arg[12], arg[13], arg[14], arg[15], arg[16], arg[17],
            arg[18], arg[19], arg[20]
        )
    write_back(outputs, written)
