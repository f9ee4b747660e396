# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Lists of edges as text, compiled; see the twin `_edge_lines_twin` for what each function owes."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.object cimport PyObject
from libc.stdint cimport int64_t

import numpy as np

cdef extern from "Python.h":
    double PyOS_string_to_double(const char *, char **, PyObject *) except? -1.0

cdef enum:
    FINE = 0
    FIELDS = 1
    VERTEX = 2
    WEIGHT = 3
    MIXED = 4

cdef extern from *:
    """
    #define EDGE_LINES_ROOM 100000000000000000LL
    """
    const int64_t EDGE_LINES_ROOM  # a number below has room for one more digit


cdef inline const char *blanks(const char *at) noexcept nogil:
    while at[0] == b" " or at[0] == b"\t" or at[0] == b"\r":
        at += 1
    return at


cdef inline bint ends(const char *at, const char *end) noexcept nogil:
    return at == end or at[0] == b"\n"


cdef inline bint apart(const char *at, const char *end) noexcept nogil:
    return ends(at, end) or at[0] == b" " or at[0] == b"\t" or at[0] == b"\r"


cdef int vertex(const char **place, const char *end, int64_t *value) noexcept nogil:
    cdef const char *first = blanks(place[0])
    cdef const char *at = first
    cdef int64_t number = 0
    if ends(at, end):
        return FIELDS
    while 48 <= at[0] and at[0] <= 57 and number < EDGE_LINES_ROOM:
        number = 10 * number + (at[0] - 48)
        at += 1
    if at == first or not apart(at, end):
        return VERTEX
    place[0] = at
    value[0] = number
    return FINE


cdef int weight(const char **place, const char *end, double *value) except -1:
    cdef char *after
    try:
        value[0] = PyOS_string_to_double(place[0], &after, NULL)
    except ValueError:
        return WEIGHT
    if not apart(after, end) or not 0 < value[0] < float("inf"):
        return WEIGHT
    place[0] = after
    return FINE


def parse_edges(bytes text, int columns):
    """Read lines of edges; see `_edge_lines_twin.parse_edges`."""
    cdef const char *at = PyBytes_AS_STRING(text)
    cdef const char *end = at + PyBytes_GET_SIZE(text)
    cdef Py_ssize_t row = 0, line = 0
    cdef int fault = FINE
    lines = text.count(b"\n") + 1
    edges = np.empty((lines, 2), np.int64)
    weights = np.empty(lines if columns != 2 else 0)
    cdef int64_t[:, ::1] pairs = edges
    cdef double[::1] lengths = weights
    while at < end:
        at = blanks(at)
        if at[0] == b"#" or at[0] == b"%":
            while not ends(at, end):
                at += 1
        if not ends(at, end):
            fault = vertex(&at, end, &pairs[row, 0]) or vertex(&at, end, &pairs[row, 1])
            if fault:
                break
            at = blanks(at)
            if columns == 0:
                columns = 2 if ends(at, end) else 3
            if ends(at, end) != (columns == 2):
                fault = MIXED
                break
            if columns == 3:
                fault = weight(&at, end, &lengths[row])
                at = blanks(at)
                if fault == FINE and not ends(at, end):
                    fault = FIELDS
                if fault:
                    break
            row += 1
        at += 1
        line += 1
    return edges[:row], weights[:row] if columns == 3 else None, columns, line, fault
