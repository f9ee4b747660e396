# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Compiled label setting; `_labels_twin` documents its contract, the headers of this folder its algorithm."""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t, uintptr_t
from libc.string cimport memset

import numpy as np

from gapless_kernels.labels._label_arguments import (
    RouteSearchResult,
    check_call,
    check_network,
    check_routes,
    rounding,
)

cdef extern from "labels/user_state.h" nogil:
    ctypedef int (*lb_user_extend)(void *, int32_t, const double *, double *, double *) noexcept nogil

    ctypedef struct lb_user_resource:
        lb_user_extend extend
        void *data
        Py_ssize_t size
        double min_cost, max_cost

    ctypedef struct lb_fault:
        int32_t kind, resource, arc, number
        double value

    ctypedef struct lb_user_resources:
        const lb_user_resource *resources
        Py_ssize_t count, size
        const double *start
        const uint8_t *same
        double min_cost
        double *workspace
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
        int bounded, heuristic
        double step, rounding, memory_limit, below
        const int32_t *tail
        const int32_t *head
        const int32_t *kind
        const int32_t *next_states
        const double *use
        const double *lower
        const double *upper
        const double *start
        const double *min_resource_between
        const double *step_costs
        const double *final_costs
        const double *charge
        const double *cost
        const uint64_t *memory
        const uint8_t *simulates
        const uint8_t *rise
        const uint8_t *stay
        const uint8_t *wrap
        lb_watch *watch
        lb_user_resources *user

    ctypedef struct lb_routes:
        int32_t *arcs
        int64_t *first
        double *cost
        Py_ssize_t count, used

    ctypedef struct lb_side:
        Py_ssize_t created

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
    """Signals and the caller's pulse, with the first exception that either raised."""

    cdef object callback, error


cdef int _must_stop(void *owner) noexcept with gil:
    cdef _Pulse pulse = <_Pulse>owner
    try:
        PyErr_CheckSignals()
        return pulse.callback is not None and bool(pulse.callback())
    except BaseException as error:
        pulse.error = error
        return 1


cdef class _Call:
    """The tables, costs and limits of one call for C; owns every array that the model points to."""

    cdef lb_model m
    cdef const uint64_t *memory
    cdef list arrays
    cdef _Pulse pulse
    cdef lb_watch watch
    cdef lb_user_resources user
    cdef tuple user_states

    def __cinit__(
        self,
        tables,
        costs,
        charges,
        double below,
        double memory_limit=0.0,
        pulse=None,
        bint heuristic=False,
        bint relaxed=False,
    ):
        tables, costs, charges, below = check_call(tables, costs, charges, below)
        costs = np.where((tables.heads == tables.source) | (tables.tails == tables.sink), np.inf, costs)
        # Rows without a charge cost nothing, so that labels need not differ by them.
        due = np.flatnonzero(charges > 0)
        self.arrays = []
        memset(&self.m, 0, sizeof(self.m))
        m = &self.m
        m.n, m.m = tables.vertices, tables.tails.size
        m.resources, m.rows, m.steps = tables.use.shape[0], due.size, tables.steps
        m.kinds, m.states = tables.next_states.shape
        m.words = tables.memory.shape[1]
        m.source, m.sink, m.begin = tables.source, tables.sink, tables.begin
        m.bounded, m.heuristic, m.step = tables.bounded, heuristic, tables.step
        m.rounding = rounding(tables, costs, charges)
        m.memory_limit, m.below = memory_limit, below
        m.tail = <const int32_t *>self.keep(tables.tails)
        m.head = <const int32_t *>self.keep(tables.heads)
        m.use = <const double *>self.keep(tables.use)
        m.lower = <const double *>self.keep(tables.lower)
        m.upper = <const double *>self.keep(tables.upper)
        m.start = <const double *>self.keep(tables.start)
        m.min_resource_between = <const double *>self.keep(tables.min_resource_between)
        m.kind = <const int32_t *>self.keep(tables.kind)
        m.next_states = <const int32_t *>self.keep(tables.next_states)
        m.step_costs = <const double *>self.keep(tables.step_costs)
        m.final_costs = <const double *>self.keep(tables.final_costs)
        m.simulates = <const uint8_t *>self.keep(tables.simulates)
        m.cost = <const double *>self.keep(costs)
        m.charge = <const double *>self.keep(charges[due])
        m.rise = <const uint8_t *>self.keep(tables.rise[:, due])
        m.stay = <const uint8_t *>self.keep(tables.stay[:, due])
        m.wrap = <const uint8_t *>self.keep(tables.wrap[due])
        self.memory = <const uint64_t *>self.keep(tables.memory)
        m.memory = <const uint64_t *>self.keep(tables.relaxed_memory) if relaxed else self.memory
        self.set_user_states(tables.user_states)
        m.user = &self.user
        self.pulse = _Pulse()
        self.pulse.callback = pulse
        self.watch.pulse, self.watch.owner = _must_stop, <void *>self.pulse
        # The first step calls the pulse, so that a call whose time is over ends before it begins.
        self.watch.steps_left = 0
        m.watch = &self.watch

    cdef int set_user_states(self, states) except -1:
        """Lay out the states of the user's resources, one after another."""
        cdef lb_user_resource *resources
        memset(&self.user, 0, sizeof(self.user))
        start = np.concatenate([np.zeros(0), *(state.start for state in states)])
        same = np.concatenate([np.zeros(0, bool), *(state.same for state in states)])
        self.user.start = <const double *>self.keep(start)
        self.user.same = <const uint8_t *>self.keep(same.astype(np.uint8))
        self.user.workspace = <double *>self.keep(np.empty(2 * start.size))
        self.user.size, self.user.count = start.size, len(states)
        self.user.min_cost = sum(state.min_cost for state in states)
        self.user_states = states
        resources = <lb_user_resource *>self.keep(np.zeros(len(states) * sizeof(lb_user_resource), np.uint8))
        self.user.resources = resources
        for i, state in enumerate(states):
            resources[i].extend = <lb_user_extend><uintptr_t>state.extend
            resources[i].data = <void *><uintptr_t>state.data
            resources[i].size = state.start.size
            resources[i].min_cost, resources[i].max_cost = state.min_cost, state.max_cost
        return 0

    cdef void *keep(self, array) except NULL:
        """Keep a contiguous array alive as long as the call; return the address of its numbers."""
        array = np.ascontiguousarray(array)
        self.arrays.append(array)
        return <void *><uintptr_t>array.ctypes.data

    cdef int finish(self, int status) except -1:
        """Raise the exception that stopped the call, if any; else return the status."""
        if self.pulse.error is not None:
            raise self.pulse.error
        cdef lb_fault *fault = &self.user.fault
        if fault.kind:
            raise self.user_states[fault.resource].fault(fault.kind, fault.arc, fault.number, fault.value)
        if status == LB_NO_MEMORY:
            raise MemoryError("no memory for labels")
        return status


