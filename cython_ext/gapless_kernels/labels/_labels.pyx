# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Compiled labelling; see the twin `_labels_twin` for what it owes, and the headers of the room for how it is done."""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t, uintptr_t
from libc.string cimport memset

import numpy as np

from gapless_kernels.labels._label_arguments import FoundRoutes, check_call, check_network, check_routes, rounding

cdef extern from "labels/own.h" nogil:
    ctypedef int (*lb_extend_own)(void *, int32_t, const double *, double *, double *) noexcept nogil

    ctypedef struct lb_own:
        lb_extend_own extend
        void *data
        Py_ssize_t size
        double least, most

    ctypedef struct lb_fault:
        int32_t what, resource, arc, number
        double value

    ctypedef struct lb_owns:
        const lb_own *own
        Py_ssize_t count, size
        const double *start
        const uint8_t *same
        double least
        double *room
        lb_fault fault

cdef extern from "labels/search.h" nogil:
    int LB_COMPLETE, LB_STOPPED, LB_FULL, LB_NO_MEMORY

    ctypedef int (*lb_pulse)(void *) noexcept nogil

    ctypedef struct lb_watch:
        lb_pulse pulse
        void *owner
        int64_t steps_left

    ctypedef struct lb_model:
        Py_ssize_t n, m, resources, words, kinds, states, rows, steps
        int32_t source, sink, begin
        int bounded, loose
        double step, slack, memory_limit, below
        const int32_t *tail
        const int32_t *head
        const int32_t *kind
        const int32_t *after
        const double *use
        const double *lower
        const double *upper
        const double *start
        const double *apart
        const double *toll
        const double *ending
        const double *charge
        const double *cost
        const uint64_t *memory
        const uint8_t *better
        const uint8_t *rise
        const uint8_t *stay
        const uint8_t *wrap
        lb_watch *watch
        lb_owns *owns

    ctypedef struct lb_routes:
        int32_t *arcs
        int64_t *first
        double *cost
        Py_ssize_t count, used

    ctypedef struct lb_side:
        Py_ssize_t made

    ctypedef struct lb_search:
        lb_side f, b
        double relaxed

    int lb_open_search(lb_search *, lb_model *, const uint64_t *)
    int lb_find(lb_search *, Py_ssize_t, lb_routes *, double *) noexcept
    int lb_through(lb_search *, double *)
    int lb_enumerate(lb_search *, Py_ssize_t, lb_routes *, double *) noexcept
    double lb_price(const lb_model *, const int32_t *, Py_ssize_t, uint64_t *, double *, uint8_t *)
    void lb_close_search(lb_search *)
    void lb_close_routes(lb_routes *)

cdef extern from "labels/windows.h" nogil:
    ctypedef struct lb_network:
        Py_ssize_t n, m
        int32_t source, sink
        const int32_t *tail
        const int32_t *head
        const double *use

    void lb_narrow(const lb_network *, double, const double *, double *, double *, double *)
    void lb_distances(const lb_network *, double *)


cdef class _Pulse:
    """Hears Ctrl-C, and asks a callable whether to stop; what it raises is kept."""

    cdef object asks, error


cdef int _ask(void *owner) noexcept with gil:
    cdef _Pulse pulse = <_Pulse>owner
    try:
        PyErr_CheckSignals()
        return pulse.asks is not None and bool(pulse.asks())
    except BaseException as error:
        pulse.error = error
        return 1


