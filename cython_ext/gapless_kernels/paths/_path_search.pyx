# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Compiled search for the best paths of a given length that visit each class at most once, with a proof.

`_path_search_twin.path_search` documents the contract, the headers of this folder the algorithm.
"""

from cpython.pyport cimport PY_SSIZE_T_MAX
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

import numpy as np

from gapless_kernels._arguments import owned
from gapless_kernels.paths._path_arguments import PathSearchResult, OpenWalks, check_paths, improper
from gapless_kernels.lanes cimport _sets

_sets.follow()

cdef extern from "paths/search.h" nogil:
    int PS_PROVED, PS_OPEN, PS_STOPPED, PS_NO_MEMORY

    ctypedef int (*ps_pulse)(void *, double, double, int64_t, int64_t) noexcept nogil

    ctypedef struct ps_graph:
        Py_ssize_t n, stride, classes
        const double *start
        const double *end
        const double *out
        const int32_t *group
        const int32_t *vertex
        const int32_t *class_name

    ctypedef struct ps_record:
        int32_t *names
        double *prices
        Py_ssize_t *first
        Py_ssize_t stages

    ctypedef struct ps_search:
        ps_graph given, g
        Py_ssize_t k, path_count, vertices_remaining, words
        int32_t *paths
        double *price
        double *values
        double *before
        double *after
        double *penalty
        double bound, memory_limit, scale
        ps_record record
        uint64_t *memory
        unsigned char *alive
        int routed
        ps_pulse pulse
        void *owner
        int64_t iterations, labels, passes

    double ps_extent(const double *, Py_ssize_t, Py_ssize_t, Py_ssize_t)
    int ps_open(ps_search *, Py_ssize_t, Py_ssize_t, const ps_graph *, double)
    void ps_fill_both_tables(ps_search *)
    void ps_offer(ps_search *, const int32_t *)
    int ps_run(ps_search *, int)
    void ps_close(ps_search *)


cdef class _Pulse:
    """The caller's pulse, with the first exception that it raised."""

    cdef object callback, error
    cdef bint interrupted


cdef int _must_stop(void *owner, double bound, double value, int64_t steps, int64_t labels) noexcept with gil:
    cdef _Pulse pulse = <_Pulse>owner
    try:
        return bool(pulse.callback(bound, value, steps, labels))
    except KeyboardInterrupt:
        # The search runs no Python, so Ctrl-C is raised here, before the first line of the callable.
        pulse.interrupted = True
        return 1
    except BaseException as error:
        pulse.error = error
        return 1


def score_extent(scores):
    """Find the largest finite magnitude; see `_path_search_twin.score_extent`."""
    cdef const double[::1] flat
    cdef double extent = 0.0
    try:
        flat = scores.reshape(-1)
    except (AttributeError, TypeError, ValueError):
        flat = np.ravel(np.asarray(scores, np.float64))
    if flat.shape[0]:
        with nogil:
            extent = ps_extent(&flat[0], flat.shape[0], 1, flat.shape[0])
    return extent


def forbid_within_classes(double[:, ::1] ordering, const int64_t[::1] classes):
    """Write ``-inf`` where row and column are of one class; see the twin."""
    cdef Py_ssize_t n = ordering.shape[0], u, v
    cdef bint is_valid = ordering.shape[1] == n and classes.shape[0] == n
    for u in range(n if is_valid else 0):
        is_valid &= 0 <= classes[u] < n
    if not is_valid:
        raise ValueError(
            f"ordering {(n, ordering.shape[1])} must be square, "
            f"classes {(classes.shape[0],)} a number below {n} each"
        )
    cdef int64_t[::1] last = np.full(n, -1, np.int64), previous = np.empty(n, np.int64)
    for u in range(n):
        ordering[u, u] = -INFINITY
        v = previous[u] = last[classes[u]]
        last[classes[u]] = u
        while v >= 0:
            ordering[u, v] = ordering[v, u] = -INFINITY
            v = previous[v]


