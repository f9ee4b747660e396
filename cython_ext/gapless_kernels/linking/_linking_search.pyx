# distutils: extra_compile_args = -fwrapv
# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Compiled search for the choice of least cost, with a proof.

`_linking_search_twin` documents the contract, linking/search.h the algorithm.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset

import numpy as np

from gapless_kernels._arguments import owned
from gapless_kernels.linking._arguments import (
    LinkingSearchResult,
    LinkingRecord,
    check_choices,
    check_sets,
    rounding_of,
    whole_bits,
)
from gapless_kernels.lanes cimport _sets

_sets.follow()

cdef extern from "linking/search.h" nogil:
    int LK_CLOSED, LK_OPEN, LK_STOPPED, LK_NO_MEMORY
    ctypedef int (*lk_pulse)(void *, double, double, int64_t, int64_t) noexcept nogil
    ctypedef struct lk_array:
        char *data
        size_t used
    ctypedef struct lk_record:
        lk_array script, messages, floors
        size_t limit
        int full
    ctypedef struct lk_search:
        Py_ssize_t k, points, starts
        const int64_t *first
        const int64_t *slot
        const void *dist
        const double *own
        const uint8_t *allowed
        const int32_t *start
        double cutoff, step, limit, unit, rounding
        int shift, coarsest, prove
        uint64_t seed
        int64_t kicks
        lk_pulse pulse
        void *owner
        double memory_limit
        int32_t *choice
        int has_choice, stop, status
        double bound, value
        int64_t sweeps, nodes, branches
        lk_record record
    void lk_run(lk_search *, int)
    void lk_drop_record(lk_record *)


cdef class _Pulse:
    """The caller's pulse, with the first exception that it raised."""

    cdef object callback, error
    cdef bint interrupted


cdef int _must_stop(void *owner, double bound, double value, int64_t sweeps, int64_t nodes) noexcept with gil:
    cdef _Pulse pulse = <_Pulse>owner
    try:
        return bool(pulse.callback(bound, value, sweeps, nodes))
    except KeyboardInterrupt:
        pulse.interrupted = True
        return 1
    except BaseException as error:
        pulse.error = error
        return 1


def linking_search(
    first,
    slots,
    distances,
    own,
    *,
    allowed=None,
    start=None,
    cutoff=np.inf,
    limit=np.inf,
    granularity=None,
    kicks=50,
    seed=0,
    pulse=None,
    prove=True,
    memory_limit=2.0**31,
):
    """Find the choice of least cost; see `_linking_search_twin.linking_search`."""
    first, slots, own, allowed, start = owned(first, slots, own, allowed, start)
    check_sets(first, slots, own, distances)
    check_choices(first, allowed, start)
    cdef const int64_t[::1] f = np.ascontiguousarray(first, np.int64)
    cdef const int64_t[::1] s = np.ascontiguousarray(slots, np.int64)
    cdef const double[::1] costs = np.ascontiguousarray(own, np.float64)
    allowed = np.ones(len(own)) if allowed is None else allowed
    cdef const uint8_t[::1] is_allowed = np.ascontiguousarray(allowed, np.uint8)
    cdef const int32_t[:, ::1] starts
    cdef const uint8_t[:, ::1] bytes_
    cdef const double[:, ::1] reals
    cdef lk_search lk
    cdef _Pulse watch = _Pulse()
    cdef int whole = granularity is not None
    memset(&lk, 0, sizeof(lk))
    lk.k, lk.points = f.shape[0] - 1, distances.shape[0]
    cdef int32_t[::1] choice = np.zeros(lk.k, np.int32)
    lk.first, lk.slot, lk.own, lk.allowed = &f[0], &s[0], &costs[0], &is_allowed[0]
    if whole:
        bytes_ = np.ascontiguousarray(distances, np.uint8)
        lk.dist = &bytes_[0, 0]
        lk.shift = whole_bits(first, own, distances)
        lk.unit = 2.0 / (1 << lk.shift)
        lk.step = granularity
        lk.coarsest = lk.shift if granularity == 2 else lk.shift - 1
    else:
        reals = np.ascontiguousarray(distances, np.float64)
        lk.dist = &reals[0, 0]
        lk.unit = 2.0
        lk.step = lk.rounding = rounding_of(first, own, distances, limit)
    if start is not None and len(start):
        starts = np.ascontiguousarray(start, np.int32)
        lk.start, lk.starts = &starts[0, 0], starts.shape[0]
    lk.cutoff, lk.limit = cutoff, limit
    lk.prove, lk.seed, lk.kicks = prove, seed, kicks
    lk.memory_limit = memory_limit
    lk.record.limit = <size_t>min(memory_limit / 8, 2.0**40)
    lk.record.full = not prove
    lk.choice = &choice[0]
    if pulse is not None:
        watch.callback = pulse
        lk.pulse = _must_stop
        lk.owner = <void *>watch
    try:
        with nogil:
            lk_run(&lk, whole)
        if watch.error is not None:
            raise watch.error
        if lk.status == LK_NO_MEMORY:
            raise MemoryError("no memory for a linking search")
        return LinkingSearchResult(
            np.array(choice, np.int64) if lk.has_choice else None,
            lk.value,
            lk.bound,
            lk.status == LK_CLOSED,
            lk.sweeps,
            lk.nodes,
            lk.branches,
            watch.interrupted,
            _record(&lk, whole),
        )
    finally:
        lk_drop_record(&lk.record)


cdef _record(lk_search *lk, bint whole):
    if lk.record.full:
        return None
    return LinkingRecord(
        lk.unit,
        _array(&lk.record.script, np.int32),
        _array(&lk.record.messages, np.int32 if whole else np.float64),
        _array(&lk.record.floors, np.float64),
    )


cdef _array(lk_array *source, dtype):
    if source.used == 0:
        return np.empty(0, dtype)
    return np.frombuffer(source.data[: source.used], dtype)
