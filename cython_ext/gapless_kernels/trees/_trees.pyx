# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Compiled kernels for trees; the twin `_trees_twin` documents their contracts.

Messages go from children to parents. The pair scores are stored child first, so that the entries of a
message, one for each label of the parent, are neighbours in memory. Only maxima are stored; the backtrace
finds a node's label again from its parent's. Sums are made in the twin's order and rounded as it rounds them,
so the results are the twin's bit by bit.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t

import numpy as np

from gapless_kernels._arguments import (
    check_offsets, check_output, check_parents, check_square, check_tree, check_type, owned
)
from gapless_kernels.lanes cimport _sets

_sets.follow()

cdef extern from "trees/rows.h" nogil:
    Py_ssize_t argmax_f64(const double *, Py_ssize_t) noexcept
    void offers_f64(const double *, const double *, Py_ssize_t, Py_ssize_t, double *) noexcept
    void offers_from(
        const double *, const double *, Py_ssize_t, const int64_t *, Py_ssize_t, double *
    ) noexcept
    void receive(double *, const double *, Py_ssize_t) noexcept
    Py_ssize_t survivors(const double *, const double *, double, Py_ssize_t, int64_t *) noexcept
    void raise_leads(double *, const double *, double, Py_ssize_t) noexcept


# --- one tree: rows begin to end - 1

cdef int64_t upward(
    const int64_t[::1] parents,
    Py_ssize_t begin,
    Py_ssize_t end,
    const double[:, :, ::1] child_first,
    const double[:, ::1] leads,
    double[:, ::1] messages,
    double[::1] row,
    int64_t[::1] members,
) noexcept nogil:
    """Fill `messages`, which hold the label scores, from the survivors; return their number.

    Without leads (no rows) all labels survive, and `members` lists them; otherwise it is workspace, as `row`.
    """
    cdef Py_ssize_t k = messages.shape[1], i, best, count = k, edge = 0
    cdef bint varying = child_first.shape[0] > 1, pruned = leads.shape[0] > 0
    cdef int64_t total = 0
    for i in range(end - 1, begin - 1, -1):
        if parents[i] < 0:
            total += 1
            continue
        if varying:
            edge = i
        if pruned:
            best = argmax_f64(&messages[i, 0], k)
            count = 0
            # Nothing survives where nothing is allowed; the difference of two -inf would be NaN.
            if messages[i, best] > -INFINITY:
                count = survivors(&messages[i, 0], &leads[best, 0], messages[i, best], k, &members[0])
        offers_from(&messages[i, 0], &child_first[edge, 0, 0], k, &members[0], count, &row[0])
        receive(&messages[begin + parents[i], 0], &row[0], k)
        total += count
    return total


cdef double trace(
    const double[:, ::1] unary,
    const int64_t[::1] parents,
    Py_ssize_t begin,
    Py_ssize_t end,
    const double[:, :, ::1] transition,
    const double[:, ::1] messages,
    double[::1] sums,
    int64_t[:] labels,
) noexcept nogil:
    """Write the labelling that `messages` prove and return its score, summed from the first node on."""
    cdef Py_ssize_t k = unary.shape[1], i, above, y, edge = 0
    cdef bint varying = transition.shape[0] > 1
    cdef double total = 0.0
    for i in range(begin, end):
        if parents[i] < 0:
            y = argmax_f64(&messages[i, 0], k)
            if messages[i, y] == -INFINITY:
                labels[begin:end] = -1
                return -INFINITY
        else:
            if varying:
                edge = i
            above = labels[begin + parents[i]]
            offers_f64(&messages[i, 0], &transition[edge, above, 0], 1, k, &sums[0])
            y = argmax_f64(&sums[0], k)
            total += transition[edge, above, y]
        labels[i] = y
        total = unary[i, y] + total
    return total


# --- many trees