def path_search(
    start,
    ordering,
    end,
    classes,
    length,
    *,
    wanted=1,
    begin=None,
    pulse=None,
    rounds=8,
    memory_limit=2.0**31,
):
    """Find the best paths; see `_path_search_twin.path_search`."""
    cdef ps_search s
    cdef ps_graph graph
    cdef double scale
    cdef int status, effort = rounds
    cdef Py_ssize_t i
    cdef const double[::1] first, last
    cdef const double[:, ::1] edges
    cdef const int32_t[::1] group
    cdef const int32_t[:, ::1] initial = None
    cdef _Pulse watch = _Pulse()
    cdef const int64_t[::1] named
    cdef int32_t[::1] numbers
    cdef Py_ssize_t v, n
    cdef int64_t count = 0, class_
    # One pass counts what a later one fills: both read copies, because the owner of an array may write to it.
    start, ordering, end = owned(start, ordering, end)
    # Check the usual case in a microsecond; `check_paths` checks all others, and raises with a reason.
    try:
        first, edges, last, named = start, ordering, end, classes
        n = first.shape[0]
        if n and edges.shape[0] == n and edges.shape[1] == n and last.shape[0] == n and named.shape[0] == n:
            numbers = np.empty(n, np.int32)
            for v in range(n):
                class_ = named[v]
                if not 0 <= class_ < n:
                    count = 0
                    break
                numbers[v] = <int32_t>class_
                count = max(count, class_ + 1)
            group = numbers
    except (TypeError, ValueError):
        count = 0
    if count == 0 or begin is not None or length < 1 or wanted < 1:
        first, edges, last, group, count, initial = check_paths(
            start, ordering, end, classes, length, wanted, begin
        )
    memset(&s, 0, sizeof(s))
    memset(&graph, 0, sizeof(graph))
    graph.n = graph.stride = first.shape[0]
    graph.classes = count
    graph.start, graph.end, graph.out, graph.group = &first[0], &last[0], &edges[0, 0], &group[0]
    scale = max(
        ps_extent(graph.start, graph.n, 1, graph.n),
        ps_extent(graph.end, graph.n, 1, graph.n),
        ps_extent(graph.out, graph.n, graph.n, graph.n),
    )
    if not scale < INFINITY:
        raise improper(start, ordering, end)
    try:
        # A path has no two vertices of one class: lengths beyond the number of classes are infeasible alike.
        if not ps_open(&s, min(length, count + 1), min(wanted, PY_SSIZE_T_MAX), &graph, scale):
            raise MemoryError("no memory for a path search")
        s.memory_limit = memory_limit
        if pulse is not None:
            watch.callback = pulse
            s.pulse = _must_stop
            s.owner = <void *>watch
        if initial is not None:
            for i in range(initial.shape[0]):
                ps_offer(&s, &initial[i, 0])
        with nogil:
            status = ps_run(&s, effort)
        if watch.error is not None:
            raise watch.error
        if status == PS_NO_MEMORY:
            raise MemoryError("no memory for a path search")
        return _result(&s, status, watch.interrupted)
    finally:
        ps_close(&s)


cdef _result(ps_search *s, int status, bint interrupted):
    cdef Py_ssize_t i, c, k = s.k
    paths, values = np.empty((s.path_count, k), np.int64), np.empty(s.path_count)
    cdef int64_t[:, ::1] vertices = paths
    cdef double[::1] scores = values
    for i in range(s.path_count):
        scores[i] = s.values[i]
        for c in range(k):
            vertices[i, c] = s.paths[i * k + c]
    stages = []
    for i in range(s.record.stages):
        names = np.empty(s.record.first[i + 1] - s.record.first[i], np.int64)
        prices = np.empty(names.size)
        for c in range(names.size):
            names[c] = s.record.names[s.record.first[i] + c]
            prices[c] = s.record.prices[s.record.first[i] + c]
        stages.append((names, prices))
    memory = None
    if s.memory != NULL and s.routed:
        pairs = []
        for i in range(s.g.n):
            for c in range(s.g.classes):
                if s.memory[i * s.words + (c >> 6)] >> (c & 63) & 1:
                    vertex = s.g.vertex[i] if s.g.vertex != NULL else i
                    pairs.append((vertex, s.g.class_name[c] if s.g.class_name != NULL else c))
        memory = np.array(pairs, np.int64).reshape(-1, 2)
    return PathSearchResult(
        paths,
        values,
        s.bound,
        status == PS_PROVED,
        tuple(stages),
        memory,
        _open(s) if status == PS_OPEN else None,
        s.iterations,
        s.labels,
        s.passes,
        s.vertices_remaining,
        interrupted,
    )


cdef _open(ps_search *s):
    """Return the vertices that remain, with the tables of walks under the best multipliers."""
    cdef Py_ssize_t i, j, n = s.g.n, classes = s.given.classes
    ps_fill_both_tables(s)
    vertices, prices = np.empty(n, np.int64), np.empty(classes)
    before, after = np.empty((s.k, n)), np.empty((s.k, n))
    cdef int64_t[::1] names = vertices
    cdef double[::1] multipliers = prices
    cdef double[:, ::1] prefix = before, suffix = after
    for i in range(n):
        names[i] = s.g.vertex[i] if s.g.vertex != NULL else i
        for j in range(s.k):
            prefix[j, i] = s.before[j * s.g.stride + i] if s.alive[j * s.g.stride + i] else -INFINITY
            suffix[j, i] = s.after[j * s.g.stride + i]
    for i in range(classes):
        multipliers[i] = s.price[i]
    return OpenWalks(vertices, prices, before, after)
