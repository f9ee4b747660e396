# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""A factor as a layered graph; see the twin `_diagram_twin` for what it owes."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t

import numpy as np

from gapless_kernels.lanes cimport _sets
from gapless_kernels.lanes.arrays cimport point
from gapless_kernels.search.roles cimport Factor, GS_FOUND, GS_NOTHING, GS_FAILED, GS_FREE, GS_ON, gs_factor

from gapless_kernels._arguments import owned
from gapless_kernels.diagrams._arguments import GraphArrays, check_graph, check_query

_sets.follow()

cdef extern from "diagrams/diagram.h" nogil:
    ctypedef struct gs_diagram:
        Py_ssize_t count, layers
        const int64_t *layer_nodes
        const int64_t *layer_blocks
        const int64_t *places
        const int64_t *sources
        const int64_t *counts
        const int64_t *target_at
        const int64_t *score_at
        const double *constants
        const int32_t *targets
        const double *scores
        const double *final
        double *below
        double *above

    int gs_diagram_maximise(
        const gs_diagram *, const double *, const signed char *, double *, signed char *
    ) noexcept
    int gs_diagram_value(const gs_diagram *, const signed char *, double *) noexcept
    int gs_diagram_marginals(
        const gs_diagram *, const double *, const signed char *, double *, double *, double *
    ) noexcept
    int gs_diagram_flips(const gs_diagram *, const signed char *, double *) noexcept


# Of the arrays of a graph, in their order; C reads them by address.
_TYPES = (np.int64,) * 7 + (np.float64, np.int32, np.float64, np.float64)


def _held(array, dtype, bint checked):
    """Return the array itself where it can no longer change, otherwise a copy with one entry more.

    An empty array needs that entry, because it must have an address.
    """
    if checked and array.size and array.dtype == dtype and array.flags.c_contiguous and not array.flags.writeable:
        return array
    return np.append(array, 0).astype(dtype)


