# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Compiled hashing of parsing features; the twin `_parse_features_twin` documents their contracts."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

import numpy as np

from gapless_kernels._arguments import check_output, owned
from gapless_kernels.features._arguments import check_parse_features, check_table, feature_counts

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define gapless_prefetch(address) __builtin_prefetch(address)
    #else
    #define gapless_prefetch(address) ((void)(address))
    #endif
    """
    void gapless_prefetch(const void *) noexcept nogil

ctypedef fused real:
    float
    double

cdef enum:
    ATOM = 0
    ORDER = 1
    DISTANCE = 2
    COUNT = 3
    PAD = 3
    MOST = 3
    SEED = 0
    COMPANION = 1
    FROM = 2
    TO = 3
    MIDDLE = 4
    TERMS = 5
    AHEAD = 2


cdef inline uint64_t stir(uint64_t state, uint32_t value) noexcept nogil:
    state = (state ^ value) * <uint64_t>0x9E3779B97F4A7C15ULL
    return state ^ (state >> 29)


cdef inline uint32_t bucket(int64_t distance) noexcept nogil:
    distance = -distance if distance < 0 else distance
    if distance < 5:
        return <uint32_t>distance
    return 5 if distance < 10 else 6


cdef void evaluate(
    const uint32_t[:, ::1] atoms,
    const int64_t[:, ::1] parts,
    Py_ssize_t p,
    const int32_t[:, ::1] values,
    uint32_t[::1] evaluated,
) noexcept nogil:
    """Compute the values that the templates of part `p` combine."""
    cdef Py_ssize_t v, i, j, width = parts.shape[1]
    cdef int64_t low, high
    cdef uint32_t code
    for v in range(values.shape[0]):
        if values[v, 0] == ATOM:
            evaluated[v] = atoms[PAD + parts[p, values[v, 1]] + values[v, 2], values[v, 3]]
        elif values[v, 0] == ORDER:
            code = 0
            for i in range(width):
                for j in range(i):
                    code = 3 * code + (parts[p, j] < parts[p, i]) + 2 * (parts[p, j] == parts[p, i])
            evaluated[v] = code
        else:
            low, high = parts[p, values[v, 1]], parts[p, values[v, 2]]
            if values[v, 0] == DISTANCE:
                evaluated[v] = bucket(high - low)
                continue
            if low > high:
                low, high = high, low
            code = 0
            if high > low:
                code = atoms[PAD + high - 1, values[v, 3]] - atoms[PAD + low, values[v, 3]]
            evaluated[v] = code if code < MOST else MOST


cdef Py_ssize_t write_places(
    const uint32_t[:, ::1] atoms,
    const int64_t[:, ::1] parts,
    Py_ssize_t p,
    const int32_t[:, ::1] templates,
    const uint32_t[::1] evaluated,
    int shift,
    int64_t[::1] places,
    Py_ssize_t count,
) noexcept nogil:
    """Write the table places of part `p` from `count` on; return the count after them."""
    cdef Py_ssize_t t, k
    cdef int64_t low, high, between
    cdef uint64_t state, index
    for t in range(templates.shape[0]):
        state = stir(0, <uint32_t>templates[t, SEED])
        for k in range(TERMS, templates.shape[1]):
            if templates[t, k] < 0:
                break
            state = stir(state, evaluated[templates[t, k]])
        if templates[t, FROM] >= 0:
            low, high = parts[p, templates[t, FROM]], parts[p, templates[t, TO]]
            if low > high:
                low, high = high, low
            for between in range(low + 1, high):
                places[count] = <int64_t>(stir(state, atoms[PAD + between, templates[t, MIDDLE]]) >> shift)
                count += 1
            continue
        index = state >> shift
        places[count] = <int64_t>index
        count += 1
        if templates[t, COMPANION] >= 0:
            places[count] = <int64_t>(index ^ (1 + (evaluated[templates[t, COMPANION]] & 7) % 7))
            count += 1
    return count


cdef void score(
    const uint32_t[:, ::1] atoms,
    const int64_t[:, ::1] parts,
    const int32_t[:, ::1] values,
    const int32_t[:, ::1] templates,
    int shift,
    const real[::1] table,
    double[::1] scores,
    uint32_t[::1] evaluated,
    int64_t[:, ::1] places,
    Py_ssize_t[::1] counts,
) noexcept:
    """Add up the weights of each part; those of part p are prefetched while earlier parts are summed."""
    cdef Py_ssize_t p, i, slot, parts_count = parts.shape[0]
    cdef double total
    with nogil:
        for p in range(parts_count + AHEAD):
            if p >= AHEAD:
                slot = (p - AHEAD) % AHEAD
                total = 0.0
                for i in range(counts[slot]):
                    total += table[places[slot, i]]
                scores[p - AHEAD] = total
            if p < parts_count:
                slot = p % AHEAD
                evaluate(atoms, parts, p, values, evaluated)
                counts[slot] = write_places(atoms, parts, p, templates, evaluated, shift, places[slot], 0)
                for i in range(counts[slot]):
                    gapless_prefetch(&table[places[slot, i]])


cdef void list_features(
    const uint32_t[:, ::1] atoms,
    const int64_t[:, ::1] parts,
    const int32_t[:, ::1] values,
    const int32_t[:, ::1] templates,
    int shift,
    uint32_t[::1] evaluated,
    int64_t[::1] places,
) noexcept:
    cdef Py_ssize_t p, count = 0
    with nogil:
        for p in range(parts.shape[0]):
            evaluate(atoms, parts, p, values, evaluated)
            count = write_places(atoms, parts, p, templates, evaluated, shift, places, count)


def score_parts(atoms, parts, values, templates, table, scores):
    """Add up the weights of each part's features; see `_parse_features_twin.score_parts`."""
    parts, values, templates = owned(parts, values, templates)
    check_parse_features(atoms, parts, values, templates)
    shift = 64 - check_table(table)
    check_output("scores", scores, (len(parts),), np.float64)
    if not len(parts):
        return
    place_rows = np.empty((AHEAD, max(int(feature_counts(parts, templates).max()), 1)), np.int64)
    sums = scores if scores.flags.c_contiguous else np.empty(len(parts))
    arguments = np.ascontiguousarray(atoms), parts, values, templates, shift
    combined, counts = np.empty(len(values), np.uint32), np.zeros(AHEAD, np.intp)
    if table.dtype == np.float32:
        score[float](*arguments, table, sums, combined, place_rows, counts)
    else:
        score[double](*arguments, table, sums, combined, place_rows, counts)
    if sums is not scores:
        scores[...] = sums


def part_features(atoms, parts, values, templates, bits):
    """List the table places of all features of all parts; see `_parse_features_twin.part_features`."""
    parts, values, templates = owned(parts, values, templates)
    check_parse_features(atoms, parts, values, templates)
    if not 4 <= bits <= 31:
        raise ValueError(f"bits must be between 4 and 31, got {bits}")
    places = np.empty(int(feature_counts(parts, templates).sum()), np.int64)
    list_features(
        np.ascontiguousarray(atoms),
        parts,
        values,
        templates,
        64 - bits,
        np.empty(len(values), np.uint32),
        places,
    )
    return places
