# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The record of a search as arrays: nodes, what was fixed in them, and multipliers."""

from libc.stdint cimport int32_t, int64_t

import numpy as np

from gapless_kernels.lanes cimport _sets
from gapless_kernels.search._search cimport GS_IN_STAR, GS_REPEATED, Search

_sets.follow()


def record_of(Search search):
    """The record as `Search.record` returns it."""
    if not (search.s.keep_proof or search.s.proof_dropped):
        raise ValueError("no proof was kept: it was not asked for")
    cdef Py_ssize_t k, count = search.s.snapshot_count
    rows = np.empty(count + 2, np.int64)
    cdef int64_t[::1] row = rows
    cdef int64_t held = 0
    row[count], row[count + 1] = -2, -1  # which stand for themselves at the places -2 and -1
    for k in range(count):
        row[k] = held
        held += search.s.snapshots[k].split != NULL
    return {"lifted": bool(search.s.lifted), **nodes_and_steps(search, row), **forms_of(search), **multipliers_of(search, held)}


cdef forms_of(Search search):
    """The fate of the scopes."""
    cdef Py_ssize_t b, c, first = 0
    cdef bint starred = False
    cdef unsigned char form
    orientation, alone = np.zeros(len(search.blocks), np.int64), []
    for b in range(len(search.blocks)):
        for c in range(first, first + len(search.blocks[b][1])):
            form = search.s.form[c]
            starred |= form == GS_IN_STAR
            if form == GS_REPEATED:
                alone.append(c)
        orientation[b] = 2 - search.s.side[b] if starred else 0
        starred = False
        first += len(search.blocks[b][1])
    return {"orientation": orientation, "alone": np.array(alone, np.int64)}


cdef multipliers_of(Search search, Py_ssize_t held):
    """The sets of multipliers that are remembered, without those that are 0."""
    cdef Py_ssize_t k, i, n, slot, total = 0, at = 0, r = 0, c
    for k in range(search.s.snapshot_count):
        for i in range(search.s.snapshots[k].count if search.s.snapshots[k].split != NULL else 0):
            total += search.s.snapshots[k].split[i] != 0.0
    first, scopes, places = np.zeros(held + 1, np.int64), np.empty(total, np.int32), np.zeros(total, np.int32)
    values = np.empty(total)
    cdef int64_t[::1] begin = first
    cdef int32_t[::1] scope = scopes, place = places
    cdef double[::1] value = values
    cdef double held_value
    cdef Py_ssize_t prices = search.s.star_cells + search.s.shared_slots
    owners = np.zeros(search.s.shared_slots, np.int32)
    cdef int32_t[::1] owner = owners
    for c in range(search.s.shared):
        for i in range(search.s.shared_first[c], search.s.shared_first[c + 1]):
            owner[i] = <int32_t>c
    for k in range(search.s.snapshot_count):
        if search.s.snapshots[k].split == NULL:
            continue
        for i in range(search.s.snapshots[k].count):
            held_value = search.s.snapshots[k].split[i]
            slot = i if search.s.snapshots[k].place == NULL else search.s.snapshots[k].place[i]
            if held_value == 0.0:
                continue
            if slot < search.s.star_cells:
                if search.s.star_scope[slot] < 0:
                    continue
                scope[at], value[at] = search.s.star_scope[slot], held_value
                at += 1
                continue
            if slot >= prices:
                scope[at], value[at] = <int32_t>(search.s.scopes + slot - prices), held_value
                at += 1
                continue
            c = owner[slot - search.s.star_cells]
            n = slot - search.s.star_cells - search.s.shared_first[c]
            if search.s.shared_score[c] < 0.0:
                if n:
                    continue
                held_value = -held_value
            scope[at], place[at] = search.s.shared_scope[c], <int32_t>n
            value[at] = held_value
            at += 1
        r += 1
        begin[r] = at
    return {
        "row_first": first,
        "scopes": scopes[:at],
        "places": places[:at],
        "values": values[:at],
        "prices": int(search.s.factor_slots),
    }


cdef nodes_and_steps(Search search, const int64_t[::1] row):
    """The nodes, and what was fixed in them."""
    cdef Py_ssize_t k, total = search.s.record_count, steps = search.s.fixing_count, missing = row.shape[0]
    parents, decisions, on, leaves, shown_at = np.empty((5, total), np.int64)
    cdef int64_t[::1] parent = parents, decision = decisions, is_on = on, leaf = leaves, shown = shown_at
    for k in range(total):
        parent[k], decision[k] = search.s.records[k].parent, search.s.records[k].decision
        is_on[k], leaf[k], shown[k] = search.s.records[k].on, search.s.records[k].leaf_snapshot, k
    for k in range(search.s.open_count if search.s.keep_proof else 0):
        leaf[search.s.open[k].record] = search.s.open[k].snapshot
        shown[search.s.open[k].record] = search.s.open[k].shown
    for k in range(search.s.survivor_count if search.s.keep_proof else 0):
        leaf[search.s.survivors[k].record] = search.s.survivors[k].snapshot
        shown[search.s.survivors[k].record] = search.s.survivors[k].shown
    if search.s.proof_dropped and search.s.root_snapshot >= 0:
        leaf[0] = search.s.root_snapshot
    elif search.s.working and (search.s.keep_proof or search.s.node.snapshot < 0):
        # Of its own and the inherited multipliers, those that prove more.
        own = search.s.saved >= 0 and (search.s.node.snapshot < 0 or search.s.saved_psi <= search.s.node.bound)
        leaf[search.s.node.record] = search.s.saved if own else search.s.node.snapshot
        if not own:
            shown[search.s.node.record] = search.s.node.shown
    nodes, fixings, firsts = np.empty(steps, np.int64), np.empty(steps, np.int64), np.empty(steps + 1, np.int64)
    cdef int64_t[::1] node = nodes, fixing = fixings, first = firsts
    for k in range(steps):
        node[k], first[k] = search.s.fixings[k].record, search.s.fixings[k].first_off
        fixing[k] = row[search.s.fixings[k].snapshot + (missing if search.s.fixings[k].snapshot < 0 else 0)]
    first[steps] = search.s.off_count
    for k in range(total):
        leaf[k] = row[leaf[k] + (missing if leaf[k] < 0 else 0)]
    offs = np.empty(search.s.off_count, np.int64)
    cdef int64_t[::1] off = offs
    for k in range(search.s.off_count):
        off[k] = search.s.offs[k]
    return {
        "parent": parents,
        "decision": decisions,
        "on": on.astype(bool),
        "multipliers_at": leaves,
        "shown_at": shown_at,
        "step_node": nodes,
        "step_multipliers": fixings,
        "step_first": firsts,
        "off": offs,
    }
