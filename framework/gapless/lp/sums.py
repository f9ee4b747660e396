"""Sums of quantities that branches limit: each is one more quantity of the master, which no generator states."""

from __future__ import annotations

import math

import attrs
import numpy as np

from gapless.core.branch_row import BranchRow, Expression
from gapless.core.decisions import Decisions, Fixings
from gapless.core.sparse import FloatArray, IntArray
from gapless.lp.entries import Entries


@attrs.define(eq=False)
class Sums:
    """The sums met so far; number e is quantity ``decisions.quantities + e`` of the master.

    `entries` has a row for each quantity, a column for each sum (by its quantity), and the coefficient.
    """

    decisions: Decisions
    numbers: dict[Expression, int] = attrs.field(factory=dict)
    entries: Entries = attrs.field(factory=Entries)

    def __len__(self) -> int:
        return len(self.numbers)

    def meet(self, rows: tuple[BranchRow, ...]) -> list[tuple[int, list[int], list[int]]]:
        """Register the sums of `rows`; the quantity of each new one, and its quantities and coefficients."""
        new = []
        for row in rows:
            if row.expression not in self.numbers:
                made = row.over_quantities(self.decisions.quantity_of(), self.decisions.threshold_of())
                number = self.numbers[row.expression] = self.decisions.quantities + len(self.numbers)
                new.append((number, *made))
                quantities, coefficients = np.array(made[0], np.int64), np.array(made[1], np.float64)
                self.entries.add(quantities, np.full(quantities.size, number), coefficients)
        return new

    def limits(self, fixings: Fixings) -> tuple[FloatArray, FloatArray]:
        """Least and largest value of each sum under the fixings."""
        lower, upper = np.full(len(self), -math.inf), np.full(len(self), math.inf)
        for row, place in zip(fixings.rows, self.places(fixings).tolist(), strict=True):
            lower[place] = -math.inf if row.lower is None else row.lower
            upper[place] = math.inf if row.upper is None else row.upper
        return lower, upper

    def places(self, fixings: Fixings) -> IntArray:
        """Number of the sum of each of the fixings' rows, counted from the first sum."""
        known = [self.numbers[row.expression] - self.decisions.quantities for row in fixings.rows]
        return np.array(known, np.int64)

    def priced(self, price: FloatArray) -> FloatArray:
        """Part of the prices of the decisions' quantities that is due to sums, from the prices of all."""
        sums = self.entries
        part = np.bincount(sums.row, sums.value * price[sums.column], self.decisions.quantities)
        return part.astype(np.float64)
