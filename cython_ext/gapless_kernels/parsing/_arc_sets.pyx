# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Sets of candidate arcs and their scores, compiled; the twin `_arc_sets_twin` documents their contracts."""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int64_t, uint64_t

from math import comb

import numpy as np

from gapless_kernels._arguments import owned
from gapless_kernels.parsing._arguments import (
    check_arc_sets, check_arcs, check_candidates, check_part_table, check_width
)

MOST = 1 << 31


cdef inline bint ends_fit(heads, modifiers, Py_ssize_t positions) except -1:
    """Check the ends of arcs: the usual case here, all others by `check_arcs`, which says what is wrong."""
    cdef const int64_t[::1] head, modifier
    cdef Py_ssize_t e
    cdef uint64_t largest = 0
    try:
        head, modifier = heads, modifiers
    except (TypeError, ValueError):
        check_arcs(heads, modifiers, positions)
        raise
    if head.shape[0] == modifier.shape[0]:
        for e in range(head.shape[0]):
            largest = max(largest, <uint64_t>head[e], <uint64_t>modifier[e])  # what is below 0 is large there
    if head.shape[0] != modifier.shape[0] or (head.shape[0] and largest >= <uint64_t>positions):
        check_arcs(heads, modifiers, positions)
    return True


cdef inline int64_t within(int64_t arc, Py_ssize_t arcs, bint *all_are) noexcept nogil:
    """Return the arc, or 0 and a mark where there is no such arc."""
    if 0 <= arc < arcs:
        return arc
    all_are[0] = False
    return 0


def candidate_arcs(candidates):
    """List the arcs that may be in a tree; see the twin."""
    check_candidates(candidates)
    cdef const unsigned char[:, :] may = candidates.view(np.uint8)
    cdef Py_ssize_t size = len(candidates), h, m, e = 0
    heads, modifiers = np.empty((2, size * size), np.int64)
    index, first = np.empty((size, size), np.int64), np.empty(size + 1, np.int64)
    cdef int64_t[::1] head = heads, modifier = modifiers, begin = first
    cdef int64_t[:, ::1] number = index
    with nogil:
        for m in range(size):
            begin[m] = e
            for h in range(size):
                number[h, m] = -1
                if may[h, m]:
                    head[e], modifier[e], number[h, m] = h, m, e
                    e += 1
        begin[size] = e
    return heads[:e].copy(), modifiers[:e].copy(), index, first


def arc_chains(heads, modifiers, first, Py_ssize_t width):
    """List chains of arcs, each from the modifier of the one before it; see the twin."""
    check_width(width)
    heads, modifiers, first = owned(heads, modifiers, first)
    ends_fit(heads, modifiers, len(first) - 1)
    cdef const int64_t[::1] head = heads, modifier = modifiers, begin = first
    cdef Py_ssize_t arcs = head.shape[0], capacity, count = 0, e, k, lowest
    cdef int64_t[::1] chain = np.empty(width, np.int64)
    cdef bint fresh
    rows = np.empty((arcs, width), np.int64)
    cdef int64_t[:, ::1] row = rows
    if width == 1:
        rows[:, 0] = np.arange(arcs)
        return rows
    if width == 2:
        return chained_pairs(head, modifier, begin)
    capacity = row.shape[0]
    for lowest in range(arcs):
        # `chain[k]`: the arc at position k, from the topmost; those from k + 1 on are selected.
        chain[width - 1], k = lowest, width - 2
        chain[k] = begin[head[lowest]] - 1
        while k < width - 1:
            chain[k] += 1
            if chain[k] >= begin[head[chain[k + 1]] + 1]:
                k += 1
                continue
            fresh = True
            for e in range(k + 1, width):
                fresh &= head[chain[k]] != modifier[chain[e]]
            if not fresh:
                continue
            if k:
                k -= 1
                chain[k] = begin[head[chain[k + 1]]] - 1
                continue
            if count == capacity:
                capacity = 2 * capacity + 8
                grown = np.empty((capacity, width), np.int64)
                grown[:count] = rows[:count]
                rows = grown
                row = rows
            for e in range(width):
                row[count, e] = chain[e]
            count += 1
    return rows[:count]


cdef chained_pairs(const int64_t[::1] head, const int64_t[::1] modifier, const int64_t[::1] begin):
    """List chains of two arcs, in one pass."""
    cdef Py_ssize_t capacity = 0, count = 0, lower, upper
    cdef int64_t word
    for lower in range(head.shape[0]):
        capacity += begin[head[lower] + 1] - begin[head[lower]]
    rows = np.empty((capacity, 2), np.int64)
    cdef int64_t[:, ::1] row = rows
    with nogil:
        for lower in range(head.shape[0]):
            word = modifier[lower]
            for upper in range(begin[head[lower]], begin[head[lower] + 1]):
                row[count, 0], row[count, 1] = upper, lower
                count += head[upper] != word
    return rows[:count]


