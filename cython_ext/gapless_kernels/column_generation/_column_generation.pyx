# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Compiled column generation for batches of chains; see the twin `_column_generation_twin` for what it owes.

The search and its argument for exactness are in ``column_generation/batch.h``; this file checks, lays out and releases
the GIL.
"""

from libc.stdint cimport int64_t

import numpy as np

from gapless_kernels.column_generation._arguments import check_column_generation, sentence_count
from gapless_kernels.lanes cimport _sets

_sets.follow()

cdef extern from "column_generation/batch.h" nogil:
    int GAPLESS_START_GIVEN

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

    ctypedef struct cg_model_f32:
        Py_ssize_t labels
        Py_ssize_t stride
        const float *forward
        const float *backward
        const float *into
        const float *out_of
        const float *zeros
        const float *extra[4]
        const float *rest[4]
        float coarse
        float largest
        const double *transition
        const double *initial
        const double *final
        const unsigned char *lowered
        int start
        double gap
        double margin
        double effort

    ctypedef struct cg_model_f64:
        Py_ssize_t labels
        Py_ssize_t stride
        const double *forward
        const double *backward
        const double *into
        const double *out_of
        const double *zeros
        const double *extra[4]
        const double *rest[4]
        double coarse
        double largest
        const double *transition
        const double *initial
        const double *final
        const unsigned char *lowered
        int start
        double gap
        double margin
        double effort

    int cg_batch_f32(
        const cg_model_f32 *, const float *, const int64_t *, Py_ssize_t, const cg_answers *
    ) noexcept
    int cg_batch_f64(
        const cg_model_f64 *, const double *, const int64_t *, Py_ssize_t, const cg_answers *
    ) noexcept

ctypedef fused real:
    float
    double

ctypedef fused model_of:
    cg_model_f32
    cg_model_f64


cdef void describe(
    model_of *model,
    const real[:, ::1] forward,
    const real[:, ::1] backward,
    const real[::1] into,
    const real[::1] out_of,
    const real[:, ::1] extra,
    const double[:, ::1] transition,
    const double[::1] initial,
    const double[::1] final,
    const unsigned char[:, ::1] lowered,
) noexcept:
    """Point the model at arrays, which must outlive it; only the calls where the two types agree are used."""
    cdef int row
    if (model_of is cg_model_f32 and real is float) or (model_of is cg_model_f64 and real is double):
        model.labels, model.stride = forward.shape[0], forward.shape[1]
        model.forward, model.backward = &forward[0, 0], &backward[0, 0]
        model.into, model.out_of = &into[0], &out_of[0]
        for row in range(4):
            model.extra[row], model.rest[row] = &extra[row, 0], &extra[4 + row, 0]
        model.zeros = &extra[8, 0]
        model.transition = &transition[0, 0]
        model.initial, model.final = &initial[0], &final[0]
        model.lowered = NULL if lowered is None else &lowered[0, 0]


def additions(first, last, tables, unary):
    """Additions to label scores: nine rows, and their cost in digits.

    Rows for the first, a middle, the last and the only position; what rounding takes from each of them; zeros. Large
    additions may cancel label scores, so that small numbers remain with a large error; the second result is a
    magnitude whose own rounding error is as large.
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
        known = np.isfinite(rounded)
        rest = np.where(known, (total - rounded) + ((left - (total - shared)) + (right - shared)), 0.0)
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
    n, k, sentences = check_column_generation(unary, offsets, tables, outputs, initial, final, start, gap, effort)
    unary, offsets = np.ascontiguousarray(unary), np.ascontiguousarray(offsets)
    written = [array if array.flags.c_contiguous else array.copy() for array in outputs]
    first = np.zeros(k) if initial is None else np.ascontiguousarray(initial, np.float64)
    last = np.zeros(k) if final is None else np.ascontiguousarray(final, np.float64)
    extra, coarse = additions(first, last, tables, unary)

    cdef const double[:, ::1] exact = tables.transition
    cdef const double[::1] begin = first
    cdef const double[::1] end = last
    cdef const unsigned char[:, ::1] lowered = tables.lowered
    cdef const int64_t[::1] starts = offsets
    cdef int64_t[::1] chosen = written[0]
    cdef double[::1] found = written[1]
    cdef double[::1] proved = written[2]
    cdef unsigned char[::1] said = written[3]
    cdef int64_t[::1] turns = written[4]
    cdef int64_t[::1] sizes = written[5]
    cdef int64_t[::1] seen = written[6]
    cdef double[::1] runners
    cdef int64_t[::1] runner_labels
    cdef cg_answers out
    out.labels, out.values, out.bounds, out.status = &chosen[0], &found[0], &proved[0], &said[0]
    out.rounds, out.sizes, out.candidates = &turns[0], &sizes[0], &seen[0]
    out.seconds, out.second_labels = NULL, NULL
    if margin >= 0:
        runners, runner_labels = written[7], written[8]
        out.seconds, out.second_labels = &runners[0], &runner_labels[0]

    cdef cg_model_f32 single
    cdef cg_model_f64 double_
    cdef const float[:, ::1] rows32
    cdef const double[:, ::1] rows64
    cdef Py_ssize_t count = sentences
    cdef int done
    if unary.dtype == np.float32:
        rows32 = unary
        describe[cg_model_f32, float](
            &single, tables.forward, tables.backward, tables.into, tables.out_of, extra, exact, begin, end, lowered
        )
        single.largest, single.start = tables.largest, start
        single.gap, single.margin, single.effort, single.coarse = gap, margin, effort, coarse
        with nogil:
            done = cg_batch_f32(&single, &rows32[0, 0], &starts[0], count, &out)
    else:
        rows64 = unary
        describe[cg_model_f64, double](
            &double_, tables.forward, tables.backward, tables.into, tables.out_of, extra, exact, begin, end, lowered
        )
        double_.largest, double_.start = tables.largest, start
        double_.gap, double_.margin, double_.effort, double_.coarse = gap, margin, effort, coarse
        with nogil:
            done = cg_batch_f64(&double_, &rows64[0, 0], &starts[0], count, &out)
    if not done:
        raise MemoryError("no memory for the messages of the longest sentence")
    for target, array in zip(outputs, written):
        if target is not array:
            target[...] = array


def path_bounds_batch(unary, offsets, tables, labels, bounds, *, initial=None, final=None):
    """Bound the best value of many chains from a path of each; see `_column_generation_twin.path_bounds_batch`."""
    sentences = sentence_count(offsets)
    counts = np.empty((3, sentences), np.int64)
    column_generation_batch(
        unary,
        offsets,
        tables,
        labels.copy() if isinstance(labels, np.ndarray) else labels,
        np.empty(sentences),
        bounds,
        np.empty(sentences, np.uint8),
        *counts,
        initial=initial,
        final=final,
        start=GAPLESS_START_GIVEN,
        gap=float("inf"),
    )