cdef class _Call:
    """The tables, costs and limits of one call, for C."""

    cdef lb_model m
    cdef const uint64_t[:, ::1] memory
    cdef list held
    cdef _Pulse pulse
    cdef lb_watch watch
    cdef uint8_t[::1] functions
    cdef double[::1] room
    cdef lb_owns owns
    cdef tuple faults

    def __cinit__(self, tables, costs, charges, double below, bint loose, double memory_limit, pulse, bint two=False):
        cdef const int32_t[::1] ints
        cdef const int32_t[:, ::1] moves
        cdef const double[::1] floats
        cdef const double[:, ::1] table
        cdef const uint64_t[:, ::1] sets
        cdef const uint8_t[:, ::1] bytes_
        cdef const uint8_t[::1] wraps
        tables, costs, charges, below = check_call(tables, costs, charges, below)
        costs = np.where((tables.heads == tables.source) | (tables.tails == tables.sink), np.inf, costs)
        # Rows that cost nothing are no states.
        due = np.flatnonzero(charges > 0)
        self.held = []
        memset(&self.m, 0, sizeof(self.m))
        m = &self.m
        m.n, m.m = tables.vertices, tables.tails.size
        m.resources, m.rows, m.steps = tables.use.shape[0], due.size, tables.steps
        m.kinds, m.states = tables.after.shape
        m.source, m.sink, m.begin = tables.source, tables.sink, tables.begin
        m.bounded, m.loose, m.step = tables.bounded, loose, tables.step
        m.slack = rounding(tables, costs, charges)
        m.memory_limit, m.below = memory_limit, below
        if m.kinds:
            moves = self.kept(tables.after)
            m.after = &moves[0, 0]
            table = self.kept(tables.toll)
            m.toll = &table[0, 0]
        if m.m:
            ints = self.kept(tables.tails)
            m.tail = &ints[0]
            ints = self.kept(tables.heads)
            m.head = &ints[0]
            ints = self.kept(tables.kind)
            m.kind = &ints[0]
            table = self.kept(tables.use)
            m.use = &table[0, 0]
            floats = self.kept(costs)
            m.cost = &floats[0]
        table = self.kept(tables.lower)
        m.lower = &table[0, 0]
        table = self.kept(tables.upper)
        m.upper = &table[0, 0]
        table = self.kept(tables.apart)
        m.apart = &table[0, 0]
        floats = self.kept(tables.start)
        m.start = &floats[0]
        floats = self.kept(tables.ending)
        m.ending = &floats[0]
        bytes_ = self.kept(tables.better)
        m.better = &bytes_[0, 0]
        if m.rows:
            floats = self.kept(charges[due])
            m.charge = &floats[0]
            bytes_ = self.kept(tables.rise[:, due])
            m.rise = &bytes_[0, 0]
            bytes_ = self.kept(tables.stay[:, due])
            m.stay = &bytes_[0, 0]
            wraps = self.kept(tables.wrap[due])
            m.wrap = &wraps[0]
        self.memory = self.kept(tables.memory)
        sets = self.kept(tables.loose_memory if two else tables.memory)
        m.words = sets.shape[1]
        m.memory = &sets[0, 0]
        self.add_own(tables.own)
        m.owns = &self.owns
        self.pulse = _Pulse()
        self.pulse.asks = pulse
        self.watch.pulse, self.watch.owner = _ask, <void *>self.pulse
        self.watch.steps_left = 0  # asked at once: a call after the limit ends before it begins
        m.watch = &self.watch

    cdef int add_own(self, own) except -1:
        """States of a user's own; there is room for one at least."""
        cdef const double[::1] floats = self.kept(np.concatenate([*(one.start for one in own), np.zeros(1)]))
        cdef const uint8_t[::1] bytes_ = self.kept(np.concatenate([*(one.same for one in own), np.zeros(1)]).astype(np.uint8))
        memset(&self.owns, 0, sizeof(self.owns))
        self.room = np.empty(2 * floats.shape[0])
        self.owns.start, self.owns.same, self.owns.room = &floats[0], &bytes_[0], &self.room[0]
        self.owns.size, self.owns.count = floats.shape[0] - 1, len(own)
        self.owns.least = sum(one.least for one in own)
        self.faults = own
        cdef Py_ssize_t i
        if own:
            self.functions = np.zeros(len(own) * sizeof(lb_own), np.uint8)
            first = <lb_own *>&self.functions[0]
            for i, one in enumerate(own):
                first[i].extend = <lb_extend_own><uintptr_t>one.extend
                first[i].data = <void *><uintptr_t>one.data
                first[i].size = one.start.size
                first[i].least, first[i].most = one.least, one.most
            self.owns.own = first
        return 0

    cdef object kept(self, array):
        array = np.ascontiguousarray(array)
        self.held.append(array)
        return array

    cdef int done(self, int status) except -1:
        if self.pulse.error is not None:
            raise self.pulse.error
        cdef lb_fault *fault = &self.owns.fault
        if fault.what:
            raise self.faults[fault.resource].fault(fault.what, fault.arc, fault.number, fault.value)
        if status == LB_NO_MEMORY:
            raise MemoryError("no memory for labels")
        return status


cdef _routes(lb_routes *t, double bound, int status, int64_t labels):
    first, cost = np.zeros(t.count + 1, np.int64), np.empty(t.count)
    arcs = np.empty(t.used, np.int64)
    cdef int64_t[::1] starts = first, into = arcs
    cdef double[::1] costs = cost
    cdef Py_ssize_t i
    for i in range(t.count):
        starts[i + 1] = t.first[i + 1]
        costs[i] = t.cost[i]
    for i in range(t.used):
        into[i] = t.arcs[i]
    return FoundRoutes(first, arcs, cost, bound, status, labels)


ctypedef int (*lb_list)(lb_search *, Py_ssize_t, lb_routes *, double *) noexcept nogil


