"""The *Oracle* role, second kind: the generator of missing patterns for the restricted master."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gapless.roles import Answer, Batch, Columns, Fixings, Generator, LinearView, Sparse
from gapless_cutting_stock.knapsack import KnapsackOracle
from gapless_cutting_stock.problem import CuttingStockProblem, Pattern

SMALLEST_GAIN = 1e-9


class PatternColumns:
    """Writes patterns as columns of the master: one unit in the row of each item, one use of each arc.

    Row keys are item types. Column keys are numbers in order of first appearance.
    """

    def __init__(self, problem: CuttingStockProblem) -> None:
        self.problem = problem
        self._keys: dict[Pattern, int] = {}

    def write(self, patterns: Sequence[Pattern]) -> Columns:
        """Columns for `patterns`; each roll costs 1, and the master maximises."""
        counted = [np.unique(np.array(pattern, np.int64), return_counts=True) for pattern in patterns]
        return Columns(
            keys=np.array([self._keys.setdefault(p, len(self._keys)) for p in patterns], np.int64),
            objective=-np.ones(len(patterns)),
            coefficients=Sparse.from_rows([c[0].tolist() for c in counted], [c[1].tolist() for c in counted]),
            uses=Sparse.from_rows([self.problem.arcs.of(pattern) for pattern in patterns]),
        )


class PatternPricing(Generator[LinearView]):
    """Finds patterns of positive reduced cost, and bounds the gain of all missing ones.

    Parameters
    ----------
    columns : PatternColumns
    """

    def __init__(self, columns: PatternColumns) -> None:
        self.columns = columns
        self.problem = columns.problem
        self.oracle = KnapsackOracle(self.problem.arcs)
        self.items = np.arange(len(self.problem.sizes))
        self._nothing_fixed = Fixings.none(len(self.problem.arcs))

    def query(self, view: LinearView, *, limit: int | None = None) -> Answer:
        """The best pattern for each largest item that improves the master."""
        arcs = self.problem.arcs
        item_prices = -view.prices(self.items)
        weights = item_prices[arcs.item] - view.usage_prices()
        found = self.oracle.by_largest_item(weights, self._nothing_fixed)
        improving = [(v - view.objective_weight, p) for v, p in found if v - view.objective_weight > SMALLEST_GAIN]
        if not improving:
            # Gains too small for a column still loosen the bound.
            left = max(0.0, found[0][0] - view.objective_weight) if found else 0.0
            return Answer(slack=self._slack(view, left) or 0.0, scored=len(found))
        batch = Batch(self.columns.write([pattern for _, pattern in improving[:limit]]))
        return Answer(batch, self._slack(view, improving[0][0]), scored=len(found))

    def _slack(self, view: LinearView, best_gain: float) -> float | None:
        """Upper bound on the complete master minus the restricted one, by Farley (1990).

        Every roll of the complete master gains at most `best_gain`, so that its N rolls satisfy
        ``-N <= -rolls + best_gain * N``, where `rolls` is the optimum of the restricted master. Therefore
        ``N >= rolls / (1 + best_gain)``.
        """
        if view.objective_weight == 0:
            return None  # the restricted master is infeasible, there is no bound to improve
        rolls = self._restricted_rolls(view)
        return max(0.0, rolls * best_gain / (1 + best_gain))

    def _restricted_rolls(self, view: LinearView) -> float:
        """The optimum of the restricted master, from its prices: demands times prices, and the terms of fixings."""
        least, most = self.problem.use_limits(view.fixings)
        arc_prices = np.where(most > 0, view.usage_prices(), 0.0)
        fixed = np.where(arc_prices > 0, arc_prices * most, arc_prices * least).sum()
        return float(-view.prices(self.items) @ self.problem.demands - fixed)
