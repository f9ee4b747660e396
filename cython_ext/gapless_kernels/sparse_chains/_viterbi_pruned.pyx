# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Compiled Viterbi decoding with pruning; see the twin `_viterbi_pruned_twin` for what it owes."""

from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np

from gapless_kernels._arguments import check_model, check_offsets, check_output, check_shared
from gapless_kernels.lanes cimport _sets

_sets.follow()

cdef extern from "sparse_chains/viterbi_pruned.h" nogil:
    Py_ssize_t GAPLESS_BLOCK
    ctypedef struct chain_model_f32:
        Py_ssize_t labels, stride, varying
        const float *transition
        const float *initial
        const float *final
        int rule
        const float *lower
        const float *upper
        double largest
    ctypedef struct chain_model_f64:
        Py_ssize_t labels, stride, varying
        const double *transition
        const double *initial
        const double *final
        int rule
        const double *lower
        const double *upper
        double largest
    ctypedef struct chain_room_f32:
        float *rows
        int32_t *members
        int32_t *counts
        float *shifts
        double *errors
        float *offers
        float *bounds
    ctypedef struct chain_room_f64:
        double *rows
        int32_t *members
        int32_t *counts
        double *shifts
        double *errors
        double *offers
        double *bounds
    void decode_f32 "GAPLESS_VITERBI_PRUNED_F32"(
        const chain_model_f32 *, const chain_room_f32 *, const float *, const int64_t *, Py_ssize_t,
        const double *, const double *, const double *, int64_t *, double *, uint8_t *, int64_t *, double *) noexcept
    void decode_f64 "GAPLESS_VITERBI_PRUNED_F64"(
        const chain_model_f64 *, const chain_room_f64 *, const double *, const int64_t *, Py_ssize_t,
        const double *, const double *, const double *, int64_t *, double *, uint8_t *, int64_t *, double *) noexcept

ctypedef fused real:
    float
    double


cdef void decode(
    const real[:, ::1] unary,
    const int64_t[::1] offsets,
    const real[:, ::1] padded,
    const real[::1] start,
    const real[::1] end,
    const real[::1] lower,
    const real[::1] upper,
    double largest,
    const double[:, ::1] transition,
    const double[::1] initial,
    const double[::1] final,
    real[:, ::1] rows,
    int32_t[:, ::1] members,
    int32_t[::1] counts,
    real[::1] shifts,
    double[::1] errors,
    real[:, ::1] vectors,
    int64_t[::1] labels,
    double[::1] values,
    uint8_t[::1] status,
    int64_t[::1] survivors,
    double[:, ::1] messages,
) noexcept:
    cdef const double *i = NULL
    cdef const double *f = NULL
    cdef int64_t *kept = NULL
    cdef double *m = NULL
    cdef chain_model_f32 model32
    cdef chain_room_f32 room32
    cdef chain_model_f64 model64
    cdef chain_room_f64 room64
    if initial is not None:
        i = &initial[0]
    if final is not None:
        f = &final[0]
    if survivors is not None:
        kept = &survivors[0]
    if messages is not None:
        m = &messages[0, 0]
    if real is float:
        model32.labels, model32.stride, model32.varying = unary.shape[1], padded.shape[1], 0
        model32.transition, model32.initial, model32.final = &padded[0, 0], NULL, NULL
        if start is not None:
            model32.initial = &start[0]
        if end is not None:
            model32.final = &end[0]
        model32.rule, model32.lower, model32.upper, model32.largest = 1, &lower[0], &upper[0], largest
        room32.rows, room32.members, room32.counts = &rows[0, 0], &members[0, 0], &counts[0]
        room32.shifts, room32.errors = &shifts[0], &errors[0]
        room32.offers, room32.bounds = &vectors[0, 0], &vectors[1, 0]
        with nogil:
            decode_f32(
                &model32, &room32, &unary[0, 0], &offsets[0], values.shape[0], &transition[0, 0], i, f,
                &labels[0], &values[0], &status[0], kept, m
            )
    else:
        model64.labels, model64.stride, model64.varying = unary.shape[1], padded.shape[1], 0
        model64.transition, model64.initial, model64.final = &padded[0, 0], NULL, NULL
        if start is not None:
            model64.initial = &start[0]
        if end is not None:
            model64.final = &end[0]
        model64.rule, model64.lower, model64.upper, model64.largest = 1, &lower[0], &upper[0], largest
        room64.rows, room64.members, room64.counts = &rows[0, 0], &members[0, 0], &counts[0]
        room64.shifts, room64.errors = &shifts[0], &errors[0]
        room64.offers, room64.bounds = &vectors[0, 0], &vectors[1, 0]
        with nogil:
            decode_f64(
                &model64, &room64, &unary[0, 0], &offsets[0], values.shape[0], &transition[0, 0], i, f,
                &labels[0], &values[0], &status[0], kept, m
            )


def viterbi_pruned_batch(
    unary, offsets, transition, initial, final, lower, upper, labels, values, status, survivors=None, messages=None
):
    """Find a best path of each of many chains, with pruning; see `_viterbi_pruned_twin.viterbi_pruned_batch`.

    Works on a padded copy of `transition` in the type of `unary`.
    """
    n, k = check_model(unary, transition, initial, final)
    sentences = check_offsets(offsets, n)
    check_shared("lower", lower, (k,))
    check_shared("upper", upper, (k,))
    check_output("labels", labels, (n,), np.int64)
    check_output("values", values, (sentences,), np.float64)
    check_output("status", status, (sentences,), np.uint8)
    if survivors is not None:
        check_output("survivors", survivors, (sentences,), np.int64)
    if messages is not None:
        check_output("messages", messages, (n, k), np.float64)
        if unary.dtype != np.float64:
            raise TypeError("messages are given in float64 only, so unary must be float64")
    dtype = unary.dtype
    stride = -(-k // GAPLESS_BLOCK) * GAPLESS_BLOCK
    longest = int(np.diff(offsets).max())
    padded = np.full((k, stride), -np.inf, dtype)
    padded[:, :k] = transition
    shared = [array for array in (transition, initial, final) if array is not None]
    largest = max(float(np.max(np.abs(array), where=np.isfinite(array), initial=0.0)) for array in shared)
    outputs = (labels, values, status, survivors, messages)
    written = tuple(None if array is None else np.ascontiguousarray(array) for array in outputs)
    arguments = (
        np.ascontiguousarray(unary),
        np.ascontiguousarray(offsets),
        padded,
        None if initial is None else np.ascontiguousarray(initial, dtype),
        None if final is None else np.ascontiguousarray(final, dtype),
        np.ascontiguousarray(lower, dtype),
        np.ascontiguousarray(upper, dtype),
        largest,
        np.ascontiguousarray(transition),
        None if initial is None else np.ascontiguousarray(initial),
        None if final is None else np.ascontiguousarray(final),
        np.empty((longest, stride), dtype),
        np.empty((longest, stride), np.int32),
        np.empty(longest, np.int32),
        np.empty(longest, dtype),
        np.empty(longest),
        np.empty((2, stride), dtype),
    )
    if dtype == np.float32:
        decode[float](*arguments, *written)
    else:
        decode[double](*arguments, *written)
    for given, array in zip(outputs, written, strict=True):
        if given is not array:
            given[...] = array
