# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The k best paths of chains, compiled; see the twin `_k_best_twin` for what it owes."""

from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np

from gapless_kernels.lanes.arrays cimport address, contiguous, write_back
from gapless_kernels._arguments import owned
from gapless_kernels.sparse_chains._arguments import check_k_best, largest_score
from gapless_kernels.lanes cimport _sets

_sets.follow()

cdef extern from "sparse_chains/k_best.h" nogil:
    Py_ssize_t GAPLESS_BLOCK
    ctypedef struct chain_model_f64:
        Py_ssize_t labels, stride, varying
        const double *transition
        const double *initial
        const double *final
        int rule
        const double *lower
        const double *upper
        const double *table
        double largest
    ctypedef struct chain_room_f64:
        double *rows
        int32_t *members
        int32_t *counts
        double *shifts
        double *errors
        double *offers
        double *bounds
    ctypedef struct k_best_node:
        pass
    ctypedef struct k_best_room:
        k_best_node *nodes
        Py_ssize_t count, room
        int32_t *number
        int32_t *stack
        Py_ssize_t k
        const double *columns
    int search "GAPLESS_K_BEST"(
        const chain_model_f64 *, const chain_room_f64 *, k_best_room *, const double *, const float *, double *,
        const int64_t *, Py_ssize_t, const double *, int64_t *, double *, int64_t *, uint8_t *) noexcept
    void gapless_k_best_release(k_best_room *) noexcept


def k_best_batch(
    unary, offsets, transition, initial, final, labels, values, counts, status, *,
    lower=None, upper=None, table=None, thresholds=None,
):
    """Find the k best paths of each of many chains; see `_k_best_twin.k_best_batch`.

    Works on a padded and on a transposed copy of `transition`.
    """
    cdef chain_model_f64 model
    cdef chain_room_f64 room
    cdef k_best_room best
    cdef Py_ssize_t k, stride, longest, sentences
    cdef int failed
    (offsets,) = owned(offsets)
    k = check_k_best(
        unary, offsets, transition, initial, final, labels, values, counts, status, lower, upper, table, thresholds
    )
    varying = transition.ndim == 3
    stride = -(-k // GAPLESS_BLOCK) * GAPLESS_BLOCK
    longest, sentences = np.diff(offsets).max(), len(offsets) - 1
    pairs = transition if varying else transition[None]
    padded = np.full((len(pairs), k, stride), -np.inf)
    padded[:, :, :k] = pairs
    columns = None
    if not varying:
        columns = np.full((k, stride), -np.inf)
        columns[:, :k] = transition.T
    if table is not None:
        finite = transition > -np.inf
        allowed = finite.sum(axis=1)
        sums = np.sum(transition, axis=1, where=finite)
        lower = np.where(allowed > 0, sums / np.maximum(allowed, 1), -np.inf)
        beats = np.full((k, stride), -np.inf)
        beats[:, :k] = table
        table = beats
    narrow = unary.dtype == np.float32
    outputs = labels, values, counts, status
    written = [contiguous(array) for array in outputs]
    given = [contiguous(array) for array in (unary, offsets, initial, final, lower, upper, thresholds)]
    widened = np.empty((longest if narrow else 1, k))
    rows, members, filled = np.empty((longest, stride)), np.empty((longest, stride), np.int32), np.empty(longest, np.int32)
    shifts, errors, vectors = np.empty(longest), np.empty(longest), np.empty((2, stride))
    number, stack = np.empty((longest, k), np.int32), np.empty(longest + 1, np.int32)

    model.labels, model.stride, model.varying = k, stride, k * stride if varying else 0
    model.transition = <const double *>address(padded)
    model.initial, model.final = <const double *>address(given[2]), <const double *>address(given[3])
    model.lower, model.upper = <const double *>address(given[4]), <const double *>address(given[5])
    model.table = <const double *>address(table)
    model.rule = 2 if table is not None else 1 if upper is not None else 0
    model.largest = largest_score(transition, initial, final)
    room.rows, room.members, room.counts = <double *>address(rows), <int32_t *>address(members), <int32_t *>address(filled)
    room.shifts, room.errors = <double *>address(shifts), <double *>address(errors)
    room.offers = <double *>address(vectors)
    room.bounds = room.offers + stride
    best.nodes, best.count, best.room, best.k = NULL, 0, 0, len(labels)
    best.number, best.stack = <int32_t *>address(number), <int32_t *>address(stack)
    best.columns = <const double *>address(columns)
    cdef const double *wide = <const double *>address(None if narrow else given[0])
    cdef const float *single = <const float *>address(given[0] if narrow else None)
    cdef double *rows_widened = <double *>address(widened)
    cdef const int64_t *starts = <const int64_t *>address(given[1])
    cdef const double *least = <const double *>address(given[6])
    cdef int64_t *paths = <int64_t *>address(written[0], True)
    cdef double *totals = <double *>address(written[1], True)
    cdef int64_t *found = <int64_t *>address(written[2], True)
    cdef uint8_t *codes = <uint8_t *>address(written[3], True)
    with nogil:
        failed = search(
            &model, &room, &best, wide, single, rows_widened, starts, sentences, least, paths, totals, found, codes
        )
        gapless_k_best_release(&best)
    if failed:
        raise MemoryError("no memory for the k best paths")
    write_back(outputs, written)
