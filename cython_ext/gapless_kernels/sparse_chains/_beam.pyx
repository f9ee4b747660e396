# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Compiled beam search; see the twin `_beam_twin` for what it owes."""

from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np

from gapless_kernels._arguments import check_model, check_offsets, check_output
from gapless_kernels.lanes cimport _sets

_sets.follow()

cdef extern from "sparse_chains/beam.h" nogil:
    Py_ssize_t GAPLESS_BLOCK
    void beam_f32 "GAPLESS_BEAM_F32"(
        const float *, const int64_t *, Py_ssize_t, Py_ssize_t, const float *, Py_ssize_t, const float *,
        const float *, const double *, const double *, const double *, Py_ssize_t, float *, int32_t *, float *,
        float *, int32_t *, int32_t *, Py_ssize_t, int64_t *, double *, uint8_t *) noexcept
    void beam_f64 "GAPLESS_BEAM_F64"(
        const double *, const int64_t *, Py_ssize_t, Py_ssize_t, const double *, Py_ssize_t, const double *,
        const double *, const double *, const double *, const double *, Py_ssize_t, double *, int32_t *, double *,
        double *, int32_t *, int32_t *, Py_ssize_t, int64_t *, double *, uint8_t *) noexcept

ctypedef fused real:
    float
    double


cdef void search(
    const real[:, ::1] unary,
    const int64_t[::1] offsets,
    const real[:, ::1] padded,
    const real[::1] start,
    const real[::1] end,
    const double[:, ::1] transition,
    const double[::1] initial,
    const double[::1] final,
    Py_ssize_t width,
    Py_ssize_t longest,
    real[:, ::1] rows,
    int32_t[:, ::1] found,
    real[:, ::1] ranking,
    real[:, ::1] scores,
    int32_t[:, ::1] members,
    int32_t[:, ::1] counts,
    int64_t[::1] labels,
    double[::1] values,
    uint8_t[::1] status,
) noexcept:
    cdef const real *s = NULL
    cdef const real *e = NULL
    cdef const double *i = NULL
    cdef const double *f = NULL
    if initial is not None:
        s, i = &start[0], &initial[0]
    if final is not None:
        e, f = &end[0], &final[0]
    with nogil:
        if real is float:
            beam_f32(
                &unary[0, 0], &offsets[0], values.shape[0], unary.shape[1], &padded[0, 0],
                padded.shape[1], s, e, &transition[0, 0], i, f, width, &rows[0, 0], &found[0, 0], &ranking[0, 0],
                &scores[0, 0], &members[0, 0], &counts[0, 0], longest, &labels[0], &values[0], &status[0]
            )
        else:
            beam_f64(
                &unary[0, 0], &offsets[0], values.shape[0], unary.shape[1], &padded[0, 0],
                padded.shape[1], s, e, &transition[0, 0], i, f, width, &rows[0, 0], &found[0, 0], &ranking[0, 0],
                &scores[0, 0], &members[0, 0], &counts[0, 0], longest, &labels[0], &values[0], &status[0]
            )


def beam_batch(unary, offsets, transition, initial, final, width, labels, values, status):
    """Decode each of many chains by beam search; see `_beam_twin.beam_batch`.

    Works on a padded copy of `transition` in the type of `unary`, which for a handful of sentences costs more than
    the search.
    """
    n, k = check_model(unary, transition, initial, final)
    sentences = check_offsets(offsets, n)
    check_output("labels", labels, (n,), np.int64)
    check_output("values", values, (sentences,), np.float64)
    check_output("status", status, (sentences,), np.uint8)
    if width < 1:
        raise ValueError(f"width must be at least 1, got {width}")
    dtype = unary.dtype
    width = min(width, k)
    stride = -(-k // GAPLESS_BLOCK) * GAPLESS_BLOCK
    longest = int(np.diff(offsets).max())
    padded = np.full((k, stride), -np.inf, dtype)
    padded[:, :k] = transition
    arguments = (
        np.ascontiguousarray(unary),
        np.ascontiguousarray(offsets),
        padded,
        None if initial is None else np.ascontiguousarray(initial, dtype),
        None if final is None else np.ascontiguousarray(final, dtype),
        np.ascontiguousarray(transition),
        None if initial is None else np.ascontiguousarray(initial),
        None if final is None else np.ascontiguousarray(final),
        width,
        longest,
        np.empty((4, stride), dtype),
        np.empty((4, stride), np.int32),
        np.empty((4, stride), dtype),
        np.empty((4, longest * width), dtype),
        np.empty((4, longest * width), np.int32),
        np.empty((4, longest), np.int32),
    )
    path, scores, codes = (np.ascontiguousarray(array) for array in (labels, values, status))
    if dtype == np.float32:
        search[float](*arguments, path, scores, codes)
    else:
        search[double](*arguments, path, scores, codes)
    for given, written in ((labels, path), (values, scores), (status, codes)):
        if given is not written:
            given[...] = written
