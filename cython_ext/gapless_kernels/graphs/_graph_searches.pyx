# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Compiled sums of distances, and distances from sets; `_graph_searches_twin` documents the contracts."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t
from libc.stddef cimport ptrdiff_t

import numpy as np

from gapless_kernels._arguments import owned
from gapless_kernels.graphs._adjacency_arguments import (
    check_gates,
    check_search_sets,
    check_weighted_adjacency,
)

cdef extern from "graphs/searches.h" nogil:
    ctypedef struct graph_search:
        const int64_t *offsets
        const int32_t *neighbours
        const double *weights
        const int64_t *region
        const unsigned char *is_target
        ptrdiff_t targets
        double *distance
        int32_t *visited
        int32_t *heap
        int32_t *heap_index

    void graph_search_run(graph_search *, const int64_t *, ptrdiff_t) noexcept
    void graph_search_clear(graph_search *) noexcept
    void graph_search_charge(const graph_search *, double, double *) noexcept


cdef class Search:
    """A search; owns the arrays that it works in."""

    cdef graph_search state
    cdef list arrays

    def __init__(self, offsets, neighbours, weights):
        offsets, neighbours, weights = owned(offsets, neighbours, weights)
        n = check_weighted_adjacency(offsets, neighbours, weights)
        cdef const int64_t[::1] rows = offsets
        # One more entry than needed, so that the address of the first exists.
        cdef const int32_t[::1] near = neighbours if neighbours.size else np.append(neighbours, np.int32(0))
        cdef double[::1] distance = np.full(n + 1, np.inf)
        cdef int32_t[::1] visited = np.empty(n + 1, np.int32), heap, heap_index
        cdef const double[::1] lengths
        self.arrays = [rows, near, distance, visited]
        self.state.offsets, self.state.neighbours = &rows[0], &near[0]
        self.state.distance, self.state.visited = &distance[0], &visited[0]
        self.state.weights = self.state.region = self.state.is_target = NULL
        self.state.heap = self.state.heap_index = NULL
        self.state.targets = 0
        if weights is not None and weights.size:
            lengths = weights
            heap, heap_index = np.empty(n, np.int32), np.empty(n, np.int32)
            self.arrays += [lengths, heap, heap_index]
            self.state.weights = &lengths[0]
            self.state.heap, self.state.heap_index = &heap[0], &heap_index[0]


def gate_costs(offsets, neighbours, weights, region, charges):
    """Sum distances from charged vertices within regions; see `_graph_searches_twin.gate_costs`."""
    cdef Search search = Search(offsets, neighbours, weights)
    region, charges = owned(region, charges)
    check_gates(region, charges, offsets.size - 1)
    gates = np.flatnonzero(charges)
    costs = np.zeros(charges.size)
    if not gates.size:
        return costs
    cdef const int64_t[::1] regions = np.ascontiguousarray(region), sources = gates
    cdef const double[:] charge = charges
    cdef double[::1] total = costs
    cdef Py_ssize_t i
    search.state.region = &regions[0]
    for i in range(sources.shape[0]):
        with nogil:
            graph_search_run(&search.state, &sources[i], 1)
            graph_search_charge(&search.state, charge[sources[i]], &total[0])
            graph_search_clear(&search.state)
        PyErr_CheckSignals()
    return costs


def hitting_distances(offsets, neighbours, weights, first, members, points):
    """Find distances from sets of vertices; see `_graph_searches_twin.hitting_distances`."""
    cdef Search search = Search(offsets, neighbours, weights)
    first, members, points = owned(first, members, points)
    check_search_sets(first, members, points, offsets.size - 1)
    table = np.full((points.size, first.size - 1), np.inf)
    if not members.size or not points.size:
        return table
    marks = np.zeros(offsets.size - 1, np.uint8)
    marks[points] = 1
    cdef const unsigned char[::1] is_target = marks
    cdef const int64_t[::1] begin = np.ascontiguousarray(first), sources = np.ascontiguousarray(members)
    cdef const int64_t[:] point = points
    cdef double[:, ::1] entries = table
    cdef Py_ssize_t i, p
    search.state.is_target, search.state.targets = &is_target[0], int(marks.sum())
    for i in range(entries.shape[1]):
        with nogil:
            graph_search_run(&search.state, &sources[0] + begin[i], begin[i + 1] - begin[i])
            for p in range(entries.shape[0]):
                entries[p, i] = search.state.distance[point[p]]
            graph_search_clear(&search.state)
        PyErr_CheckSignals()
    return table
