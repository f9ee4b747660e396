# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Compiled column generation for batches of chains; see the twin `_column_generation_twin`.

The search and its argument for exactness are in ``column_generation/batch.h``; this file checks, lays out and
releases the GIL.
"""

from libc.stdint cimport int64_t

import numpy as np

from gapless_kernels._arguments import owned
from gapless_kernels.column_generation._arguments import check_column_generation
from gapless_kernels.lanes.arrays cimport contiguous, point, write_back
from gapless_kernels.lanes cimport _sets

_sets.follow()

cdef extern from "column_generation/batch.h" nogil:
    ctypedef struct cg_answers:
        int64_t *labels
        int64_t *second_labels
        double *values
        double *bounds
        double *seconds
        unsigned char *status
        int64_t *rounds
        int64_t *sizes
        int64_t *candidates

    int decode "GAPLESS_COLUMN_GENERATION"(
        int is_double, Py_ssize_t labels, Py_ssize_t stride, void *forward, void *backward, void *into,
        void *out_of,
        void *extra, double coarse, double largest, void *transition, void *initial, void *final,
        void *lowered,
        int start, double gap, double margin, double effort, void *unary, void *offsets, Py_ssize_t sentences,
        const cg_answers *out) noexcept


def additions(first, last, tables, unary):
    """Compute the additions to label scores: nine rows, and their cost in digits.

    Rows for the first, a middle, the last and the only position; what rounding takes from each of them;
    zeros. Large additions may cancel label scores, so that small numbers remain with a large error; the
    second result is a magnitude whose own rounding error is as large.
    """
    k, stride = tables.forward.shape
    unit = np.finfo(unary.dtype).eps / 2
    rows = np.zeros((9, stride), unary.dtype)
    left = np.stack([first, tables.entering, tables.entering, first])
    right = np.stack([tables.leaving, tables.leaving, last, last])
    with np.errstate(over="ignore", invalid="ignore"):
        total = left + right
        shared = total - left
        rounded = total.astype(unary.dtype)
        finite = np.isfinite(rounded)
        rest = np.where(finite, (total - rounded) + ((left - (total - shared)) + (right - shared)), 0.0)
        rows[:4, :k], rows[4:8, :k] = rounded, rest
        lost = np.abs(rest - rows[4:8, :k])
        moved = np.abs(tables.leaving).max() + np.abs(tables.entering).max()
        coarse = (lost.max() + 2.0**-50 * moved) / unit
        if coarse > tables.largest:
            # What stays very low is not near any threshold.
            lost[total < -8 * max(float(unary.max()), 0.0) - 8 * moved] = 0.0
            coarse = (lost.max() + 2.0**-50 * moved) / unit
        return rows, min(float(coarse), float(np.finfo(unary.dtype).max))


def column_generation_batch(
    unary,
    offsets,
    tables,
    labels,
    values,
    bounds,
    status,
    rounds,
    domain_sizes,
    candidates,
    *,
    initial=None,
    final=None,
    start=0,
    gap=0.0,
    margin=-1.0,
    second_values=None,
    second_labels=None,
    effort=0.25,
):
    """Decode many chains by column generation; see `_column_generation_twin.column_generation_batch`."""
    outputs = [labels, values, bounds, status, rounds, domain_sizes, candidates]
    if margin >= 0:
        outputs += [second_values, second_labels]
    cdef Py_ssize_t k, sentences, stride
    cdef int allocated, is_double, begin
    cdef double gap_limit, margin_limit, effort_limit, coarse, largest
    cdef void *arg[11]
    cdef void *into[9]
    cdef cg_answers out
    (offsets,) = owned(offsets)
    sentences = check_column_generation(unary, offsets, tables, outputs, initial, final, start, gap, effort)
    k = len(tables.transition)
    written = [contiguous(array) for array in outputs]
    first = np.zeros(k) if initial is None else np.ascontiguousarray(initial, np.float64)
    last = np.zeros(k) if final is None else np.ascontiguousarray(final, np.float64)
    extra, coarse = additions(first, last, tables, unary)
    arrays = (
        tables.forward,
        tables.backward,
        tables.into,
        tables.out_of,
        extra,
        tables.transition,
        first,
        last,
        tables.lowered,
        contiguous(unary),
        contiguous(offsets),
    )
    point(arg, arrays)
    point(into, written)
    out.labels, out.values, out.bounds = <int64_t *>into[0], <double *>into[1], <double *>into[2]
    out.status, out.rounds = <unsigned char *>into[3], <int64_t *>into[4]
    out.sizes, out.candidates = <int64_t *>into[5], <int64_t *>into[6]
    out.seconds, out.second_labels = NULL, NULL
    if margin >= 0:
        out.seconds, out.second_labels = <double *>into[7], <int64_t *>into[8]
    is_double, stride, largest = unary.dtype == np.float64, tables.forward.shape[1], tables.largest
    begin, gap_limit, margin_limit, effort_limit = start, gap, margin, effort
    with nogil:
        allocated = decode(
            is_double, k, stride, arg[0], arg[1], arg[2], arg[3], arg[4], coarse, largest, arg[5], arg[6],
            arg[7], arg[8], begin, gap_limit, margin_limit, effort_limit, arg[9], arg[10], sentences, &out
        )
    if not allocated:
        raise MemoryError("no memory for the messages of the longest sentence")
    write_back(outputs, written)