cdef void decode(
    const double[:, ::1] unary,
    const int64_t[::1] parents,
    const int64_t[::1] offsets,
    const double[:, :, ::1] transition,
    const double[:, :, ::1] child_first,
    const double[:, ::1] leads,
    double[:, ::1] messages,
    double[::1] row,
    int64_t[::1] members,
    int64_t[:] labels,
    double[:] values,
    int64_t[:] survived,
) noexcept:
    cdef Py_ssize_t t
    with nogil:
        messages[:, :] = unary
        for t in range(values.shape[0]):
            survived[t] = upward(
                parents, offsets[t], offsets[t + 1], child_first, leads, messages, row, members
            )
            values[t] = trace(unary, parents, offsets[t], offsets[t + 1], transition, messages, row, labels)


cdef void fill_leads(const double[:, ::1] transition, double[:, ::1] leads) noexcept:
    cdef Py_ssize_t k = transition.shape[0], above, y
    with nogil:
        leads[:, :] = -INFINITY
        for y in range(k):
            for above in range(k):
                raise_leads(&leads[y, 0], &transition[above, 0], transition[above, y], k)


# --- the public functions: check, lay out, release the GIL

NO_LEADS = np.empty((0, 0))


cdef run(unary, parents, offsets, transition, child_first, leads, messages, labels, values, survived):
    """Check what both kernels have in common, lay out and decode; `transition` has been checked."""
    n, k = unary.shape
    parents, offsets = owned(parents, offsets)
    trees = check_offsets(offsets, n)
    check_parents(parents, offsets)
    check_output("messages", messages, (n, k), np.float64)
    check_output("labels", labels, (n,), np.int64)
    check_output("values", values, (trees,), np.float64)
    if survived is None:
        survived = np.empty(trees, np.int64)
    else:
        check_output("survived", survived, (trees,), np.int64)
    rows = messages if messages.flags.c_contiguous else np.empty((n, k))
    decode(
        np.ascontiguousarray(unary),
        np.ascontiguousarray(parents),
        np.ascontiguousarray(offsets),
        transition,
        child_first,
        leads,
        rows,
        np.empty(k),
        np.arange(k),
        labels,
        values,
        survived,
    )
    if rows is not messages:
        messages[...] = rows


def tree_viterbi(unary, parents, offsets, transition, messages, labels, values):
    """Find a best labelling of each of many trees; see `_trees_twin.tree_viterbi`.

    Works on a transposed copy of `transition`.
    """
    _, k = check_tree(unary, transition)
    pairs = np.ascontiguousarray(transition).reshape(-1, k, k)
    child_first = np.ascontiguousarray(pairs.transpose(0, 2, 1))
    run(unary, parents, offsets, pairs, child_first, NO_LEADS, messages, labels, values, None)


def tree_dominance(
    unary, parents, offsets, transition, child_first, leads, messages, labels, values, survived
):
    """Find best labellings of many trees from undominated labels; see `_trees_twin.tree_dominance`."""
    _, k = check_tree(unary, transition, one_transition=True)
    check_square("child_first", child_first, k)
    check_square("leads", leads, k)
    check_type("survived", survived, np.int64)
    pairs, child_first = np.ascontiguousarray(transition)[None], np.ascontiguousarray(child_first)[None]
    run(
        unary, parents, offsets, pairs, child_first, np.ascontiguousarray(leads), messages, labels, values,
        survived
    )


def parent_leads(transition, leads):
    """Compute by how much one label of a child can lead another; see `_trees_twin.parent_leads`."""
    k = check_square("transition", transition)
    check_output("leads", leads, (k, k), np.float64)
    table = leads if leads.flags.c_contiguous else np.empty((k, k))
    fill_leads(np.ascontiguousarray(transition), table)
    # Each difference was rounded to nearest; the next number above the largest is never below the truth.
    leads[...] = np.where(table > -np.inf, np.nextafter(table, np.inf), -np.inf)
