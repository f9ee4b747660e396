# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Compiled kernels for higher-order projective parsing; see the twin `_eisner_higher_twin` for what each owes.

The dynamic programs are in plain C; here arguments are checked and laid out, and the GIL is released.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t

import numpy as np

from gapless_kernels.parsing._higher_arguments import check_parts
from gapless_kernels.parsing._arguments import check_weights
from gapless_kernels.lanes cimport _sets

_sets.follow()


cdef extern from "parsing/sibling.h" nogil:
    ctypedef struct sibling_model:
        pass
    size_t sibling_charts(Py_ssize_t) noexcept
    sibling_model sibling_open(Py_ssize_t, const double *, const double *, int, double *) noexcept
    double sibling_inside(sibling_model *) noexcept
    void sibling_outside(sibling_model *, double *) noexcept
    void sibling_trace(const sibling_model *, int64_t *) noexcept

cdef extern from "parsing/carreras.h" nogil:
    ctypedef struct carreras_model:
        pass
    size_t carreras_charts(Py_ssize_t) noexcept
    carreras_model carreras_open(
        Py_ssize_t, const double *, const double *, const double *, int, double *
    ) noexcept
    double carreras_inside(carreras_model *) noexcept
    void carreras_outside(carreras_model *, double *) noexcept
    void carreras_trace(const carreras_model *, int64_t *) noexcept

cdef extern from "parsing/grand_sibling.h" nogil:
    ctypedef struct grand_model:
        pass
    size_t grand_charts(Py_ssize_t) noexcept
    grand_model grand_open(
        Py_ssize_t, const double *, const double *, const double *, const double *, int, double *
    ) noexcept
    double grand_inside(grand_model *) noexcept
    void grand_outside(grand_model *, double *) noexcept
    void grand_trace(const grand_model *, int64_t *) noexcept


cdef double solve_sibling(
    const double[:, ::1] weights,
    const double *parts,
    bint single_root,
    double[::1] work,
    int64_t[::1] heads,
    double *marginals,
) noexcept nogil:
    """The best value; fill `heads` with -1 where there is no tree, and `marginals` unless that is NULL."""
    cdef sibling_model model = sibling_open(weights.shape[0] - 1, &weights[0, 0], parts, single_root, &work[0])
    cdef double value = sibling_inside(&model)
    heads[:] = -1
    if value > -INFINITY:
        sibling_trace(&model, &heads[0])
    if marginals != NULL:
        sibling_outside(&model, marginals)
    return value


cdef double solve_carreras(
    const double[:, ::1] weights,
    const double[:, :, ::1] sibling,
    const double[:, :, ::1] grandchild,
    bint single_root,
    double[::1] work,
    int64_t[::1] heads,
    double *marginals,
) noexcept nogil:
    """As `solve_sibling`."""
    cdef carreras_model model = carreras_open(
        weights.shape[0] - 1, &weights[0, 0], &sibling[0, 0, 0], &grandchild[0, 0, 0], single_root, &work[0]
    )
    cdef double value = carreras_inside(&model)
    heads[:] = -1
    if value > -INFINITY:
        carreras_trace(&model, &heads[0])
    if marginals != NULL:
        carreras_outside(&model, marginals)
    return value


cdef double solve_grand_sibling(
    const double[:, ::1] weights,
    const double[:, :, ::1] grandchild,
    const double[:, :, ::1] sibling,
    const double *grand_sibling,
    bint single_root,
    double[::1] work,
    int64_t[::1] heads,
    double *marginals,
) noexcept nogil:
    """As `solve_sibling`."""
    cdef grand_model model = grand_open(
        weights.shape[0] - 1,
        &weights[0, 0],
        &grandchild[0, 0, 0],
        &sibling[0, 0, 0],
        grand_sibling,
        single_root,
        &work[0],
    )
    cdef double value = grand_inside(&model)
    heads[:] = -1
    if value > -INFINITY:
        grand_trace(&model, &heads[0])
    if marginals != NULL:
        grand_outside(&model, marginals)
    return value


# --- the public functions: check, lay out, release the GIL ------------------------------------------------------

def _or_zeros(parts, size):
    return np.zeros((size, size, size)) if parts is None else parts


