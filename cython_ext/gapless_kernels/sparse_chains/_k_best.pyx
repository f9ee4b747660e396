# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The k best paths of chains, compiled; the twin `_k_best_twin` documents the contract."""

from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np

from gapless_kernels.lanes.arrays cimport address, contiguous, write_back
from gapless_kernels._arguments import owned
from gapless_kernels.chains._transition_tables import padded
from gapless_kernels.sparse_chains._arguments import check_k_best, largest_score
from gapless_kernels.lanes cimport _sets

_sets.follow()

cdef extern from "sparse_chains/k_best.h" nogil:
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
    ctypedef struct chain_workspace_f64:
        double *rows
        int32_t *members
        int32_t *counts
        double *shifts
        double *errors
        double *offers
        double *bounds
    ctypedef struct k_best_node:
        pass
    ctypedef struct k_best_workspace:
        k_best_node *nodes
        Py_ssize_t count, capacity
        int32_t *number
        int32_t *stack
        Py_ssize_t k
        const double *columns
    int search "GAPLESS_K_BEST"(
        const chain_model_f64 *, const chain_workspace_f64 *, k_best_workspace *, const double *,
        const float *,
        double *, const int64_t *, Py_ssize_t, const double *, int64_t *, double *, int64_t *,
        uint8_t *) noexcept
    void gapless_k_best_release(k_best_workspace *) noexcept


def k_best_batch(
    unary, offsets, transition, initial, final, labels, values, counts, status, *,
    lower=None, upper=None, table=None, thresholds=None,
):
    """Find the k best paths of each of many chains; see `_k_best_twin.k_best_batch`.

    Works on a padded and on a transposed copy of `transition`.
    """
    cdef chain_model_f64 model
    cdef chain_workspace_f64 work
    cdef k_best_workspace best
    cdef Py_ssize_t k, stride, longest, sentences
    cdef int failed
    (offsets,) = owned(offsets)
    k = check_k_best(
        unary, offsets, transition, initial, final, labels, values, counts, status, lower, upper, table,
        thresholds,
    )
    varying = transition.ndim == 3
    longest, sentences = np.diff(offsets).max(), len(offsets) - 1
    pairs = padded(transition.reshape(-1, k), np.float64)
    columns = None if varying else padded(transition.T, np.float64)
    stride = pairs.shape[1]
    if table is not None:
        finite = transition > -np.inf
        allowed = finite.sum(axis=1)
        sums = np.sum(transition, axis=1, where=finite)
        lower = np.where(allowed > 0, sums / np.maximum(allowed, 1), -np.inf)
        table = padded(table, np.float64)
    narrow = unary.dtype == np.float32
    outputs = labels, values, counts, status
    written = [contiguous(array) for array in outputs]
    inputs = [contiguous(array) for array in (unary, offsets, initial, final, lower, upper, thresholds)]
    widened = np.empty((longest if narrow else 1, k))
    rows, members = np.empty((longest, stride)), np.empty((longest, stride), np.int32)
    filled = np.empty(longest, np.int32)
    shifts, errors, vectors = np.empty(longest), np.empty(longest), np.empty((2, stride))
    number, stack = np.empty((longest, k), np.int32), np.empty(longest + 1, np.int32)

    model.labels, model.stride, model.varying = k, stride, k * stride if varying else 0
    model.transition = <const double *>address(pairs)
    model.initial, model.final = <const double *>address(inputs[2]), <const double *>address(inputs[3])
    model.lower, model.upper = <const double *>address(inputs[4]), <const double *>address(inputs[5])
    model.table = <const double *>address(table)
    model.rule = 2 if table is not None else 1 if upper is not None else 0
    model.largest = largest_score(transition, initial, final)
    work.rows, work.members = <double *>address(rows), <int32_t *>address(members)
    work.counts = <int32_t *>address(filled)
    work.shifts, work.errors = <double *>address(shifts), <double *>address(errors)
    work.offers = <double *>address(vectors)
    work.bounds = work.offers + stride
    best.nodes, best.count, best.capacity, best.k = NULL, 0, 0, len(labels)
    best.number, best.stack = <int32_t *>address(number), <int32_t *>address(stack)
    best.columns = <const double *>address(columns)
    cdef const double *wide = <const double *>address(None if narrow else inputs[0])
    cdef const float *single = <const float *>address(inputs[0] if narrow else None)
    cdef double *rows_widened = <double *>address(widened)
    cdef const int64_t *starts = <const int64_t *>address(inputs[1])
    cdef const double *minima = <const double *>address(inputs[6])
    cdef int64_t *paths = <int64_t *>address(written[0], True)
    cdef double *totals = <double *>address(written[1], True)
    cdef int64_t *found_counts = <int64_t *>address(written[2], True)
    cdef uint8_t *codes = <uint8_t *>address(written[3], True)
    with nogil:
        failed = search(
            &model, &work, &best, wide, single, rows_widened, starts, sentences, minima, paths, totals,
            found_counts,
            codes,
        )
        gapless_k_best_release(&best)
    if failed:
        raise MemoryError("no memory for the k best paths")
    write_back(outputs, written)
