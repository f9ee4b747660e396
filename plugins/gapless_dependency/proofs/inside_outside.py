"""Max-plus recursions over charts that can be run backwards: best totals through every item."""

from __future__ import annotations

from typing import Any

import numpy as np

from gapless.arrays.sparse import FloatArray
from gapless.roles import charge_work


class Chart:
    """Items of a dynamic program, or scores whose outside values are needed.

    Parameters
    ----------
    inside : float64
        The best sum within each item; -inf where it is impossible.

    Attributes
    ----------
    outside : float64
        After `Recursion.backwards`, the best sum of what is added to each item.
    """

    def __init__(self, inside: FloatArray) -> None:
        self.inside = inside
        self.outside = np.full(inside.shape, -np.inf)


Items = tuple[Chart, tuple[Any, ...]]
"""Items of a chart, given by one index array for each axis; the arrays are broadcast against each other."""

Scores = tuple[FloatArray, tuple[Any, ...]]
"""Scores, given in the same way: they are looked up when they are summed, which saves memory."""


class Recursion:
    """A record of the steps by which items are combined, to be run backwards."""

    def __init__(self) -> None:
        self._steps: list[tuple[Items, tuple[Items | Scores, ...]]] = []

    def best(self, made: Items, *parts: Items | Scores) -> None:
        """Raise items to the best sum of their parts.

        `*parts`: complete items. The last axis, over which the maximum is taken, follows the axes of the items.
        """
        total = _sum(parts)
        charge_work(10 * total.size, 20)
        if total.shape[-1]:
            chart, index = made
            chart.inside[index] = np.maximum(chart.inside[index], total.max(axis=-1))
            self._steps.append((made, parts))

    def through(self, arcs: Chart, through: bool) -> FloatArray:
        """Return the best total through each arc; -inf throughout unless `through`."""
        if not through:
            return np.full(arcs.inside.shape, -np.inf)
        self.backwards()
        each: FloatArray = arcs.inside + arcs.outside
        return each

    def backwards(self) -> None:
        """Compute outside sums of all items, from those that the caller has set for whole structures.

        An item that is a part of several items of one step is reduced over them: its index arrays have an axis of
        length one there.
        """
        for (chart, index), parts in reversed(self._steps):
            charge_work(0, 20 * len(parts))
            above = chart.outside[index][..., None]
            for number, (within, where) in enumerate(parts):
                if isinstance(within, Chart):
                    around = above + _sum((*parts[:number], *parts[number + 1 :]))
                    charge_work(10 * around.size)
                    shape = np.broadcast_shapes(*map(np.shape, where))
                    repeated = tuple(a for a, (n, m) in enumerate(zip(around.shape, shape, strict=True)) if n > m)
                    # Plain fancy assignment would keep only one of the values for a repeated item.
                    around = around.max(axis=repeated, keepdims=True)
                    within.outside[where] = np.maximum(within.outside[where], around)


def _sum(parts: tuple[Items | Scores, ...]) -> FloatArray:
    total: FloatArray = np.zeros(())
    for chart, index in parts:
        total = total + (chart.inside if isinstance(chart, Chart) else chart)[index]
    return total
