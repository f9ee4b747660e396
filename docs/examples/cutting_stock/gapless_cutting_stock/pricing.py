"""The *Oracle* role, second kind: the generator of missing patterns and subset rows for the restricted master."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gapless.roles import Batch, Columns, Fixings, Generator, GeneratorResult, LinearView, Rows, Sparse
from gapless_cutting_stock.knapsack import KnapsackOracle, Priced
from gapless_cutting_stock.labels import LabelSearch
from gapless_cutting_stock.problem import CuttingStockProblem, Pattern
from gapless_cutting_stock.subset_rows import SubsetRows, counted

SMALLEST_GAIN = 1e-9
NO_KEYS = np.zeros(0, np.int64)


class PatternColumns:
    """Patterns as columns of the master: their items in the rows of types, one use of each arc.

    Row keys are item types, and those of `SubsetRows`. Column keys are numbers in order of first appearance.

    Parameters
    ----------
    problem : CuttingStockProblem
    rows : SubsetRows, optional
    """

    def __init__(self, problem: CuttingStockProblem, rows: SubsetRows | None = None) -> None:
        self.problem, self.rows = problem, rows or SubsetRows(problem.demands)
        self._keys: dict[Pattern, int] = {}
        self._counts = np.zeros((64, len(problem.sizes)), np.int64)

    def write(self, patterns: Sequence[Pattern], row_keys: NDArray[np.int64] = NO_KEYS) -> Columns:
        """Write `patterns` as columns with the subset rows `row_keys`; a roll costs 1, and the master maximises."""
        counts = counted(patterns, len(self.problem.sizes))
        entries = np.concatenate([counts, self.rows.coefficients(counts, self.rows.triples(row_keys))], axis=1)
        rows = np.concatenate([np.arange(len(self.problem.sizes)), row_keys])
        nonzero = [np.flatnonzero(entry) for entry in entries]
        keys = np.array([self._keys.setdefault(p, len(self._keys)) for p in patterns], np.int64)
        while len(self._counts) < len(self._keys):
            self._counts = np.concatenate([self._counts, np.zeros_like(self._counts)])
        self._counts[keys] = counts
        return Columns(
            keys=keys,
            objective=-np.ones(len(patterns)),
            coefficients=Sparse.from_rows(
                [rows[at].tolist() for at in nonzero],
                [entry[at].tolist() for entry, at in zip(entries, nonzero, strict=True)],
            ),
            uses=Sparse.from_rows([self.problem.arcs.of(pattern) for pattern in patterns]),
        )

    def counts(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count the items of each type in existing columns, int64 (columns, types)."""
        return self._counts[keys]


class PatternPricing(Generator[LinearView]):
    """Generator of patterns of positive reduced cost, with a bound on all missing ones.

    Once no pattern is missing, it finds subset rows that the point violates. Their prices make the pricing of
    patterns harder (`LabelSearch`), so there are few, and only where they may lift the bound to a whole number.

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

    @cached_property
    def _labels(self) -> LabelSearch:
        return LabelSearch(self.oracle)

    def query(self, view: LinearView, *, limit: int | None = None) -> GeneratorResult:
        """Return the best improving pattern for each largest item; if there is none, violated rows."""
        rows = self.columns.rows
        held = rows.held(view)
        row_prices = np.maximum(-view.prices(held), 0.0)
        found, most = self._patterns(view, held, row_prices)
        gain = max(0.0, most - view.objective_weight)
        improving = [p for value, p in found if value - view.objective_weight > SMALLEST_GAIN]
        slack = view.farley(gain)
        if improving:
            return GeneratorResult(Batch(self.columns.write(improving[:limit], held)), slack, scored=len(found))
        # Tiny reduced costs make no column but weaken the bound, as all do after interrupted pricing: no rows then.
        due = gain <= SMALLEST_GAIN and view.time_left > 0
        cuts = rows.separate(view, self.columns.counts) if due else Rows.none()
        if slack is None:
            slack = gain if gain > SMALLEST_GAIN else 0.0
        return GeneratorResult(Batch(rows=cuts), slack, scored=len(found))

    def _patterns(
        self, view: LinearView, held: NDArray[np.int64], row_prices: NDArray[np.float64]
    ) -> tuple[list[Priced], float]:
        """Patterns by worth, and a bound on the worth of every one."""
        arcs = self.problem.arcs
        weights = -view.prices(self.items)[arcs.item] - view.usage_prices()
        paying = row_prices > 0
        if not np.any(paying):
            found = self.oracle.by_largest_item(weights, self._nothing_fixed)
            return found, found[0][0] if found else 0.0
        triples = self.columns.rows.triples(held[paying])
        return self._labels.above(view.objective_weight, weights, triples, row_prices[paying], stop=view.stop)
