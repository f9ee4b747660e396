"""The role *Oracle*, second kind: the generator that gives the restricted master its missing patterns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import gapless as gl
from gapless_cutting_stock.knapsack import KnapsackOracle
from gapless_cutting_stock.problem import CuttingStockProblem, Pattern

SMALLEST_GAIN = 1e-9


class PatternColumns:
    """Writes patterns as columns of the master: one unit in the row of each item, one use of each arc.

    Row keys are item types. Column keys are numbers given in the order of first appearance.
    """

    def __init__(self, problem: CuttingStockProblem) -> None:
        self.problem = problem
        self._keys: dict[Pattern, int] = {}

    def write(self, patterns: Sequence[Pattern]) -> gl.Columns:
        """Columns for `patterns`; each roll costs 1, and the master maximises."""
        counted = [np.unique(np.array(pattern, np.int64), return_counts=True) for pattern in patterns]
        return gl.Columns(
            keys=np.array([self._keys.setdefault(p, len(self._keys)) for p in patterns], np.int64),
            objective=-np.ones(len(patterns)),
            coefficients=gl.Sparse.from_rows([c[0].tolist() for c in counted], [c[1].tolist() for c in counted]),
            uses=gl.Sparse.from_rows([self.problem.arcs.of(pattern) for pattern in patterns]),
        )


class PatternPricing(gl.Generator[gl.LinearView]):
    """Finds patterns of positive reduced cost, and says how much all missing ones together can be worth.

    Parameters
    ----------
    columns : PatternColumns
    """

    def __init__(self, columns: PatternColumns) -> None:
        self.columns = columns
        self.problem = columns.problem
        self.oracle = KnapsackOracle(self.problem.arcs)
        self.items = np.arange(len(self.problem.sizes))
        self._nothing_fixed = gl.Fixings.none(len(self.problem.arcs))

    def query(self, view: gl.LinearView, *, limit: int | None = None) -> gl.Answer:
        """The best pattern for each largest item, as far as it improves the master."""
        arcs = self.problem.arcs
        item_prices = -view.prices(self.items)
        weights = item_prices[arcs.item] - view.usage_prices()
        found = self.oracle.by_largest_item(weights, self._nothing_fixed)
        improving = [(v - view.objective_weight, p) for v, p in found if v - view.objective_weight > SMALLEST_GAIN]
        if not improving:
            # Gains too small for a column still loosen the bound.
            left = max(0.0, found[0][0] - view.objective_weight) if found else 0.0
            return gl.Answer(slack=self._slack(view, left) or 0.0, scored=len(found))
        batch = gl.Batch(self.columns.write([pattern for _, pattern in improving[:limit]]))
        return gl.Answer(batch, self._slack(view, improving[0][0]), scored=len(found))

    def _slack(self, view: gl.LinearView, best_gain: float) -> float | None:
        """How far the complete master is above the restricted one, by Farley (1990).

        Every roll of the complete master gains at most `best_gain`, so that its N rolls satisfy
        ``-N <= -rolls + best_gain * N``, where `rolls` is the optimum of the restricted master. Therefore
        ``N >= rolls / (1 + best_gain)``.
        """
        if view.objective_weight == 0:
            return None  # the restricted master is infeasible, there is no bound to improve
        rolls = self._restricted_rolls(view)
        return max(0.0, rolls * best_gain / (1 + best_gain))

    def _restricted_rolls(self, view: gl.LinearView) -> float:
        """The optimum of the restricted master, from its prices: demands times prices, and what the fixings add."""
        least, most = self.problem.use_limits(view.fixings)
        arc_prices = np.where(most > 0, view.usage_prices(), 0.0)
        fixed = np.where(arc_prices > 0, arc_prices * most, arc_prices * least).sum()
        return float(-view.prices(self.items) @ self.problem.demands - fixed)
