# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Compiled beam search; the twin `_beam_twin` documents the contract."""

import numpy as np

from gapless_kernels.lanes.arrays cimport contiguous, point, write_back
from gapless_kernels._arguments import owned
from gapless_kernels.chains._batch_arguments import check_batch
from gapless_kernels.chains._transition_tables import padded
from gapless_kernels.lanes cimport _sets

_sets.follow()

cdef extern from "sparse_chains/beam.h" nogil:
    void search "GAPLESS_BEAM"(
        int is_double, void *unary, void *offsets, Py_ssize_t sentences, Py_ssize_t labels, void *padded,
        Py_ssize_t stride, void *start, void *end, void *transition, void *initial, void *final,
        Py_ssize_t width,
        void *rows, void *candidates, void *ranking, void *scores, void *members, void *counts,
        Py_ssize_t longest,
        void *path, void *values, void *status) noexcept


def beam_batch(unary, offsets, transition, initial, final, width, labels, values, status):
    """Decode each of many chains by beam search; see `_beam_twin.beam_batch`.

    Works on a padded copy of `transition` in the type of `unary`, which for a handful of sentences costs more
    than the search.
    """
    cdef Py_ssize_t k, sentences, stride, longest, max_beam
    cdef int is_double
    cdef void *arg[17]
    (offsets,) = owned(offsets)
    sentences = check_batch(unary, offsets, transition, initial, final, labels, values, status)
    if width < 1:
        raise ValueError(f"width must be at least 1, got {width}")
    dtype = unary.dtype
    pairs, longest = padded(transition, dtype), np.diff(offsets).max()
    k, stride = len(transition), pairs.shape[1]
    is_double, max_beam = dtype == np.float64, min(width, k)
    outputs = labels, values, status
    written = [contiguous(array) for array in outputs]
    arrays = (
        contiguous(unary),
        contiguous(offsets),
        pairs,
        None if initial is None else np.ascontiguousarray(initial, dtype),
        None if final is None else np.ascontiguousarray(final, dtype),
        contiguous(transition),
        contiguous(initial),
        contiguous(final),
        np.empty((4, stride), dtype),
        np.empty((4, stride), np.int32),
        np.empty((4, stride), dtype),
        np.empty((4, longest * max_beam), dtype),
        np.empty((4, longest * max_beam), np.int32),
        np.empty((4, longest), np.int32),
        *written,
    )
    point(arg, arrays)
    with nogil:
        search(
            is_double, arg[0], arg[1], sentences, k, arg[2], stride, arg[3], arg[4], arg[5], arg[6], arg[7],
            max_beam, arg[8], arg[9], arg[10], arg[11], arg[12], arg[13], longest, arg[14], arg[15], arg[16]
        )
    write_back(outputs, written)
