# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Compiled colour coding; see the twin `_color_coding_twin` for what each function owes."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memset

import numpy as np

from gapless_kernels.paths._graph_arguments import check_colorings, check_completion, check_graph
from gapless_kernels._arguments import check_count
from gapless_kernels.lanes.arrays cimport address
from gapless_kernels.lanes cimport _sets

_sets.follow()

cdef extern from "paths/color_coding.h" nogil:
    ctypedef struct array_owner:
        pass
    void free_arrays(array_owner *) noexcept
    ctypedef struct color_coding:
        Py_ssize_t n
        Py_ssize_t length
        Py_ssize_t colors
        Py_ssize_t classes
        const double *start
        const double *ordering
        const double *end
        const int64_t *class_of
        const Py_ssize_t *of_size
        array_owner owner
    double color_coding_scores(Py_ssize_t, Py_ssize_t, Py_ssize_t) noexcept
    bint color_coding_begin(color_coding *) noexcept
    void color_coding_color(color_coding *, const uint8_t *) noexcept
    Py_ssize_t color_coding_step(const color_coding *, Py_ssize_t, Py_ssize_t) noexcept
    double color_coding_path(const color_coding *, double, int64_t *) noexcept

cdef extern from "paths/color_coding_pruned.h" nogil:
    ctypedef struct colorful:
        Py_ssize_t n
        Py_ssize_t length
        Py_ssize_t classes
        const double *start
        const double *ordering
        const double *end
        const double *charges
        const int64_t *class_of
        const double *completion
        Py_ssize_t most
    int COLORFUL_NO_MEMORY
    int colorful_begin(colorful *) noexcept
    int colorful_run(colorful *, const uint8_t *, double, double, double *, int64_t *) noexcept
    void colorful_free(colorful *) noexcept


WORK = 2.0**27
"""Sums between two questions whether to go on: a tenth of a second."""


def color_coding_table_bytes(n, length, colors):
    """Tell the size of the table; see `_color_coding_twin.color_coding_table_bytes`."""
    return 8 * int(color_coding_scores(n, length, colors))


def color_coding_search(
    start, ordering, end, classes, length, colorings, colors, incumbent=-np.inf, pulse=None
):
    """Find best colourful paths; see `_color_coding_twin.color_coding_search`."""
    cdef Py_ssize_t t, size, at, done = 0
    cdef double work = 0
    cdef bint asked = pulse is not None, stopped = False
    cdef color_coding table
    cdef double best = incumbent, value
    memset(&table, 0, sizeof(table))
    graph = check_graph(start, ordering, end, classes)
    table.n = len(graph[0])
    table.classes = graph[4]
    table.length = check_count(length, "length")
    cdef const uint8_t[:, ::1] drawn = check_colorings(colorings, colors, graph[4], length)
    table.colors = colors
    table.start, table.ordering = <const double *>address(graph[0]), <const double *>address(graph[1])
    table.end, table.class_of = <const double *>address(graph[2]), <const int64_t *>address(graph[3])
    values = np.full(drawn.shape[0], -np.inf)
    paths = np.full((drawn.shape[0], length), -1)
    cdef double[::1] out = values
    cdef int64_t[:, ::1] vertices = paths
    try:
        if table.colors >= 31 or not color_coding_begin(&table):
            size_of_table = color_coding_table_bytes(table.n, length, colors)
            raise MemoryError(f"no room for a table of {size_of_table} bytes")
        with nogil:
            for t in range(drawn.shape[0]):
                color_coding_color(&table, &drawn[t, 0])
                for size in range(table.length):
                    at = table.of_size[size]
                    while at < table.of_size[size + 1] and not stopped:
                        work -= at
                        at = color_coding_step(&table, size, at)
                        work += at
                        with gil:
                            PyErr_CheckSignals()
                            if asked and work * table.n * table.n > WORK:
                                work = 0
                                stopped = bool(pulse())
                if stopped:
                    break
                done += 1
                value = color_coding_path(&table, best, &vertices[t, 0])
                out[t] = value
                best = max(best, value)
    finally:
        free_arrays(&table.owner)
    return values[:done], paths[:done]


def color_coding_pruned(
    start, ordering, end, classes, length, colorings, colors, incumbent, charges, completion, slack, states
):
    """Find colourful paths that beat an incumbent; see `_color_coding_twin.color_coding_pruned`."""
    cdef Py_ssize_t t, done = 0
    cdef colorful search
    cdef int status = 0
    cdef double best = incumbent, value = -np.inf, margin = slack, offset
    memset(&search, 0, sizeof(search))
    graph = check_graph(start, ordering, end, classes)
    search.n = len(graph[0])
    search.classes = graph[4]
    search.length = check_count(length, "length")
    cdef const uint8_t[:, ::1] drawn = check_colorings(colorings, colors, graph[4], length)
    bounds = check_completion(charges, completion, graph[4], length, len(graph[0]))
    search.start, search.ordering = <const double *>address(graph[0]), <const double *>address(graph[1])
    search.end, search.class_of = <const double *>address(graph[2]), <const int64_t *>address(graph[3])
    search.charges, search.completion = <const double *>address(bounds[0]), <const double *>address(bounds[1])
    search.most = min(check_count(states, "states"), 2**31 - 1)
    offset = bounds[0].sum()
    values = np.full(drawn.shape[0], -np.inf)
    paths = np.full((drawn.shape[0], length), -1)
    cdef double[::1] out = values
    cdef int64_t[:, ::1] vertices = paths
    try:
        if not colorful_begin(&search):
            raise MemoryError("no room for colour coding")
        with nogil:
            for t in range(drawn.shape[0]):
                status = colorful_run(
                    &search, &drawn[t, 0], best - margin - offset, best, &value, &vertices[t, 0]
                )
                if status:
                    break
                out[t] = value
                best = max(best, value)
                done += 1
                with gil:
                    PyErr_CheckSignals()
        if status == COLORFUL_NO_MEMORY:
            raise MemoryError("no room for the states of colour coding")
    finally:
        colorful_free(&search)
    return values, paths, done
