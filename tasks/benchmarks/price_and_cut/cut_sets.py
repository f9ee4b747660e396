"""Violated cut-sets of a point: sets of words that it enters by less than one unit."""

from __future__ import annotations

import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless_dependency import Arcs

_VIOLATED = 1e-7
_UNIT = 10**8
"""The maximum flow wants whole capacities."""


def violated_cut_sets(arcs: Arcs, point: FloatArray) -> list[IntArray]:
    """Find rows ``sum of these arcs >= 1`` that every tree satisfies and `point` does not.

    The strongly connected components of the support come first: in an integral point they are its cycles. When
    they show nothing, a minimum cut is asked for each word.

    Parameters
    ----------
    point : float64 (arcs,)

    Returns
    -------
    list of int64 (entering,)
        The arcs into each set, every set once; empty when `point` is in the arborescence polytope up to 1e-7.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415  the extra `tasks` brings it
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    size = arcs.length + 1
    on = point > _VIOLATED
    places = (arcs.heads[on], arcs.modifiers[on])
    component = connected_components(csr_array((point[on], places), (size, size)), connection="strong")[1]
    found = []
    for number in np.flatnonzero(np.bincount(component) > 1):
        entering = _entering(arcs, component == number)
        if point[entering].sum() < 1 - _VIOLATED:
            found.append(entering)
    return found or _minimum_cuts(arcs, point, on)


def _entering(arcs: Arcs, inside: BoolArray) -> IntArray:
    return np.flatnonzero(inside[arcs.modifiers] & ~inside[arcs.heads])


def _minimum_cuts(arcs: Arcs, point: FloatArray, on: BoolArray) -> list[IntArray]:
    from scipy.sparse import csr_array  # noqa: PLC0415
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow  # noqa: PLC0415

    if np.all(point[on] > 1 - _VIOLATED):
        return []  # one head for each word and no cycle: a tree
    size = arcs.length + 1
    whole = np.rint(point[on] * _UNIT).astype(np.int32)
    graph = csr_array((whole, (arcs.heads[on], arcs.modifiers[on])), (size, size))
    found: dict[bytes, IntArray] = {}
    for word in range(1, size):
        flow = maximum_flow(graph, 0, word)
        if flow.flow_value < (1 - 10 * _VIOLATED) * _UNIT:
            left = csr_array(graph - flow.flow)
            left.eliminate_zeros()
            inside = np.ones(size, bool)
            inside[breadth_first_order(left, 0, return_predecessors=False)] = False
            found[inside.tobytes()] = _entering(arcs, inside)
    return [entering for entering in found.values() if point[entering].sum() < 1 - _VIOLATED]
