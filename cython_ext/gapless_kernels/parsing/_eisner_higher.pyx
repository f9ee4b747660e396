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


cdef tuple run(const eisner_order *order, weights, parts, bint single_root, bint outside):
    """Check, lay out and solve. `parts`: name, scores, order of the axes, whether zeros replace None."""
    cdef const double *scores[3]
    cdef Py_ssize_t i
    weights = check_weights(weights)
    cdef Py_ssize_t size = len(weights)
    tables = []
    for i, (name, values, axes, filled) in enumerate(parts):
        table = check_parts(name, values, size, axes)
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


cdef tuple run_sibling(weights, sibling, bint single_root, bint outside):
    parts = [("sibling", sibling, (0, 2, 1), False)]
    return run(&sibling_order, weights, parts, single_root, outside)


cdef tuple run_carreras(weights, sibling, grandchild, bint single_root, bint outside):
    parts = [("sibling", sibling, (0, 2, 1), True), ("grandchild", grandchild, (0, 1, 2), True)]
    return run(&carreras_order, weights, parts, single_root, outside)


cdef tuple run_grand_sibling(weights, grandchild, sibling, grand_sibling, bint single_root, bint outside):
    parts = [
        ("grandchild", grandchild, (1, 2, 0), True),
        ("sibling", sibling, (0, 2, 1), True),
        ("grand_sibling", grand_sibling, (1, 3, 2, 0), False),
    ]
    return run(&grand_order, weights, parts, single_root, outside)


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
