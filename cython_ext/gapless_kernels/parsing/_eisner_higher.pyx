# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Compiled kernels for higher-order projective parsing; the twin `_eisner_higher_twin` documents
their contracts.

The dynamic programs are in plain C; here arguments are checked and laid out, and the GIL is released.
"""

from libc.stdint cimport int64_t

import numpy as np

from gapless_kernels.parsing._arguments import check_parts, check_weights
from gapless_kernels.lanes.arrays cimport address
from gapless_kernels.lanes cimport _sets
from gapless_kernels.parsing.orders cimport carreras_order, eisner_order, grand_order, sibling_order

_sets.follow()


# Of each order's parts: the name, the axes of the kernel's array, and whether zeros replace None.
SIBLING = (("sibling", (0, 2, 1), False),)
CARRERAS = ("sibling", (0, 2, 1), True), ("grandchild", (0, 1, 2), True)
GRAND_SIBLING = (
    ("grandchild", (1, 2, 0), True),
    ("sibling", (0, 2, 1), True),
    ("grand_sibling", (1, 3, 2, 0), False),
)


cdef tuple run(const eisner_order *order, kinds, parts, weights, bint single_root, bint outside):
    """Check, lay out and solve."""
    cdef const double *scores[3]
    cdef Py_ssize_t i
    weights = check_weights(weights)
    cdef Py_ssize_t size = len(weights)
    tables = []
    for i, (name, axes, filled) in enumerate(kinds):
        table = check_parts(name, parts[i], size, axes)
        tables.append(np.zeros((size,) * len(axes)) if filled and table is None else table)
        scores[i] = <const double *>address(tables[i])
    work = np.empty((2 if outside else 1) * order.charts(size - 1))
    heads = np.empty(size, np.int64)
    marginals = np.empty((size, size)) if outside else None
    cdef const double *arcs = <const double *>address(weights)
    cdef double *charts = <double *>address(work)
    cdef int64_t *tree = <int64_t *>address(heads)
    cdef double *target = <double *>address(marginals)
    cdef double value
    with nogil:
        value = order.best(size - 1, arcs, scores, single_root, charts, tree)
        if outside:
            order.max_marginals(size - 1, arcs, scores, single_root, charts, target)
    return (value, heads, marginals) if outside else (value, heads)


def eisner_sibling(weights, sibling, single_root):
    """Find a best projective tree with adjacent siblings; see `_eisner_higher_twin.eisner_sibling`."""
    return run(&sibling_order, SIBLING, (sibling,), weights, single_root, False)


def eisner_sibling_max_marginals(weights, sibling, single_root):
    """Solve it with max-marginals; see `_eisner_higher_twin.eisner_sibling_max_marginals`."""
    return run(&sibling_order, SIBLING, (sibling,), weights, single_root, True)


def eisner_carreras(weights, sibling, grandchild, single_root):
    """Find a best projective tree with outermost grandchildren; see `_eisner_higher_twin.eisner_carreras`."""
    return run(&carreras_order, CARRERAS, (sibling, grandchild), weights, single_root, False)


def eisner_carreras_max_marginals(weights, sibling, grandchild, single_root):
    """Solve it with max-marginals; see `_eisner_higher_twin.eisner_carreras_max_marginals`."""
    return run(&carreras_order, CARRERAS, (sibling, grandchild), weights, single_root, True)


def eisner_grand_sibling(weights, grandchild, sibling, grand_sibling, single_root):
    """Find a best projective tree with grand-siblings; see `_eisner_higher_twin.eisner_grand_sibling`."""
    return run(&grand_order, GRAND_SIBLING, (grandchild, sibling, grand_sibling), weights, single_root, False)


def eisner_grand_sibling_max_marginals(weights, grandchild, sibling, grand_sibling, single_root):
    """Solve it with max-marginals; see `_eisner_higher_twin.eisner_grand_sibling_max_marginals`."""
    return run(&grand_order, GRAND_SIBLING, (grandchild, sibling, grand_sibling), weights, single_root, True)