def arcs_of_one_head(heads, modifiers, Py_ssize_t width):
    """List sets of arcs of one head; see the twin."""
    check_width(width)
    heads, modifiers = owned(heads, modifiers)
    ends_fit(heads, modifiers, MOST)
    cdef const int64_t[::1] head = heads, by_head = heads.argsort(kind="stable")
    cdef Py_ssize_t arcs = head.shape[0], capacity = 0, count = 0, begin = 0, end, k, e
    cdef int64_t[::1] picked = np.empty(width, np.int64)
    while begin < arcs:  # how many sets there are
        end = begin + 1
        while end < arcs and head[by_head[end]] == head[by_head[begin]]:
            end += 1
        capacity += comb(end - begin, width)
        begin = end
    rows = np.empty((capacity, width), np.int64)
    cdef int64_t[:, ::1] row = rows
    begin = 0
    with nogil:
        while begin < arcs:
            end = begin + 1
            while end < arcs and head[by_head[end]] == head[by_head[begin]]:
                end += 1
            k, picked[0] = 0, begin - 1
            while k >= 0:
                picked[k] += 1
                if picked[k] > end - (width - k):
                    k -= 1
                elif k < width - 1:
                    k += 1
                    picked[k] = picked[k - 1]
                else:
                    for e in range(width):
                        row[count, e] = by_head[picked[e]]
                    count += 1
            begin = end
    return rows


def part_positions(arc_sets, heads, modifiers, bint chained):
    """Compute word positions of sets of arcs; see the twin."""
    check_arc_sets(arc_sets)
    ends_fit(heads, modifiers, MOST)
    cdef const int64_t[:, ::1] sets = arc_sets
    cdef const int64_t[::1] head = heads, modifier = modifiers
    cdef Py_ssize_t count = sets.shape[0], width = sets.shape[1], arcs = head.shape[0], c, k
    cdef bint in_range = True
    cdef int64_t arc = 0
    if not arcs and count:
        raise ValueError("arc_sets must name arcs, and there are none")
    places = np.empty((width + 1, count), np.int64)
    cdef int64_t[:, ::1] positions = places
    with nogil:
        for k in range(width):
            for c in range(count):
                arc = within(sets[c, k], arcs, &in_range)
                positions[k + (not chained), c] = head[arc] if chained else modifier[arc]
        for c in range(count):
            arc = within(sets[c, width - 1 if chained else 0], arcs, &in_range)
            positions[width if chained else 0, c] = modifier[arc] if chained else head[arc]
    if not in_range:
        raise ValueError(f"arc_sets must name arcs in 0..{arcs - 1}")
    return places


def part_scores(table, arc_sets, heads, modifiers, bint chained, double largest):
    """Look up the scores of sets of arcs, and whether all are allowed; see the twin."""
    check_arc_sets(arc_sets)
    check_part_table(table, arc_sets.shape[1])
    heads, modifiers = owned(heads, modifiers)
    ends_fit(heads, modifiers, len(table))
    cdef const double[::1] flat = table.reshape(-1)
    cdef const int64_t[:, ::1] sets = arc_sets
    cdef const int64_t[::1] head = heads, modifier = modifiers
    cdef Py_ssize_t count = sets.shape[0], width = sets.shape[1], arcs = head.shape[0], size = len(table)
    cdef Py_ssize_t c, k, cell
    if not arcs and count:
        raise ValueError("arc_sets must name arcs, and there are none")
    scores = np.empty(count)
    cdef double[::1] score = scores
    cdef bint allowed = True, in_range = True
    cdef double value
    cdef int64_t arc
    with nogil:
        for c in range(count):
            arc = within(sets[c, 0], arcs, &in_range)
            cell = head[arc]
            if not chained:
                cell = cell * size + modifier[arc]
            for k in range(1, width):
                arc = within(sets[c, k], arcs, &in_range)
                cell = cell * size + (head[arc] if chained else modifier[arc])
            if chained:
                cell = cell * size + modifier[arc]
            score[c] = value = flat[cell]
            allowed &= fabs(value) <= largest or value == -INFINITY
    if not in_range:
        raise ValueError(f"arc_sets must name arcs in 0..{arcs - 1}")
    return scores, bool(allowed)