cdef _listed(_Call call, Py_ssize_t most, lb_list search):
    cdef lb_search s
    cdef lb_routes t
    cdef double bound = 0.0
    cdef int status
    memset(&s, 0, sizeof(s))
    memset(&t, 0, sizeof(t))
    try:
        with nogil:
            status = lb_open_search(&s, &call.m, &call.memory[0, 0])
            if status == LB_COMPLETE:
                status = search(&s, most, &t, &bound)
            else:
                bound = s.relaxed
        return _routes(&t, bound, call.done(status), s.f.made + s.b.made)
    finally:
        lb_close_search(&s)
        lb_close_routes(&t)


def label_routes(tables, costs, charges, below, limit, *, loose=False, memory_limit=2.0**31, pulse=None):
    """Find the cheapest routes; see `_labels_twin.label_routes`."""
    call = _Call(tables, costs, charges, below, loose, memory_limit, pulse)
    return _listed(call, min(max(1, int(limit)), 1 << 28), lb_find)


def label_through(tables, costs, charges, below, *, memory_limit=2.0**31, pulse=None):
    """Price the cheapest route through each arc; see `_labels_twin.label_through`."""
    cdef _Call call = _Call(tables, costs, charges, below, False, memory_limit, pulse)
    cdef lb_search s
    cdef int status
    values = np.empty(call.m.m + 1)
    cdef double[::1] cost = values
    memset(&s, 0, sizeof(s))
    try:
        with nogil:
            status = lb_open_search(&s, &call.m, &call.memory[0, 0])
            if status == LB_COMPLETE:
                status = lb_through(&s, &cost[0])
        return values[: call.m.m], call.done(status)
    finally:
        lb_close_search(&s)


def label_enumerate(tables, costs, charges, below, limit, *, memory_limit=2.0**31, pulse=None):
    """List all routes below a cost; see `_labels_twin.label_enumerate`."""
    call = _Call(tables, costs, charges, below, False, memory_limit, pulse, True)
    return _listed(call, min(max(1, int(limit)), 1 << 62), lb_enumerate)


def label_price(tables, costs, charges, first, arcs):
    """Sum the costs of routes; see `_labels_twin.label_price`."""
    cdef _Call call = _Call(tables, costs, charges, 0.0, False, 0.0, None)
    begins, path = check_routes(tables, first, arcs)
    values = np.empty(begins.size - 1)
    cdef const int64_t[::1] starts = begins
    cdef const int32_t[::1] routes = path
    cdef double[::1] cost = values
    cdef uint64_t[::1] seen = np.zeros(call.m.words, np.uint64)
    cdef double[::1] used = np.zeros(call.m.resources)
    cdef uint8_t[::1] row = np.zeros(call.m.rows + 1, np.uint8)
    cdef Py_ssize_t i
    with nogil:
        for i in range(cost.shape[0]):
            cost[i] = INFINITY
            if starts[i + 1] > starts[i]:
                cost[i] = lb_price(&call.m, &routes[starts[i]], starts[i + 1] - starts[i], &seen[0], &used[0], &row[0])
    call.done(LB_COMPLETE)
    return values


cdef lb_network _network(const int32_t[::1] tails, const int32_t[::1] heads, const double[::1] use, Py_ssize_t vertices):
    """A view of arrays that were checked and stay alive; all of one length."""
    cdef lb_network t
    memset(&t, 0, sizeof(t))
    t.n, t.m = vertices, use.shape[0]
    if t.m:
        t.tail, t.head, t.use = &tails[0], &heads[0], &use[0]
    return t


def label_windows(tails, heads, use, lower, upper, start, source, sink):
    """Narrow the windows of a resource; see `_labels_twin.label_windows`."""
    tails, heads, use = check_network(len(lower), tails, heads, use, source, sink)
    early, late = np.empty(len(lower)), np.empty(len(lower))
    cdef const double[::1] low = np.ascontiguousarray(lower, np.float64)
    cdef double[::1] high = np.array(upper, np.float64), first = early, last = late
    if not low.shape[0] == high.shape[0]:
        raise ValueError("lower and upper must have one number for each vertex")
    cdef lb_network t = _network(tails, heads, use, low.shape[0])
    cdef double begin = start
    t.source, t.sink = source, sink
    with nogil:
        lb_narrow(&t, begin, &low[0], &high[0], &first[0], &last[0])
    return early, late, np.asarray(high)


def label_distances(vertices, tails, heads, use):
    """Least use from vertex to vertex; see `_labels_twin.label_distances`."""
    tails, heads, use = check_network(vertices, tails, heads, use)
    least = np.empty((vertices, vertices))
    cdef double[:, ::1] into = least
    cdef lb_network t = _network(tails, heads, use, into.shape[0])
    with nogil:
        lb_distances(&t, &into[0, 0])
    return least