cdef class DiagramFactor(Factor):
    """Passes over a layered graph; see `_diagram_twin.DiagramFactor`."""

    cdef gs_diagram _graph
    cdef object _exact_value
    cdef bint _relaxed
    cdef tuple _kept
    cdef double[::1] _below, _above, _through, _prices
    cdef signed char[::1] _state, _chosen

    def __init__(self, scope, graph, *, exact_value=None, checked=False):
        if not checked:
            graph = GraphArrays(*owned(*graph))
            check_graph(scope, graph)
        cdef void *held[11]
        self._kept = tuple(_held(array, dtype, checked) for array, dtype in zip(graph, _TYPES, strict=True))
        point(held, self._kept)
        self.role.size = sizeof(gs_factor)
        self._graph.count, self._graph.layers = len(scope), len(graph.layer_blocks) - 1
        cdef gs_diagram *c_graph = &self._graph
        c_graph.layer_nodes, c_graph.layer_blocks = <const int64_t *>held[0], <const int64_t *>held[1]
        c_graph.places, c_graph.sources = <const int64_t *>held[2], <const int64_t *>held[3]
        c_graph.counts, c_graph.target_at = <const int64_t *>held[4], <const int64_t *>held[5]
        c_graph.score_at, c_graph.constants = <const int64_t *>held[6], <const double *>held[7]
        c_graph.targets, c_graph.scores = <const int32_t *>held[8], <const double *>held[9]
        c_graph.final = <const double *>held[10]
        nodes = graph.layer_nodes.max() + 1
        self._below, self._above = np.empty(nodes), np.empty(nodes)
        self._through, self._prices = np.empty(len(graph.places) + 1), np.empty(len(scope) + 1)
        self._state, self._chosen = np.empty(len(scope) + 1, np.int8), np.empty(len(scope) + 1, np.int8)
        self._graph.below, self._graph.above = &self._below[0], &self._above[0]
        self._exact_value, self._relaxed = exact_value, exact_value is not None

    cdef bint _decided(self, const signed char *state) noexcept nogil:
        """Whether a relaxed diagram must compute its exact value: bounds of decided nodes are then exact."""
        cdef Py_ssize_t i
        if not self._relaxed:
            return False
        for i in range(self._graph.count):
            if state[i] == GS_FREE:
                return False
        return True

    cdef int _exact(self, const signed char *y, double *value) noexcept nogil:
        cdef Py_ssize_t i
        with gil:
            try:
                on = np.empty(self._graph.count, bool)
                for i in range(self._graph.count):
                    on[i] = y[i] == GS_ON
                value[0] = self._exact_value(on)
            except BaseException as error:  # the caller raises it again
                self.error = error
                value[0] = INFINITY
                return GS_FAILED
        return GS_FOUND

    cdef int maximise(
        self, const double *prices, const signed char *state, double *value, signed char *y
    ) noexcept nogil:
        cdef Py_ssize_t i
        cdef int status
        if self._decided(state):
            for i in range(self._graph.count):
                y[i] = state[i]
            status = self._exact(state, value)
            for i in range(self._graph.count):
                if state[i] == GS_ON:
                    value[0] -= prices[i]
            return GS_NOTHING if status == GS_FOUND and value[0] == -INFINITY else status
        return gs_diagram_maximise(&self._graph, prices, state, value, y)

    cdef int value(self, const signed char *y, double *value) noexcept nogil:
        if self._relaxed:
            return self._exact(y, value)
        return gs_diagram_value(&self._graph, y, value)

    cdef int marginals(
        self, const double *prices, const signed char *state, double *on, double *off
    ) noexcept nogil:
        cdef Py_ssize_t i
        cdef double total
        cdef int status
        if self._decided(state):
            status = self._exact(state, &total)
            for i in range(self._graph.count):
                if state[i] == GS_ON:
                    total -= prices[i]
            for i in range(self._graph.count):
                on[i] = total if state[i] == GS_ON else -INFINITY
                off[i] = -INFINITY if state[i] == GS_ON else total
            return GS_NOTHING if status == GS_FOUND and total == -INFINITY else status
        return gs_diagram_marginals(&self._graph, prices, state, on, off, &self._through[0])

    cdef int flips(self, const signed char *y, double *difference) noexcept nogil:
        return gs_diagram_flips(&self._graph, y, difference)

    # --- for Python

    cdef int _ask(self, object prices, object state) except -1:
        """Check prices and state, and copy them into the workspace of the object."""
        cdef Py_ssize_t i, count = self._graph.count
        cdef const double[:] cost
        cdef const signed char[:] fixed
        cdef bint right = True
        if self.busy:
            raise RuntimeError("this role is at work for a search; ask it in between, or make another")
        if isinstance(state, np.ndarray) and state.dtype == np.int8 and state.shape == (count,):
            fixed = state
            for i in range(count):
                self._state[i] = fixed[i]
                right = right and -1 <= fixed[i] <= 1
        else:
            right = False
        if prices is not None and right:
            if isinstance(prices, np.ndarray) and prices.dtype == np.float64 and prices.shape == (count,):
                cost = prices
                for i in range(count):
                    self._prices[i] = cost[i]
                    right = right and cost[i] > -INFINITY
            else:
                right = False
        if not right:  # another type, or wrong
            checked, state = check_query(count, prices, state)
            return self._ask(None if checked is None else checked[:count], state[:count])
        return 0

    def solve(self, prices, state):
        cdef double value = 0.0
        cdef Py_ssize_t i
        self._ask(prices, state)
        y = np.zeros(self._graph.count, np.int8)
        cdef signed char[::1] chosen = y
        cdef int status = self.maximise(&self._prices[0], &self._state[0], &value, &self._chosen[0])
        self._raise(status)
        if status != GS_FOUND:
            return -INFINITY, y
        for i in range(self._graph.count):
            chosen[i] = self._chosen[i]
        return value, y

    def value_of(self, y):
        cdef double value = 0.0
        self._ask(None, y)
        self._raise(self.value(&self._state[0], &value))
        return value

    def marginals_of(self, prices, state):
        self._ask(prices, state)
        on, off = np.empty(self._graph.count + 1), np.empty(self._graph.count + 1)
        cdef double[::1] with_it = on
        cdef double[::1] without = off
        self._raise(self.marginals(&self._prices[0], &self._state[0], &with_it[0], &without[0]))
        return on[: self._graph.count], off[: self._graph.count]

    def flips_of(self, y):
        self._ask(None, y)
        difference = np.zeros(self._graph.count + 1)
        cdef double[::1] into = difference
        self._raise(self.flips(&self._state[0], &into[0]))
        return difference[: self._graph.count]

    cdef int _raise(self, int status) except -1:
        if status == GS_FAILED:
            error, self.error = self.error, None
            raise error
        return 0