cdef tuple run_sibling(weights, sibling, bint single_root, bint outside):
    cdef const double[:, ::1] table = check_weights(weights)
    cdef Py_ssize_t size = table.shape[0]
    given = check_parts("sibling", sibling, size, (0, 2, 1))
    cdef const double[:, :, ::1] parts
    cdef const double *scores = NULL
    if given is not None:
        parts = given
        scores = &parts[0, 0, 0]
    marginals = np.empty((size, size)) if outside else None
    cdef double[:, ::1] rows
    cdef double *target = NULL
    if outside:
        rows = marginals
        target = &rows[0, 0]
    heads = np.empty(size, np.int64)
    cdef int64_t[::1] found = heads
    cdef double[::1] work = np.empty((2 if outside else 1) * sibling_charts(size - 1))
    cdef double value
    with nogil:
        value = solve_sibling(table, scores, single_root, work, found, target)
    return (value, heads, marginals) if outside else (value, heads)


cdef tuple run_carreras(weights, sibling, grandchild, bint single_root, bint outside):
    cdef const double[:, ::1] table = check_weights(weights)
    cdef Py_ssize_t size = table.shape[0]
    cdef const double[:, :, ::1] siblings = _or_zeros(check_parts("sibling", sibling, size, (0, 2, 1)), size)
    cdef const double[:, :, ::1] grandchildren = _or_zeros(
        check_parts("grandchild", grandchild, size, (0, 1, 2)), size
    )
    marginals = np.empty((size, size)) if outside else None
    cdef double[:, ::1] rows
    cdef double *target = NULL
    if outside:
        rows = marginals
        target = &rows[0, 0]
    heads = np.empty(size, np.int64)
    cdef int64_t[::1] found = heads
    cdef double[::1] work = np.empty((2 if outside else 1) * carreras_charts(size - 1))
    cdef double value
    with nogil:
        value = solve_carreras(table, siblings, grandchildren, single_root, work, found, target)
    return (value, heads, marginals) if outside else (value, heads)


cdef tuple run_grand_sibling(weights, grandchild, sibling, grand_sibling, bint single_root, bint outside):
    cdef const double[:, ::1] table = check_weights(weights)
    cdef Py_ssize_t size = table.shape[0]
    cdef const double[:, :, ::1] grandchildren = _or_zeros(
        check_parts("grandchild", grandchild, size, (1, 2, 0)), size
    )
    cdef const double[:, :, ::1] siblings = _or_zeros(check_parts("sibling", sibling, size, (0, 2, 1)), size)
    given = check_parts("grand_sibling", grand_sibling, size, (1, 3, 2, 0))
    cdef const double[:, :, :, ::1] parts
    cdef const double *scores = NULL
    if given is not None:
        parts = given
        scores = &parts[0, 0, 0, 0]
    marginals = np.empty((size, size)) if outside else None
    cdef double[:, ::1] rows
    cdef double *target = NULL
    if outside:
        rows = marginals
        target = &rows[0, 0]
    heads = np.empty(size, np.int64)
    cdef int64_t[::1] found = heads
    cdef double[::1] work = np.empty((2 if outside else 1) * grand_charts(size - 1))
    cdef double value
    with nogil:
        value = solve_grand_sibling(
            table, grandchildren, siblings, scores, single_root, work, found, target
        )
    return (value, heads, marginals) if outside else (value, heads)


def eisner_sibling(weights, sibling, single_root):
    """Find a best projective tree with adjacent siblings; see `_eisner_higher_twin.eisner_sibling`."""
    return run_sibling(weights, sibling, single_root, False)


def eisner_sibling_max_marginals(weights, sibling, single_root):
    """The same with max-marginals; see `_eisner_higher_twin.eisner_sibling_max_marginals`."""
    return run_sibling(weights, sibling, single_root, True)


def eisner_carreras(weights, sibling, grandchild, single_root):
    """Find a best projective tree with outermost grandchildren; see `_eisner_higher_twin.eisner_carreras`."""
    return run_carreras(weights, sibling, grandchild, single_root, False)


def eisner_carreras_max_marginals(weights, sibling, grandchild, single_root):
    """The same with max-marginals; see `_eisner_higher_twin.eisner_carreras_max_marginals`."""
    return run_carreras(weights, sibling, grandchild, single_root, True)


def eisner_grand_sibling(weights, grandchild, sibling, grand_sibling, single_root):
    """Find a best projective tree with grand-siblings; see `_eisner_higher_twin.eisner_grand_sibling`."""
    return run_grand_sibling(weights, grandchild, sibling, grand_sibling, single_root, False)


def eisner_grand_sibling_max_marginals(weights, grandchild, sibling, grand_sibling, single_root):
    """The same with max-marginals; see `_eisner_higher_twin.eisner_grand_sibling_max_marginals`."""
    return run_grand_sibling(weights, grandchild, sibling, grand_sibling, single_root, True)