cdef _routes(lb_routes *t, double bound, int status, int64_t labels):
    first, cost = np.zeros(t.count + 1, np.int64), np.empty(t.count)
    arcs = np.empty(t.used, np.int64)
    cdef int64_t[::1] starts = first, path = arcs
    cdef double[::1] costs = cost
    cdef Py_ssize_t i
    for i in range(t.count):
        starts[i + 1] = t.first[i + 1]
        costs[i] = t.cost[i]
    for i in range(t.used):
        path[i] = t.arcs[i]
    return RouteSearchResult(first, arcs, cost, bound, status, labels)


ctypedef int (*lb_listing)(lb_search *, Py_ssize_t, lb_routes *, double *) noexcept nogil


cdef _find_routes(_Call call, Py_ssize_t limit, lb_listing search):
    cdef lb_search s
    cdef lb_routes t
    cdef double bound = 0.0
    cdef int status
    memset(&s, 0, sizeof(s))
    memset(&t, 0, sizeof(t))
    try:
        with nogil:
            status = lb_open_search(&s, &call.m, call.memory)
            if status == LB_COMPLETE:
                status = search(&s, limit, &t, &bound)
            else:
                bound = s.relaxed
        return _routes(&t, bound, call.finish(status), s.f.created + s.b.created)
    finally:
        lb_close_search(&s)
        lb_close_routes(&t)


def label_routes(tables, costs, charges, below, limit, *, heuristic=False, memory_limit=2.0**31, pulse=None):
    """Find the cheapest routes; see `_labels_twin.label_routes`."""
    call = _Call(tables, costs, charges, below, memory_limit, pulse, heuristic=heuristic)
    return _find_routes(call, min(max(1, int(limit)), 1 << 28), lb_find)


def label_through(tables, costs, charges, below, *, memory_limit=2.0**31, pulse=None):
    """Price the cheapest route through each arc; see `_labels_twin.label_through`."""
    cdef _Call call = _Call(tables, costs, charges, below, memory_limit, pulse)
    cdef lb_search s
    cdef int status
    values = np.empty(call.m.m + 1)
    cdef double[::1] cost = values
    memset(&s, 0, sizeof(s))
    try:
        with nogil:
            status = lb_open_search(&s, &call.m, call.memory)
            if status == LB_COMPLETE:
                status = lb_through(&s, &cost[0])
        return values[: call.m.m], call.finish(status)
    finally:
        lb_close_search(&s)


def label_enumerate(tables, costs, charges, below, limit, *, memory_limit=2.0**31, pulse=None):
    """List all routes below a cost; see `_labels_twin.label_enumerate`."""
    call = _Call(tables, costs, charges, below, memory_limit, pulse, relaxed=True)
    return _find_routes(call, min(max(1, int(limit)), 1 << 62), lb_enumerate)


def label_price(tables, costs, charges, first, arcs):
    """Sum the costs of routes; see `_labels_twin.label_price`."""
    cdef _Call call = _Call(tables, costs, charges, 0.0)
    begins, path = check_routes(tables, first, arcs)
    values = np.empty(begins.size - 1)
    cdef const int64_t[::1] starts = begins
    cdef const int32_t[::1] routes = path
    cdef double[::1] cost = values
    cdef uint64_t[::1] visited = np.zeros(call.m.words, np.uint64)
    cdef double[::1] used = np.zeros(call.m.resources)
    cdef uint8_t[::1] row = np.zeros(call.m.rows + 1, np.uint8)
    cdef Py_ssize_t i, length
    with nogil:
        for i in range(cost.shape[0]):
            cost[i] = INFINITY
            if starts[i + 1] > starts[i]:
                length = starts[i + 1] - starts[i]
                cost[i] = lb_price(&call.m, &routes[starts[i]], length, &visited[0], &used[0], &row[0])
    call.finish(LB_COMPLETE)
    return values


cdef lb_network _network(
    const int32_t[::1] tails, const int32_t[::1] heads, const double[::1] use, Py_ssize_t vertices
):
    """View arrays of one length that were checked, and that the caller keeps alive."""
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
    """Compute the least use from vertex to vertex; see `_labels_twin.label_distances`."""
    tails, heads, use = check_network(vertices, tails, heads, use)
    uses = np.empty((vertices, vertices))
    cdef double[:, ::1] distances = uses
    cdef lb_network t = _network(tails, heads, use, distances.shape[0])
    with nogil:
        lb_distances(&t, &distances[0, 0])
    return uses
