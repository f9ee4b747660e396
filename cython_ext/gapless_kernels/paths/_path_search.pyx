# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The best paths under a length and classes, with the multipliers that prove it, compiled.

See the twin `_path_search_twin.path_search` for what it owes; the headers ``_path_*.h`` say how it is done.
"""

from cpython.pyport cimport PY_SSIZE_T_MAX
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

import numpy as np

from gapless_kernels._arguments import owned
from gapless_kernels.paths._path_arguments import FoundPaths, OpenWalks, check_paths, improper
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
        Py_ssize_t k, found, vertices_left, words
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
    int ps_begin(ps_search *, Py_ssize_t, Py_ssize_t, const ps_graph *, double)
    void ps_both_tables(ps_search *)
    void ps_offer(ps_search *, const int32_t *)
    int ps_run(ps_search *, int)
    void ps_free(ps_search *)


cdef class _Pulse:
    """A callable that is asked whether to stop; what it raises is kept."""

    cdef object asks, error
    cdef bint interrupted


cdef int _ask(void *owner, double bound, double value, int64_t steps, int64_t labels) noexcept with gil:
    cdef _Pulse pulse = <_Pulse>owner
    try:
        return bool(pulse.asks(bound, value, steps, labels))
    except KeyboardInterrupt:
        # The search runs no Python: Ctrl-C is heard here, before the callable's first line.
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
    cdef bint fine = ordering.shape[1] == n and classes.shape[0] == n
    for u in range(n if fine else 0):
        fine &= 0 <= classes[u] < n
    if not fine:
        raise ValueError(
            f"ordering {(n, ordering.shape[1])} must be square, classes {(classes.shape[0],)} a number below {n} each"
        )
    cdef int64_t[::1] last = np.full(n, -1, np.int64), before = np.empty(n, np.int64)
    for u in range(n):
        ordering[u, u] = -INFINITY
        v = before[u] = last[classes[u]]
        last[classes[u]] = u
        while v >= 0:
            ordering[u, v] = ordering[v, u] = -INFINITY
            v = before[v]


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
    cdef Py_ssize_t given
    cdef const double[::1] first, last
    cdef const double[:, ::1] edges
    cdef const int32_t[::1] group
    cdef const int32_t[:, ::1] known = None
    cdef _Pulse asker = _Pulse()
    cdef const int64_t[::1] named
    cdef int32_t[::1] numbers
    cdef Py_ssize_t v, n
    cdef int64_t count = 0, one
    # The search counts in one pass what it fills in another: on private copies, since whoever owns an array may make it writeable.
    start, ordering, end = owned(start, ordering, end)
    # The usual case, in a microsecond; all others are looked at more closely, and refused with a reason.
    try:
        first, edges, last, named = start, ordering, end, classes
        n = first.shape[0]
        if n and edges.shape[0] == n and edges.shape[1] == n and last.shape[0] == n and named.shape[0] == n:
            numbers = np.empty(n, np.int32)
            for v in range(n):
                one = named[v]
                if not 0 <= one < n:
                    count = 0
                    break
                numbers[v] = <int32_t>one
                count = max(count, one + 1)
            group = numbers
    except (TypeError, ValueError):
        count = 0
    if count == 0 or begin is not None or length < 1 or wanted < 1:
        first, edges, last, group, count, known = check_paths(start, ordering, end, classes, length, wanted, begin)
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
        # A path has no two vertices of a class: beyond their number, all lengths are alike.
        if not ps_begin(&s, min(length, count + 1), min(wanted, PY_SSIZE_T_MAX), &graph, scale):
            raise MemoryError("no memory for a path search")
        s.memory_limit = memory_limit
        if pulse is not None:
            asker.asks = pulse
            s.pulse = _ask
            s.owner = <void *>asker
        if known is not None:
            for given in range(known.shape[0]):
                ps_offer(&s, &known[given, 0])
        with nogil:
            status = ps_run(&s, effort)
        if asker.error is not None:
            raise asker.error
        if status == PS_NO_MEMORY:
            raise MemoryError("no memory for a path search")
        return _found(&s, status, asker.interrupted)
    finally:
        ps_free(&s)


cdef _found(ps_search *s, int status, bint interrupted):
    cdef Py_ssize_t i, c, k = s.k
    paths, values = np.empty((s.found, k), np.int64), np.empty(s.found)
    cdef int64_t[:, ::1] into = paths
    cdef double[::1] scores = values
    for i in range(s.found):
        scores[i] = s.values[i]
        for c in range(k):
            into[i, c] = s.paths[i * k + c]
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
                    pairs.append((s.g.vertex[i] if s.g.vertex != NULL else i, s.g.class_name[c] if s.g.class_name != NULL else c))
        memory = np.array(pairs, np.int64).reshape(-1, 2)
    return FoundPaths(
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
        s.vertices_left,
        interrupted,
    )


cdef _open(ps_search *s):
    """The rest under the best multipliers, with their tables."""
    cdef Py_ssize_t i, j, n = s.g.n, classes = s.given.classes
    ps_both_tables(s)
    vertices, prices = np.empty(n, np.int64), np.empty(classes)
    before, after = np.empty((s.k, n)), np.empty((s.k, n))
    cdef int64_t[::1] names = vertices
    cdef double[::1] paid = prices
    cdef double[:, ::1] left = before, right = after
    for i in range(n):
        names[i] = s.g.vertex[i] if s.g.vertex != NULL else i
        for j in range(s.k):
            left[j, i] = s.before[j * s.g.stride + i] if s.alive[j * s.g.stride + i] else -INFINITY
            right[j, i] = s.after[j * s.g.stride + i]
    for i in range(classes):
        paid[i] = s.price[i]
    return OpenWalks(vertices, prices, before, after)
