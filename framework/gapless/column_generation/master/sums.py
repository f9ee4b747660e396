"""Sums of quantities that branches limit: each is an additional quantity of the master, unknown to generators."""

from __future__ import annotations

import math

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.column_generation.master.entries import Entries
from gapless.decisions.branch_row import BranchRow, Expression
from gapless.decisions.decisions import Decisions, Fixings


@attrs.define(eq=False)
class Sums:
    """The sums registered so far; number e is quantity ``decisions.quantities + e`` of the master.

    `entries` has a row for each quantity, a column for each sum (by its quantity), and the coefficient.
    """

    decisions: Decisions
    numbers: dict[Expression, int] = attrs.field(factory=dict)
    entries: Entries = attrs.field(factory=Entries)

    def __len__(self) -> int:
        return len(self.numbers)

    def register(self, rows: tuple[BranchRow, ...]) -> list[tuple[int, list[int], list[int]]]:
        """Register the sums of `rows`; return number, quantities and coefficients of each new one."""
        new = []
        for row in rows:
            # Keyed by the expression: rows of other nodes with other limits share the sum, and so the quantity.
            if row.expression not in self.numbers:
                terms = row.over_quantities(self.decisions.quantity_index(), self.decisions.thresholds())
                number = self.numbers[row.expression] = self.decisions.quantities + len(self.numbers)
                new.append((number, *terms))
                quantities, coefficients = np.array(terms[0], np.int64), np.array(terms[1], np.float64)
                self.entries.add(quantities, np.full(quantities.size, number), coefficients)
        return new

    def limits(self, fixings: Fixings) -> tuple[FloatArray, FloatArray]:
        """Return the smallest and the largest value of each sum under the fixings."""
        lower, upper = np.full(len(self), -math.inf), np.full(len(self), math.inf)
        for row, index in zip(fixings.rows, self.indices(fixings).tolist(), strict=True):
            lower[index] = -math.inf if row.lower is None else row.lower
            upper[index] = math.inf if row.upper is None else row.upper
        return lower, upper

    def indices(self, fixings: Fixings) -> IntArray:
        """Return the index of the sum of each of the fixings' rows, counted from the first sum."""
        return np.array(
            [self.numbers[row.expression] - self.decisions.quantities for row in fixings.rows], np.int64
        )

    def priced(self, price: FloatArray) -> FloatArray:
        """Compute the part of the quantities' prices that is due to sums, from all prices."""
        sums = self.entries
        part = np.bincount(sums.row, sums.value * price[sums.column], self.decisions.quantities)
        return part.astype(np.float64)
