# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Compiled trees of the parts of a graph; `_bridges_twin` documents the contracts."""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t

import numpy as np

from gapless_kernels._arguments import owned
from gapless_kernels.graphs._adjacency_arguments import (
    check_adjacency,
    check_classes,
    check_forest,
    check_weights,
)

# Steps between two checks for Ctrl-C: about a tenth of a second.
cdef Py_ssize_t PULSE = 1 << 24


cdef struct walk:
    Py_ssize_t vertex, root, visited


cdef bint continue_search(
    const int64_t[::1] offsets,
    const int32_t[::1] neighbours,
    int32_t[::1] entered,
    int32_t[::1] low,
    int32_t[::1] parent,
    int64_t[::1] cursor,
    int32_t[::1] order,
    walk *state,
) noexcept nogil:
    """Continue a depth-first search for `PULSE` steps; return whether it has ended."""
    cdef Py_ssize_t n = entered.shape[0], v = state.vertex, steps
    cdef int32_t u
    for steps in range(PULSE):
        if v < 0:
            while state.root < n and entered[state.root] >= 0:
                state.root += 1
            if state.root == n:
                return True
            v = state.root
            entered[v] = low[v] = state.visited
            order[state.visited] = v
            state.visited += 1
        elif cursor[v] < offsets[v + 1]:
            u = neighbours[cursor[v]]
            cursor[v] += 1
            if entered[u] < 0:
                parent[u] = v
                entered[u] = low[u] = state.visited
                order[state.visited] = u
                state.visited += 1
                v = u
            elif u != parent[v] and entered[u] < low[v]:
                low[v] = entered[u]
        else:
            u = parent[v]
            if u >= 0 and low[v] < low[u]:
                low[u] = low[v]
            v = u
    state.vertex = v
    return False


cdef Py_ssize_t number_parts(
    const int32_t[::1] entered,
    const int32_t[::1] low,
    const int32_t[::1] parent,
    const int32_t[::1] order,
    int64_t[::1] part,
    int64_t[::1] tops,
    int64_t[::1] above,
) noexcept nogil:
    cdef Py_ssize_t i, v, count = 0
    for i in range(order.shape[0]):
        v = order[i]
        if low[v] == entered[v]:
            part[v] = count
            tops[count] = v
            above[count] = parent[v]
            count += 1
        else:
            part[v] = part[parent[v]]
    return count


def bridge_tree(offsets, neighbours):
    """Cut a graph at its bridges; see `_bridges_twin.bridge_tree`."""
    offsets, neighbours = owned(offsets, neighbours)
    cdef Py_ssize_t n = check_adjacency(offsets, neighbours), count
    cdef const int64_t[::1] rows = offsets
    cdef const int32_t[::1] near = neighbours
    cdef int32_t[::1] entered = np.full(n, -1, np.int32), low = np.empty(n, np.int32)
    cdef int32_t[::1] parent = np.full(n, -1, np.int32), order = np.empty(n, np.int32)
    cdef int64_t[::1] cursor = np.array(offsets[:n])
    cdef walk state = walk(-1, 0, 0)
    cdef bint ended = False
    while not ended:
        with nogil:
            ended = continue_search(rows, near, entered, low, parent, cursor, order, &state)
        PyErr_CheckSignals()
    part, tops, above = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    count = number_parts(entered, low, parent, order, part, tops, above)
    return part, tops[:count].copy(), above[:count].copy()


cdef Py_ssize_t span(
    const int64_t[::1] offsets,
    const int32_t[::1] neighbours,
    const double[::1] weights,
    const int64_t[::1] classes,
    const int64_t[::1] first,
    const int64_t[::1] members,
    Py_ssize_t root,
    int64_t[::1] part,
    int64_t[::1] tops,
    int64_t[::1] above,
    double[::1] lightest,
) noexcept nogil:
    """Fill the tree; return the number of its parts. Each part is entered through a vertex of its class."""
    cdef Py_ssize_t count = 1, p = 0, i, j, edge, u, v, class_, size
    cdef int64_t q
    cdef double weight = 1.0
    cdef bint weighted = weights.shape[0] > 0
    for j in range(first[root], first[root + 1]):
        part[members[j]] = 0
    tops[0] = members[first[root]]
    above[0] = -1
    while p < count:
        class_ = classes[tops[p]]
        size = 1 if class_ < 0 else first[class_ + 1] - first[class_]
        for i in range(size):
            u = tops[p] if class_ < 0 else members[first[class_] + i]
            for edge in range(offsets[u], offsets[u + 1]):
                v = neighbours[edge]
                if weighted:
                    weight = weights[edge]
                q = part[v]
                if q < 0:
                    part[v] = count
                    if classes[v] >= 0:
                        for j in range(first[classes[v]], first[classes[v] + 1]):
                            part[members[j]] = count
                    tops[count] = v
                    above[count] = u
                    lightest[count] = weight
                    count += 1
                elif q > p and weight < lightest[q] and part[above[q]] == p:
                    tops[q] = v
                    above[q] = u
                    lightest[q] = weight
        p += 1
    return count


def quotient_tree(offsets, neighbours, weights, classes, root):
    """Span a graph whose classes are shrunk; see `_bridges_twin.quotient_tree`."""
    offsets, neighbours, classes = owned(offsets, neighbours, classes)
    cdef Py_ssize_t n = check_adjacency(offsets, neighbours), count
    check_weights(weights, neighbours.size)
    check_classes(classes, n, root)
    members = np.argsort(classes, kind="stable")
    first = np.searchsorted(classes[members], np.arange(classes.max() + 2))
    part, tops, above = np.full(n, -1), np.empty(n, np.int64), np.empty(n, np.int64)
    cdef const int64_t[::1] rows = offsets, group = classes
    cdef const int32_t[::1] near = neighbours
    cdef const double[::1] lengths = np.empty(0) if weights is None else np.ascontiguousarray(weights)
    cdef const int64_t[::1] begin = first, member = members
    cdef int64_t[::1] numbers = part, top = tops, up = above
    cdef double[::1] lightest = np.full(n, INFINITY)
    cdef Py_ssize_t start = root
    with nogil:
        count = span(rows, near, lengths, group, begin, member, start, numbers, top, up, lightest)
    PyErr_CheckSignals()
    return part, tops[:count].copy(), above[:count].copy()


def sums_below(parents, masses):
    """Sum masses from the leaves up; see `_bridges_twin.sums_below`."""
    (parents,) = owned(parents)
    check_forest(parents, masses)
    sums = masses.copy()
    cdef const int64_t[:] up = parents
    cdef double[:] total = sums
    cdef Py_ssize_t node
    with nogil:
        for node in range(total.shape[0] - 1, -1, -1):
            if up[node] >= 0:
                total[up[node]] += total[node]
    return sums
