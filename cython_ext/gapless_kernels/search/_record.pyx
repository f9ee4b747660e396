# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The record of a search as arrays: nodes, fixing steps, and multipliers."""

from libc.stdint cimport int32_t, int64_t

import numpy as np

from gapless_kernels.lanes cimport _sets
from gapless_kernels.search._search cimport (
    GS_IN_STAR,
    GS_REPEATED,
    CompiledSearch,
    gs_fixing_step,
    gs_node,
    gs_search,
    gs_snapshot,
)

_sets.follow()


def record_of(CompiledSearch search):
    """Return the record as `CompiledSearch.record` documents it."""
    if not (search.s.proof.is_kept or search.s.proof.is_dropped):
        raise ValueError("no proof was kept: it was not asked for")
    cdef Py_ssize_t k, count = search.s.snapshots.count
    rows = np.empty(count + 2, np.int64)
    cdef int64_t[::1] row = rows
    cdef int64_t stored = 0
    row[count], row[count + 1] = -2, -1  # GS_ENUMERATED and none stay what they are, at the indices -2 and -1
    for k in range(count):
        row[k] = stored
        stored += search.s.snapshots.snapshot[k].multipliers != NULL
    return {
        "lifted": bool(search.s.options.is_lifted),
        **nodes_and_steps(search, row),
        **forms_of(search),
        **multipliers_of(search, stored),
    }


cdef forms_of(CompiledSearch search):
    """Return the side of the lower decisions of each block, 0 without a star, and pairs listed twice."""
    cdef Py_ssize_t b, c, first = 0, end
    cdef bint has_star
    orientation, alone = np.zeros(len(search.blocks), np.int64), []
    for b in range(len(search.blocks)):
        end = first + len(search.blocks[b][1])
        has_star = False
        for c in range(first, end):
            has_star |= search.s.stars.form[c] == GS_IN_STAR
            if search.s.stars.form[c] == GS_REPEATED:
                alone.append(c)
        orientation[b] = 2 - search.s.stars.side[b] if has_star else 0
        first = end
    return {"orientation": orientation, "alone": np.array(alone, np.int64)}


cdef multipliers_of(CompiledSearch search, Py_ssize_t stored):
    """Return the multipliers of all snapshots that are not 0, row by row, with scope and place in the scope.

    A multiplier of a scope of negative score is its charge, and gets a minus; prices follow the scopes.
    """
    cdef gs_search *s = &search.s
    cdef gs_snapshot *copy
    cdef Py_ssize_t k, i, slot, total = 0, at = 0, row = 0, c, prices = s.stars.cells + s.shared.slots
    for k in range(s.snapshots.count):
        copy = s.snapshots.snapshot + k
        for i in range(copy.count if copy.multipliers != NULL else 0):
            total += copy.multipliers[i] != 0.0
    first, scopes = np.zeros(stored + 1, np.int64), np.empty(total, np.int32)
    places, values = np.zeros(total, np.int32), np.empty(total)
    owners = np.zeros(s.shared.slots, np.int32)
    cdef int64_t[::1] begin = first
    cdef int32_t[::1] scope = scopes, place = places, owner = owners
    cdef double[::1] value = values
    for c in range(s.shared.count):
        for i in range(s.shared.first[c], s.shared.first[c + 1]):
            owner[i] = <int32_t>c
    for k in range(s.snapshots.count):
        copy = s.snapshots.snapshot + k
        if copy.multipliers == NULL:
            continue
        for i in range(copy.count):
            if copy.multipliers[i] == 0.0:
                continue
            value[at] = copy.multipliers[i]
            slot = i if copy.slot == NULL else copy.slot[i]
            if slot < s.stars.cells:
                if s.stars.scope[slot] < 0:
                    continue
                scope[at] = s.stars.scope[slot]
            elif slot >= prices:
                scope[at] = <int32_t>(s.input.scopes + slot - prices)
            else:
                slot -= s.stars.cells
                c = owner[slot]
                scope[at], place[at] = s.shared.scope[c], <int32_t>(slot - s.shared.first[c])
                if s.shared.score[c] < 0.0:
                    if place[at]:  # a charge has one multiplier
                        place[at] = 0
                        continue
                    value[at] = -value[at]
            at += 1
        row += 1
        begin[row] = at
    return {
        "row_first": first,
        "scopes": scopes[:at],
        "places": places[:at],
        "values": values[:at],
        "prices": int(s.factors.slots),
    }


cdef nodes_and_steps(CompiledSearch search, const int64_t[::1] row):
    """Return the nodes and the fixing steps, whose multipliers are named by `row`."""
    cdef gs_search *s = &search.s
    cdef gs_node *node
    cdef gs_fixing_step *step
    cdef Py_ssize_t k, total = s.proof.node_count, steps = s.proof.step_count, rows = row.shape[0]
    parents, decisions, on, leaves, shown_at = np.empty((5, total), np.int64)
    cdef int64_t[::1] parent = parents, decision = decisions, is_on = on, leaf = leaves, proved_at = shown_at
    for k in range(total):
        parent[k], decision[k] = s.proof.node[k].parent, s.proof.node[k].decision
        is_on[k], leaf[k], proved_at[k] = s.proof.node[k].on, s.proof.node[k].leaf_snapshot, k
    if s.proof.is_kept:
        for k in range(s.tree.open_count + s.tree.survivor_count):
            node = s.tree.open + k if k < s.tree.open_count else s.tree.survivor + (k - s.tree.open_count)
            leaf[node.record], proved_at[node.record] = node.snapshot, node.proved_at
    if s.proof.is_dropped and s.proof.root_snapshot >= 0:
        leaf[0] = s.proof.root_snapshot
    elif s.tree.is_in_node and (s.proof.is_kept or s.node.snapshot < 0):
        # Of the node's own and the inherited multipliers, those that prove the lower bound.
        if s.ascent.saved_snapshot >= 0 and (s.node.snapshot < 0 or s.ascent.saved_bound <= s.node.bound):
            leaf[s.node.record] = s.ascent.saved_snapshot
        else:
            leaf[s.node.record], proved_at[s.node.record] = s.node.snapshot, s.node.proved_at
    (nodes, multipliers), firsts = np.empty((2, steps), np.int64), np.empty(steps + 1, np.int64)
    cdef int64_t[::1] step_node = nodes, step_row = multipliers, first = firsts
    for k in range(steps):
        step = s.proof.step + k
        step_node[k], first[k] = step.record, step.first_off
        step_row[k] = row[step.snapshot + (rows if step.snapshot < 0 else 0)]
    first[steps] = s.proof.fixed_count
    for k in range(total):
        leaf[k] = row[leaf[k] + (rows if leaf[k] < 0 else 0)]
    offs = np.empty(s.proof.fixed_count, np.int64)
    cdef int64_t[::1] off = offs
    for k in range(s.proof.fixed_count):
        off[k] = s.proof.fixed[k]
    return {
        "parent": parents,
        "decision": decisions,
        "on": on.astype(bool),
        "multipliers_at": leaves,
        "shown_at": shown_at,
        "step_node": nodes,
        "step_multipliers": multipliers,
        "step_first": firsts,
        "off": offs,
    }
