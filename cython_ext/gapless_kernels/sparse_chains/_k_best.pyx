# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The k best paths of chains, compiled; see the twin `_k_best_twin` for what it owes."""

from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np

from gapless_kernels._arguments import check_model, check_offsets, check_output, check_shared
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


cdef int decode(
    const double[:, ::1] wide,
    const float[:, ::1] narrow,
    double[:, ::1] widened,
    const int64_t[::1] offsets,
    const double[:, :, ::1] padded,
    const double[:, ::1] columns,
    const double[::1] initial,
    const double[::1] final,
    const double[::1] lower,
    const double[::1] upper,
    const double[:, ::1] table,
    double largest,
    const double[::1] thresholds,
    double[:, ::1] rows,
    int32_t[:, ::1] members,
    int32_t[::1] counts,
    double[::1] shifts,
    double[::1] errors,
    double[:, ::1] vectors,
    int32_t[:, ::1] number,
    int32_t[::1] stack,
    int64_t[:, ::1] paths,
    double[:, ::1] values,
    int64_t[::1] found,
    uint8_t[::1] status,
) noexcept:
    cdef chain_model_f64 model
    cdef chain_room_f64 room
    cdef k_best_room best
    cdef const double *w = NULL
    cdef const float *f = NULL
    cdef const double *t = NULL
    cdef int failed
    model.labels, model.stride, model.varying = number.shape[1], padded.shape[2], 0
    if columns is None:
        model.varying = padded.shape[1] * padded.shape[2]
    model.transition, model.initial, model.final = NULL, NULL, NULL
    model.lower, model.upper, model.table = NULL, NULL, NULL
    if padded.shape[0]:
        model.transition = &padded[0, 0, 0]
    if initial is not None:
        model.initial = &initial[0]
    if final is not None:
        model.final = &final[0]
    if lower is not None:
        model.lower = &lower[0]
    if upper is not None:
        model.upper = &upper[0]
    if table is not None:
        model.table = &table[0, 0]
    model.rule = 2 if table is not None else 1 if upper is not None else 0
    model.largest = largest
    room.rows, room.members, room.counts = &rows[0, 0], &members[0, 0], &counts[0]
    room.shifts, room.errors = &shifts[0], &errors[0]
    room.offers, room.bounds = &vectors[0, 0], &vectors[1, 0]
    best.nodes, best.count, best.room = NULL, 0, 0
    best.number, best.stack, best.k = &number[0, 0], &stack[0], paths.shape[0]
    best.columns = NULL
    if columns is not None:
        best.columns = &columns[0, 0]
    if wide is not None:
        w = &wide[0, 0]
    else:
        f = &narrow[0, 0]
    if thresholds is not None:
        t = &thresholds[0]
    with nogil:
        failed = search(
            &model, &room, &best, w, f, &widened[0, 0], &offsets[0], found.shape[0], t, &paths[0, 0],
            &values[0, 0], &found[0], &status[0]
        )
        gapless_k_best_release(&best)
    return failed


def k_best_batch(
    unary, offsets, transition, initial, final, labels, values, counts, status, *,
    lower=None, upper=None, table=None, thresholds=None,
):
    """Find the k best paths of each of many chains; see `_k_best_twin.k_best_batch`.

    Works on a padded and on a transposed copy of `transition`.
    """
    n, k = check_model(unary, transition, initial, final, varying=True)
    sentences = check_offsets(offsets, n)
    varying = transition.ndim == 3
    if varying and (sentences > 1 or table is not None or upper is not None):
        raise ValueError("transitions that vary along the chain are for one sentence, without pruning")
    if not isinstance(labels, np.ndarray) or labels.ndim != 2 or not labels.shape[0]:
        raise ValueError(f"labels must be an array of shape (k, {n}) with k >= 1")
    rank = labels.shape[0]
    check_output("labels", labels, (rank, n), np.int64)
    check_output("values", values, (sentences, rank), np.float64)
    check_output("counts", counts, (sentences,), np.int64)
    check_output("status", status, (sentences,), np.uint8)
    if (lower is None) != (upper is None) or (table is not None and upper is not None):
        raise ValueError("give lower and upper together, or the table alone")
    for name, array, shape in (
        ("lower", lower, (k,)), ("upper", upper, (k,)), ("table", table, (k, k)), ("thresholds", thresholds, (sentences,))
    ):
        if array is not None:
            check_shared(name, array, shape)
    stride = -(-k // GAPLESS_BLOCK) * GAPLESS_BLOCK
    longest = int(np.diff(offsets).max())
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
    shared = [array for array in (transition, initial, final) if array is not None]
    largest = max(float(np.max(np.abs(array), where=np.isfinite(array), initial=0.0)) for array in shared)
    narrow = unary.dtype == np.float32
    rows = np.ascontiguousarray(unary)
    outputs = (labels, values, counts, status)
    paths, scores, found, codes = written = tuple(map(np.ascontiguousarray, outputs))
    failed = decode(
        None if narrow else rows,
        rows if narrow else None,
        np.empty((longest if narrow else 1, k)),
        np.ascontiguousarray(offsets),
        padded,
        columns,
        None if initial is None else np.ascontiguousarray(initial),
        None if final is None else np.ascontiguousarray(final),
        None if lower is None else np.ascontiguousarray(lower),
        None if upper is None else np.ascontiguousarray(upper),
        table,
        largest,
        None if thresholds is None else np.ascontiguousarray(thresholds),
        np.empty((longest, stride)),
        np.empty((longest, stride), np.int32),
        np.empty(longest, np.int32),
        np.empty(longest),
        np.empty(longest),
        np.empty((2, stride)),
        np.empty((longest, k), np.int32),
        np.empty(longest + 1, np.int32),
        paths,
        scores,
        found,
        codes,
    )
    if failed:
        raise MemoryError("no memory for the k best paths")
    for given, array in zip(outputs, written, strict=True):
        if given is not array:
            given[...] = array
