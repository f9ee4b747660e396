# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Compiled dominance kernels; see the twin `_dominance_ref` for what each function owes.

The loops are in C, written once in blocks of sixteen scores and compiled for AVX-512, AVX2 and any processor; the
best set that the processor has is chosen when this module is loaded.
"""

from libc.stdint cimport int64_t, uint8_t

import numpy as np

from gapless_kernels._arguments import check_batch, check_dominance
from gapless_kernels._chain_kernels cimport (
    GAPLESS_DOMINANCE,
    address,
    gapless_batch,
    gapless_best_set,
    gapless_chain,
    gapless_decode,
    max_plus4_f64,
)
from gapless_kernels._dominance_tables import aligned, lay_out
from gapless_kernels._status import DOUBTFUL, INVALID

_SETS = ("plain", "avx2", "avx512")
cdef int instruction_set = gapless_best_set()


def instruction_sets():
    """Names of the instruction sets that this processor has, best last."""
    return _SETS[:gapless_best_set() + 1]


def choose_instruction_set(name):
    """Use another instruction set than the best from here on, so that tests reach every version; returns the old."""
    global instruction_set
    if name not in instruction_sets():
        raise ValueError(f"this processor has {', '.join(instruction_sets())}, not {name}")
    before = _SETS[instruction_set]
    instruction_set = _SETS.index(name)
    return before


# --- tables -----------------------------------------------------------------------------------------------------

def dominance_tables(transition, dtype):
    """Prepare what decoding needs of one transition matrix; see `_dominance_ref.dominance_tables`."""
    return lay_out(transition, dtype, largest_differences)


def largest_differences(transition):
    """Compute ``max_r (transition[x, r] - transition[y, r])`` for all y (rows) and x (columns)."""
    cdef Py_ssize_t k = transition.shape[0], stride = -(-k // 16) * 16, y, i
    rows = np.full((-(-k // 4) * 4, k), -np.inf)
    np.negative(transition, out=rows[:k])
    columns = aligned((k, stride), rows.dtype)
    columns[:, :k] = transition.T
    columns[:, k:] = -np.inf
    result = aligned((rows.shape[0], stride), rows.dtype)
    cdef double[:, ::1] sources = rows, matrix = columns, out = result
    cdef const double *before[4]
    cdef double *after[4]
    with nogil:
        for y in range(0, k, 4):
            for i in range(4):
                before[i] = &sources[y + i, 0]
                after[i] = &out[y + i, 0]
            max_plus4_f64(instruction_set, before, &matrix[0, 0], stride, k, after)
    return result[:k, :k]


# --- decoding ---------------------------------------------------------------------------------------------------

cdef int decode(unary, offsets, tables, initial, final, labels, values, status, survivors, kept, dominators) except -1:
    """Run the loops on arrays that have been checked and are contiguous."""
    cdef gapless_chain chain
    cdef gapless_batch batch
    cdef int is_double = tables.dtype == np.float64, failed
    chain.labels = tables.moves.shape[0]
    chain.stride = tables.moves.shape[1]
    chain.moves = address(tables.moves)
    chain.arrivals = address(tables.arrivals)
    chain.excess = address(tables.excess)
    chain.group_excess = address(tables.group_excess)
    chain.gauge = <const double *>address(tables.gauge)
    chain.transition = <const double *>address(tables.transition)
    chain.initial = <const double *>address(initial)
    chain.final = <const double *>address(final)
    chain.largest = tables.largest
    chain.finite = tables.finite
    batch.unary = address(unary)
    batch.offsets = <const int64_t *>address(offsets)
    batch.sentences = len(offsets) - 1
    batch.labels = <int64_t *>address(labels, True)
    batch.values = <double *>address(values, True)
    batch.status = <uint8_t *>address(status, True)
    batch.survivors = <int64_t *>address(survivors, True)
    batch.kept = <uint8_t *>address(kept, True)
    batch.dominators = <int64_t *>address(dominators, True)
    with nogil:
        failed = gapless_decode(instruction_set, GAPLESS_DOMINANCE, is_double, &chain, &batch)
    if failed:
        raise MemoryError("no room for the survivors of the sentences in flight")
    return 0


def dominance_batch(unary, offsets, tables, initial, final, labels, values, status, survivors=None):
    """Find a best label path of each of many chains; see `_dominance_ref.dominance_batch`."""
    check_batch(
        unary, offsets, tables.transition, initial, final, labels, values, status, survivors, tables.dtype
    )
    outputs = (labels, values, status, survivors)
    rooms = tuple(contiguous(array) for array in outputs)
    decode(
        contiguous(unary),
        contiguous(offsets),
        tables,
        contiguous(initial),
        contiguous(final),
        rooms[0],
        rooms[1],
        rooms[2],
        rooms[3],
        None,
        None,
    )
    give_back(outputs, rooms)


def dominance(unary, tables, initial, final, labels, kept, dominators):
    """Find a best label path of one chain and who survived; see `_dominance_ref.dominance`."""
    n = check_dominance(unary, tables.transition, initial, final, labels, kept, dominators, tables.dtype)
    offsets, values, status = np.array((0, n)), np.empty(1), np.empty(1, np.uint8)
    outputs = (labels, kept, dominators)
    rooms = tuple(contiguous(array) for array in outputs)
    decode(
        contiguous(unary),
        offsets,
        tables,
        contiguous(initial),
        contiguous(final),
        rooms[0],
        values,
        status,
        None,
        rooms[1],
        rooms[2],
    )
    give_back(outputs, rooms)
    if status[0] == INVALID:
        raise ValueError("unary holds NaN or plus infinity")
    if status[0] == DOUBTFUL:
        raise OverflowError("sums of these scores may overflow")
    return float(values[0])


cdef contiguous(array):
    """The array itself where it is contiguous, as it nearly always is."""
    return array if array is None or array.flags.c_contiguous else np.ascontiguousarray(array)


cdef give_back(outputs, rooms):
    """Copy what was written to a contiguous stand-in."""
    for output, room in zip(outputs, rooms):
        if output is not room:
            output[...] = room
