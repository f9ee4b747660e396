"""The *Brancher* role: branch on the largest item first, because it shapes the roll."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gapless.roles import Branch, Brancher, Fixings, RelaxationResult
from gapless_cutting_stock.problem import CuttingStockProblem, Plan

INTEGRAL = 1e-6


class LargestItemFirst(Brancher[Plan]):
    """Two children from one fractional arc: of those of the largest item, the one that is used most.

    The first child then changes the point least, so that a search in depth dives along the flow.

    Once every arc is used an integer number of times, there is a plan as good as the point (see
    `CuttingStockProblem.decode`), so the node closes without branching.

    Parameters
    ----------
    problem : CuttingStockProblem
    """

    def __init__(self, problem: CuttingStockProblem) -> None:
        arcs, quantity = problem.arcs, problem.decisions.quantity_index()
        self._size = np.asarray(problem.sizes)[arcs.item[quantity]]
        self._offset = arcs.offset[quantity]

    def split(self, fixings: Fixings, relaxed: RelaxationResult[Plan]) -> Sequence[Branch]:
        """Branch on *at least t rolls use the arc* first, then on *fewer than t*."""
        free = fixings.free
        if not free.size:
            return ()
        part = np.zeros(free.size) if relaxed.point is None else relaxed.point[free]
        fractional = np.abs(part - 0.5) < 0.5 - INTEGRAL
        if np.any(fractional):
            free, part = free[fractional], part[fractional]
        first = np.lexsort((self._offset[free], -part, -self._size[free]))[0]
        chosen = int(free[first])
        return Branch(on=(chosen,), why="used"), Branch(off=(chosen,), why="used less")
