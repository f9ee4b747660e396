"""The *Brancher* role: branch on the largest item first, because it shapes the roll."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gapless.roles import Branch, Brancher, Fixings, Relaxed
from gapless_cutting_stock.problem import CuttingStockProblem, Plan

INTEGRAL = 1e-6


class LargestItemFirst(Brancher[Plan]):
    """Two children from one fractional arc: the one of the largest item, then the smallest offset.

    Once every arc is used an integer number of times, there is a plan as good as the point (see
    `CuttingStockProblem.decode`), so the node closes without branching.

    Parameters
    ----------
    problem : CuttingStockProblem
    """

    def __init__(self, problem: CuttingStockProblem) -> None:
        arcs, quantity = problem.arcs, problem.decisions.quantity_of()
        self._size = np.asarray(problem.sizes)[arcs.item[quantity]]
        self._offset = arcs.offset[quantity]

    def split(self, fixings: Fixings, relaxed: Relaxed[Plan]) -> Sequence[Branch]:
        """*At least t rolls use the arc* first, then *fewer than t*."""
        free = fixings.free
        if not free.size:
            return ()
        distance = np.zeros(free.size) if relaxed.point is None else np.abs(relaxed.point[free] - 0.5)
        fractional = distance < 0.5 - INTEGRAL
        if np.any(fractional):
            free, distance = free[fractional], distance[fractional]
        first = np.lexsort((distance, self._offset[free], -self._size[free]))[0]
        chosen = int(free[first])
        return Branch(on=(chosen,), why="used"), Branch(off=(chosen,), why="used less")
