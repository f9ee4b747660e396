# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The record of a search as arrays: nodes, what was fixed in them, and multipliers."""

from libc.stdint cimport int64_t

import numpy as np

from gapless_kernels.lanes cimport _sets
from gapless_kernels.search._search cimport Search, gs_export, gs_recall

_sets.follow()


def proof_of(Search search, sparse=False):
    """What `Search.proof` returns."""
    if not (search.s.keep_proof or search.s.proof_dropped):
        raise ValueError("no proof was kept: it was not asked for")
    if search.s.compact and not sparse:
        raise ValueError("this search counted on a sparse proof")
    cdef Py_ssize_t k, count = search.s.snapshot_count
    held = np.array([search.s.snapshots[k].split != NULL for k in range(count)], bool)
    rows = np.append(np.cumsum(held) - 1, [-2, -1])  # -2 and -1 stand for themselves
    multipliers = nonzero_multipliers(search) if sparse else all_multipliers(search, rows, int(held.sum()))
    return {**record(search, rows), "grouped": search.grouped(), **multipliers}


cdef nonzero_multipliers(Search search):
    """For each remembered set of multipliers, those that are not 0, in score units, and their slots."""
    cdef Py_ssize_t k, i, c, at
    sets = []
    values = np.zeros(search.s.slots)  # one for all: touching fresh memory takes longer than filling it
    cdef double[::1] split = values
    for k in range(search.s.snapshot_count):
        if search.s.snapshots[k].split == NULL:
            continue
        if search.s.slots:
            gs_recall(&search.s, search.s.snapshots + k, &split[0])
            for c in range(search.s.shared):
                at = search.s.star_cells + search.s.shared_first[c]
                if search.s.shared_score[c] < 0.0:
                    split[at] = -split[at]
                    for i in range(1, search.s.shared_first[c + 1] - search.s.shared_first[c]):
                        split[at + i] = 0.0
        places = np.flatnonzero(values)
        sets.append((places, values[places]))
    return {"multipliers": sets}


cdef all_multipliers(Search search, rows, held):
    grouped = search.grouped()
    widths = np.concatenate([np.full(len(scores), scopes.shape[1]) for scopes, scores in search.blocks] or [[]])
    all_scores = np.concatenate([scores for _, scores in search.blocks] or [[]])
    shares = ~grouped & (all_scores >= 0)
    first = np.zeros(len(widths) + 1, np.int64)
    np.cumsum(np.where(shares, widths, 1), out=first[1:])
    # What the search never charges: narrow scopes count in full; those that cannot fire may have any shares.
    rest = np.where(shares, 1.0 / np.maximum(widths, 1), np.where(~grouped & (widths == 1), 1.0, 0.0))
    base = np.append(np.repeat(rest, np.diff(first)), np.zeros(search.s.factor_slots))
    cdef Py_ssize_t i, shift = search.s.slots - search.s.factor_slots, prices = first[-1]
    cdef Py_ssize_t k
    cdef double[:, ::1] table = np.tile(base, (held, 1))
    cdef const int64_t[::1] starts = first, row = rows
    cdef double[::1] split = np.empty(search.s.slots + 1)
    if table.shape[1]:
        for k in range(search.s.snapshot_count):
            if search.s.snapshots[k].split != NULL:
                gs_recall(&search.s, search.s.snapshots + k, &split[0])
                gs_export(&search.s, &split[0], &starts[0], &table[row[k], 0])
                for i in range(search.s.factor_slots):
                    table[row[k], prices + i] = split[shift + i]
    return {"multiplier_first": first, "multipliers": np.asarray(table)}


cdef record(Search search, rows):
    """The nodes, and what was fixed in them."""
    cdef Py_ssize_t k, total = search.s.record_count
    nodes = np.array(
        [
            (search.s.records[k].parent, search.s.records[k].decision, search.s.records[k].on, search.s.records[k].leaf_snapshot)
            for k in range(total)
        ],
        np.int64,
    ).reshape(total, 4)
    for k in range(search.s.open_count if search.s.keep_proof else 0):
        nodes[search.s.open[k].record, 3] = search.s.open[k].snapshot
    for k in range(search.s.survivor_count if search.s.keep_proof else 0):
        nodes[search.s.survivors[k].record, 3] = search.s.survivors[k].snapshot
    if search.s.proof_dropped and search.s.root_snapshot >= 0:
        nodes[0, 3] = search.s.root_snapshot
    elif search.s.working and (search.s.keep_proof or search.s.node.snapshot < 0):
        # Of its own and the inherited multipliers, those that prove more.
        own = search.s.saved >= 0 and (search.s.node.snapshot < 0 or search.s.saved_psi <= search.s.node.bound)
        nodes[search.s.node.record, 3] = search.s.saved if own else search.s.node.snapshot
    steps = np.array(
        [
            (search.s.fixings[k].record, search.s.fixings[k].snapshot, search.s.fixings[k].first_off)
            for k in range(search.s.fixing_count)
        ],
        np.int64,
    ).reshape(search.s.fixing_count, 3)
    return {
        "parent": nodes[:, 0].copy(),
        "decision": nodes[:, 1].copy(),
        "on": nodes[:, 2].astype(bool),
        "multipliers_at": rows[nodes[:, 3]],
        "step_node": steps[:, 0].copy(),
        "step_multipliers": rows[steps[:, 1]],
        "step_first": np.append(steps[:, 2], search.s.off_count),
        "off": np.array([search.s.offs[k] for k in range(search.s.off_count)], np.int64),
    }
