# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Sums of distances and distances of sets in graphs, compiled; see the twin `_graph_searches_twin`."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t
from libc.stddef cimport ptrdiff_t

import numpy as np

from gapless_kernels._arguments import owned
from gapless_kernels.graphs._adjacency_arguments import check_gates, check_search_sets, check_weighted_adjacency

cdef extern from "graphs/searches.h" nogil:
    ctypedef struct graph_search:
        const int64_t *offsets
        const int32_t *neighbours
        const double *weights
        const int64_t *region
        const unsigned char *wanted
        ptrdiff_t targets
        double *distance
        int32_t *reached
        int32_t *heap
        int32_t *place

    void graph_search_run(graph_search *, const int64_t *, ptrdiff_t) noexcept
    void graph_search_clear(graph_search *) noexcept
    void graph_search_charge(const graph_search *, double, double *) noexcept


cdef class Search:
    """A search and the arrays that it works in."""

    cdef graph_search own
    cdef list kept

    def __init__(self, offsets, neighbours, weights):
        offsets, neighbours, weights = owned(offsets, neighbours, weights)
        n = check_weighted_adjacency(offsets, neighbours, weights)
        cdef const int64_t[::1] rows = offsets
        # One more than there are, so that the address of the first exists.
        cdef const int32_t[::1] near = neighbours if neighbours.size else np.append(neighbours, np.int32(0))
        cdef double[::1] distance = np.full(n + 1, np.inf)
        cdef int32_t[::1] reached = np.empty(n + 1, np.int32), heap, place
        cdef const double[::1] lengths
        self.kept = [rows, near, distance, reached]
        self.own.offsets, self.own.neighbours = &rows[0], &near[0]
        self.own.distance, self.own.reached = &distance[0], &reached[0]
        self.own.weights = self.own.region = self.own.wanted = NULL
        self.own.heap = self.own.place = NULL
        self.own.targets = 0
        if weights is not None and weights.size:
            lengths = weights
            heap, place = np.empty(n, np.int32), np.empty(n, np.int32)
            self.kept += [lengths, heap, place]
            self.own.weights = &lengths[0]
            self.own.heap, self.own.place = &heap[0], &place[0]


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
    search.own.region = &regions[0]
    for i in range(sources.shape[0]):
        with nogil:
            graph_search_run(&search.own, &sources[i], 1)
            graph_search_charge(&search.own, charge[sources[i]], &total[0])
            graph_search_clear(&search.own)
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
    cdef const unsigned char[::1] wanted = marks
    cdef const int64_t[::1] begin = np.ascontiguousarray(first), sources = np.ascontiguousarray(members)
    cdef const int64_t[:] point = points
    cdef double[:, ::1] found = table
    cdef Py_ssize_t i, p
    search.own.wanted, search.own.targets = &wanted[0], int(marks.sum())
    for i in range(found.shape[1]):
        with nogil:
            graph_search_run(&search.own, &sources[0] + begin[i], begin[i + 1] - begin[i])
            for p in range(found.shape[0]):
                found[p, i] = search.own.distance[point[p]]
            graph_search_clear(&search.own)
        PyErr_CheckSignals()
    return table
