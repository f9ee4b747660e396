# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Compiled beam search over paths; see the twin `_path_beam_twin` for what it owes."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t
from libc.string cimport memset

import numpy as np

from gapless_kernels.paths._graph_arguments import check_graph
from gapless_kernels._arguments import check_count
from gapless_kernels.lanes.arrays cimport address
from gapless_kernels.lanes cimport _sets

_sets.follow()

cdef extern from "paths/beam.h" nogil:
    ctypedef struct array_owner:
        pass
    void free_arrays(array_owner *) noexcept
    ctypedef struct path_beam:
        Py_ssize_t n
        Py_ssize_t classes
        Py_ssize_t length
        Py_ssize_t width
        const double *start
        const double *ordering
        const double *end
        const int64_t *class_of
        double *scores
        array_owner owner
    bint path_beam_begin(path_beam *) noexcept
    Py_ssize_t path_beam_step(path_beam *, Py_ssize_t, Py_ssize_t) noexcept
    void path_beam_path(const path_beam *, int64_t *) noexcept


def path_beam_search(start, ordering, end, classes, length, width):
    """Find a path by beam search; see `_path_beam_twin.path_beam_search`."""
    cdef Py_ssize_t place, held = 0
    cdef path_beam beam
    memset(&beam, 0, sizeof(beam))
    graph = check_graph(start, ordering, end, classes)
    beam.n = len(graph[0])
    beam.classes = graph[4]
    beam.length = check_count(length, "length")
    beam.width = check_count(width, "width")
    beam.start, beam.ordering = <const double *>address(graph[0]), <const double *>address(graph[1])
    beam.end, beam.class_of = <const double *>address(graph[2]), <const int64_t *>address(graph[3])
    path = np.full(length, -1)
    cdef int64_t[::1] vertices = path
    try:
        if beam.width >= 2**28 or beam.length * beam.width >= 2**31 or not path_beam_begin(&beam):
            raise MemoryError(f"a beam of width {beam.width} over {beam.length} vertices is too large")
        for place in range(beam.length):
            with nogil:
                held = path_beam_step(&beam, place, held)
            if held == 0:
                return -np.inf, path
            PyErr_CheckSignals()
        path_beam_path(&beam, &vertices[0])
        return beam.scores[0], path
    finally:
        free_arrays(&beam.owner)
