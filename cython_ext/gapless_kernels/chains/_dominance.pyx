# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Compiled dominance kernels, and the Viterbi batch that they fall back on; see the twins `_dominance_twin`
and `_viterbi_twin` for what each function owes.

The loops are in C, written once in blocks of sixteen scores and compiled for each instruction set.
"""

from libc.stdint cimport int64_t, uint8_t

import numpy as np

from gapless_kernels._arguments import owned
from gapless_kernels.chains._batch_arguments import check_batch, check_dominance
from gapless_kernels.chains._dominance_tables import lay_out
from gapless_kernels.chains._transition_tables import aligned, padded
from gapless_kernels._status import INVALID
from gapless_kernels.lanes.arrays cimport address, contiguous, write_back
from gapless_kernels.lanes cimport _sets

_sets.follow()

cdef extern from "chains/kernels.h" nogil:
    ctypedef struct gapless_chain:
        Py_ssize_t labels
        Py_ssize_t stride
        const void *moves
        const void *arrivals
        const void *excess
        const void *group_excess
        const double *gauge
        const double *transition
        const double *initial
        const double *final
        double largest
        int finite
    ctypedef struct gapless_batch:
        const void *unary
        const int64_t *offsets
        Py_ssize_t sentences
        int64_t *labels
        double *values
        uint8_t *status
        int64_t *survivors
        uint8_t *keep_mask
        int64_t *dominators
    int GAPLESS_VITERBI
    int GAPLESS_DOMINANCE
    int gapless_decode(int, int, const gapless_chain *, const gapless_batch *)
    void max_plus4_f64(const double **, const double *, Py_ssize_t, Py_ssize_t, double **)


# --- tables

def dominance_tables(transition, dtype):
    """Prepare what decoding needs of one transition matrix; see `_dominance_twin.dominance_tables`."""
    return lay_out(transition, dtype, largest_differences)


def largest_differences(transition):
    """Compute ``max_r (transition[x, r] - transition[y, r])`` for all y (rows) and x (columns)."""
    cdef Py_ssize_t k = transition.shape[0], stride, y, i
    rows = np.full((-(-k // 4) * 4, k), -np.inf)
    np.negative(transition, out=rows[:k])
    columns = padded(transition.T, np.float64)
    stride = columns.shape[1]
    result = aligned((rows.shape[0], stride), np.float64)
    cdef double[:, ::1] sources = rows, matrix = columns, out = result
    cdef const double *rows_in[4]
    cdef double *rows_out[4]
    with nogil:
        for y in range(0, k, 4):
            for i in range(4):
                rows_in[i] = &sources[y + i, 0]
                rows_out[i] = &out[y + i, 0]
            max_plus4_f64(rows_in, &matrix[0, 0], stride, k, rows_out)
    return result[:k, :k]


# --- decoding

cdef int run(int method, gapless_chain *chain, inputs, outputs) except -1:
    """Run the loops on arrays that have been checked; the score tables are in `chain` already.

    The inputs are unary, offsets, transition, initial, final; the outputs labels, values, status, survivors,
    kept and dominators. Any may be None that the method does not need.
    """
    cdef gapless_batch batch
    cdef int failed, is_double = inputs[0].dtype == np.float64
    unary, offsets, transition, initial, final = [contiguous(array) for array in inputs]
    written = [contiguous(array) for array in outputs]
    chain.transition = <const double *>address(transition)
    chain.initial = <const double *>address(initial)
    chain.final = <const double *>address(final)
    batch.unary = address(unary)
    batch.offsets = <const int64_t *>address(offsets)
    batch.sentences = len(offsets) - 1
    batch.labels = <int64_t *>address(written[0], True)
    batch.values = <double *>address(written[1], True)
    batch.status = <uint8_t *>address(written[2], True)
    batch.survivors = <int64_t *>address(written[3], True)
    batch.keep_mask = <uint8_t *>address(written[4], True)
    batch.dominators = <int64_t *>address(written[5], True)
    with nogil:
        failed = gapless_decode(method, is_double, chain, &batch)
    if failed:
        raise MemoryError("no memory for the messages of the sentences in work")
    return write_back(outputs, written)


cdef gapless_chain opened(tables) except *:
    cdef gapless_chain chain
    chain.labels = tables.moves.shape[0]
    chain.stride = tables.moves.shape[1]
    chain.moves = address(tables.moves)
    chain.arrivals = address(tables.arrivals)
    chain.excess = address(tables.excess)
    chain.group_excess = address(tables.group_excess)
    chain.gauge = <const double *>address(tables.gauge)
    chain.largest = tables.largest
    chain.finite = tables.finite
    return chain


def viterbi_batch(unary, offsets, transition, initial, final, labels, values, status):
    """Find a best label path of each of many chains; see `_viterbi_twin.viterbi_batch`.

    Works on a padded and on a transposed copy of `transition`, which for a handful of sentences costs more
    than it saves: call `viterbi` for those.
    """
    cdef gapless_chain chain
    (offsets,) = owned(offsets)
    check_batch(unary, offsets, transition, initial, final, labels, values, status)
    dtype, k = unary.dtype, transition.shape[0]
    with np.errstate(over="ignore"):
        moves, arrivals = padded(transition, dtype), padded(transition.T, dtype)
    allowed = transition > -np.inf
    chain.labels, chain.stride = moves.shape
    chain.moves, chain.arrivals = address(moves), address(arrivals)
    chain.excess = chain.group_excess = NULL
    chain.gauge = NULL
    chain.largest = np.abs(transition, where=allowed, out=np.zeros((k, k))).max()
    chain.finite = allowed.all()
    inputs = unary, offsets, transition, initial, final
    run(GAPLESS_VITERBI, &chain, inputs, (labels, values, status, None, None, None))


def dominance_batch(unary, offsets, tables, initial, final, labels, values, status, survivors=None):
    """Find a best label path of each of many chains; see `_dominance_twin.dominance_batch`."""
    cdef gapless_chain chain
    (offsets,) = owned(offsets)
    check_batch(
        unary, offsets, tables.transition, initial, final, labels, values, status, survivors, tables.dtype
    )
    chain = opened(tables)
    inputs = unary, offsets, tables.transition, initial, final
    run(GAPLESS_DOMINANCE, &chain, inputs, (labels, values, status, survivors, None, None))


def dominance(unary, tables, initial, final, labels, kept, dominators):
    """Find a best label path of one chain and who survived; see `_dominance_twin.dominance`."""
    cdef gapless_chain chain
    n = check_dominance(unary, tables.transition, initial, final, labels, kept, dominators, tables.dtype)
    offsets, values, status = np.array((0, n)), np.empty(1), np.empty(1, np.uint8)
    chain = opened(tables)
    inputs = unary, offsets, tables.transition, initial, final
    run(GAPLESS_DOMINANCE, &chain, inputs, (labels, values, status, None, kept, dominators))
    if status[0] == INVALID:
        raise ValueError("unary holds NaN or plus infinity")
    return float(values[0])
