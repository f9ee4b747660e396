# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Compiled Viterbi decoding with pruning; see the twin `_viterbi_pruned_twin` for what it owes."""

import numpy as np

from gapless_kernels.lanes.arrays cimport contiguous, point, write_back
from gapless_kernels._arguments import owned
from gapless_kernels.sparse_chains._arguments import check_pruned, largest_score
from gapless_kernels.lanes cimport _sets

_sets.follow()

cdef extern from "sparse_chains/viterbi_pruned.h" nogil:
    Py_ssize_t GAPLESS_BLOCK
    void decode "GAPLESS_VITERBI_PRUNED"(
        int is_double, Py_ssize_t labels, Py_ssize_t stride, double largest, Py_ssize_t sentences, void *unary,
        void *offsets, void *padded, void *start, void *end, void *lower, void *upper, void *transition, void *initial,
        void *final, void *rows, void *members, void *counts, void *shifts, void *errors, void *vectors, void *path,
        void *values, void *status, void *survivors, void *messages) noexcept


def viterbi_pruned_batch(
    unary, offsets, transition, initial, final, lower, upper, labels, values, status, survivors=None, messages=None
):
    """Find a best path of each of many chains, with pruning; see `_viterbi_pruned_twin.viterbi_pruned_batch`.

    Works on a padded copy of `transition` in the type of `unary`.
    """
    cdef Py_ssize_t k, sentences, stride
    cdef int is_double
    cdef double largest
    cdef void *at[21]
    (offsets,) = owned(offsets)
    _, k, sentences = check_pruned(
        unary, offsets, transition, initial, final, lower, upper, labels, values, status, survivors, messages
    )
    dtype = unary.dtype
    is_double = dtype == np.float64
    stride = -(-k // GAPLESS_BLOCK) * GAPLESS_BLOCK
    longest = int(np.diff(offsets).max())
    padded = np.full((k, stride), -np.inf, dtype)
    padded[:, :k] = transition
    largest = largest_score(transition, initial, final)
    outputs = labels, values, status, survivors, messages
    written = [contiguous(array) for array in outputs]
    arrays = (
        contiguous(unary),
        contiguous(offsets),
        padded,
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
    point(at, arrays)
    with nogil:
        decode(
            is_double, k, stride, largest, sentences, at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7], at[8],
            at[9], at[10], at[11], at[12], at[13], at[14], at[15], at[16], at[17], at[18], at[19], at[20]
        )
    write_back(outputs, written)
