"""Sets of arcs that may stand together in a tree: chains downwards, and modifiers of one head."""

from __future__ import annotations

import numpy as np

from gapless.core.sparse import IntArray
from gapless_dependency.arcs import Arcs


def arc_chains(arcs: Arcs, width: int) -> IntArray:
    """Chains of `width` arcs, each from the modifier of the one before it; no word twice.

    Returns int64 (chains, width): the topmost arc first, sorted by the lowest one.
    """
    heads, modifiers, first = arcs.heads, arcs.modifiers, arcs.first
    sizes = first[1:] - first[:-1]
    columns = [np.arange(heads.size)]
    for _ in range(1, width):
        above = heads[columns[0]]
        counts = sizes[above]  # the root, position 0, has no arcs into it
        ends = counts.cumsum()
        chain = np.arange(above.size).repeat(counts)
        new = np.arange(chain.size) + (first[above] - ends + counts)[chain]
        head = heads[new]
        columns = [column[chain] for column in columns]
        fresh = head != modifiers[columns[0]]
        for column in columns[1:]:
            fresh &= head != modifiers[column]
        columns = [column[fresh] for column in (new, *columns)]
    return _as_rows(columns)


def arcs_of_one_head(arcs: Arcs, width: int) -> IntArray:
    """Sets of `width` arcs with a common head.

    Returns int64 (sets, width): ascending by modifier in each set; sorted by head.
    """
    order = np.argsort(arcs.heads, kind="stable")
    # For each arc, in order of heads, where the arcs of its head end.
    ends = np.cumsum(np.bincount(arcs.heads, minlength=arcs.length + 1))[arcs.heads[order]]
    columns = [np.arange(order.size)]
    for _ in range(1, width):
        last = columns[-1]
        counts = ends[last] - last - 1
        row = np.arange(last.size).repeat(counts)
        stops = counts.cumsum()
        new = np.arange(row.size) + (last + 1 - stops + counts)[row]
        columns = [*(column[row] for column in columns), new]
    return order[_as_rows(columns)]


def _as_rows(columns: list[IntArray]) -> IntArray:
    rows = np.empty((columns[0].size, len(columns)), np.int64)
    for number, column in enumerate(columns):
        rows[:, number] = column
    return rows
