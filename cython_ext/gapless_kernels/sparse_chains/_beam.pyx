# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Compiled beam search; see the twin `_beam_twin` for what it owes."""

import numpy as np

from gapless_kernels.lanes.arrays cimport contiguous, point, write_back
from gapless_kernels._arguments import owned
from gapless_kernels.sparse_chains._arguments import check_beam
from gapless_kernels.lanes cimport _sets

_sets.follow()

cdef extern from "sparse_chains/beam.h" nogil:
    Py_ssize_t GAPLESS_BLOCK
    void search "GAPLESS_BEAM"(
        int is_double, void *unary, void *offsets, Py_ssize_t sentences, Py_ssize_t labels, void *padded,
        Py_ssize_t stride, void *start, void *end, void *transition, void *initial, void *final, Py_ssize_t width,
        void *rows, void *found, void *ranking, void *scores, void *members, void *counts, Py_ssize_t longest,
        void *path, void *values, void *status) noexcept


def beam_batch(unary, offsets, transition, initial, final, width, labels, values, status):
    """Decode each of many chains by beam search; see `_beam_twin.beam_batch`.

    Works on a padded copy of `transition` in the type of `unary`, which for a handful of sentences costs more than
    the search.
    """
    cdef Py_ssize_t k, sentences, stride, longest, most
    cdef int is_double
    cdef void *at[17]
    (offsets,) = owned(offsets)
    _, k, sentences = check_beam(unary, offsets, transition, initial, final, labels, values, status)
    if width < 1:
        raise ValueError(f"width must be at least 1, got {width}")
    dtype = unary.dtype
    is_double, most = dtype == np.float64, min(width, k)
    stride = -(-k // GAPLESS_BLOCK) * GAPLESS_BLOCK
    longest = np.diff(offsets).max()
    padded = np.full((k, stride), -np.inf, dtype)
    padded[:, :k] = transition
    outputs = labels, values, status
    written = [contiguous(array) for array in outputs]
    arrays = (
        contiguous(unary),
        contiguous(offsets),
        padded,
        None if initial is None else np.ascontiguousarray(initial, dtype),
        None if final is None else np.ascontiguousarray(final, dtype),
        contiguous(transition),
        contiguous(initial),
        contiguous(final),
        np.empty((4, stride), dtype),
        np.empty((4, stride), np.int32),
        np.empty((4, stride), dtype),
        np.empty((4, longest * most), dtype),
        np.empty((4, longest * most), np.int32),
        np.empty((4, longest), np.int32),
        *written,
    )
    point(at, arrays)
    with nogil:
        search(
            is_double, at[0], at[1], sentences, k, at[2], stride, at[3], at[4], at[5], at[6], at[7], most, at[8],
            at[9], at[10], at[11], at[12], at[13], longest, at[14], at[15], at[16]
        )
    write_back(outputs, written)
