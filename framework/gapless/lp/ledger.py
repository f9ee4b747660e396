"""The columns and rows of a linear master, with all arithmetic on prices.

Contains no solver: `LinearMaster` keeps an LP in step with a ledger, the SCIP adapter a ``Model``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Generic, TypeVar

import attrs
import numpy as np

from gapless.core.batch import Columns, Rows
from gapless.core.decisions import OFF, Fixings
from gapless.core.errors import InvalidProblem
from gapless.core.problem import Problem
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.core.tolerance import INTEGRAL, rounding
from gapless.lp.entries import Entries, Keys, check_columns, check_rows, claim_own, joined, merged, product
from gapless.lp.growing import Growing
from gapless.lp.sums import Sums
from gapless.lp.view import (
    Held,
    MasterView,
    interval_bound,
    readable,
    refuse_entries,
    supported,
    use_limits,
)

S = TypeVar("S")
Excludes = Callable[[Fixings, IntArray], BoolArray]


@attrs.frozen(eq=False)
class NewRows:
    """New rows: sides, and entries as (row, column, value), with rows counted from the first new one."""

    first: int
    lower: FloatArray
    upper: FloatArray
    row: IntArray
    column: IntArray
    value: FloatArray

    def __len__(self) -> int:
        return self.lower.size


@attrs.frozen(eq=False)
class NewColumns:
    """New columns: entries as (column, row, value) and uses as (user, quantity, times), counted likewise."""

    first: int
    columns: Columns
    column: IntArray
    row: IntArray
    value: FloatArray
    user: IntArray
    quantity: IntArray
    times: FloatArray

    def __len__(self) -> int:
        return len(self.columns)


class Ledger(Generic[S]):
    """Columns and rows of the master of a problem by key, numbered in order of entry.

    Parameters
    ----------
    problem : Problem
    excludes : callable, optional
        As in `Formulation`.
    """

    def __init__(self, problem: Problem[S], excludes: Excludes | None = None) -> None:
        self.problem, self.decisions = problem, problem.decisions
        self._excludes, self._excluded = excludes, np.zeros(0, bool)
        self.columns, self.rows = Keys(), Keys()
        self._objective, self._upper, self._integer = Growing(np.float64), Growing(np.float64), Growing(np.bool_)
        self.objective, self.upper, self.upper_now = np.zeros(0), np.zeros(0), np.zeros(0)
        self.integer: BoolArray = np.zeros(0, bool)
        # What tells columns apart: the objective and a random sum of uses.
        self._prints, self._marks = (
            Growing(np.float64),
            np.random.default_rng(0).uniform(1.0, 2.0, self.decisions.quantities),
        )
        self.costs = True
        """Whether no column has a positive objective."""
        self.matrix, self.uses, self.over = Entries(), Entries(), Entries()
        self.row_lower, self.row_upper = np.zeros(0), np.zeros(0)
        self._row_least = np.zeros(0)  # smallest entry of each row, at most 0
        self.quantities = count = self.decisions.quantities
        self.use_lower, self.use_upper = np.full(count, -np.inf), np.full(count, np.inf)
        self.own = np.full(count, -1)
        self._imposed: Fixings | None = None
        self._banned: BoolArray | None = None
        self._crossed = False
        self._unlimited = False
        self._free = np.zeros(count)
        self._free.flags.writeable = False
        self.kept = 0
        """Number of first columns that smoothed views may not lack: generators need not know them."""
        self.sums = Sums(self.decisions)
        self.warned = False
        """Whether a solve was told that an integral master is infeasible."""

    # -- growing ------------------------------------------------------------------------------------------------

    def enter_rows(self, rows: Rows) -> NewRows | None:
        """Add the rows with new keys; None when there are none.

        Raises `InvalidProblem`: an entry in an unknown column, an unknown quantity, or a number that is not finite.
        """
        chosen = self.rows.fresh(rows.keys)
        if not chosen.size:
            return None
        check_rows(rows, self.quantities)
        entries, uses = rows.coefficients, rows.uses
        if chosen.size < len(rows):
            entries, uses = entries.take(chosen), uses.take(chosen)
        column = self.columns.find(entries.indices)
        if np.any(column < 0):
            at = int(np.flatnonzero(column < 0)[0])
            raise InvalidProblem(
                f"row {rows.keys[chosen[entries.row_numbers()[at]]]} has an entry in column {entries.indices[at]}, "
                "which is not in the master (see view.column_keys); columns of the same batch bring "
                "their entries"
            )
        stated = entries.row_numbers(), column, entries.values
        if uses.values.size:
            stated = joined(stated, product(uses.row_numbers(), uses.indices, uses.values, self.uses))
        row, column, value = merged(*stated)
        new = NewRows(len(self.rows), rows.lower[chosen], rows.upper[chosen], row, column, value)
        self.over.add(new.first + uses.row_numbers(), uses.indices, uses.values)
        self.matrix.add(new.first + row, column, value)
        self.row_lower = np.append(self.row_lower, new.lower)
        self.row_upper = np.append(self.row_upper, new.upper)
        self._row_least = np.append(self._row_least, np.zeros(len(new)))
        np.minimum.at(self._row_least, new.first + row, value)
        self.rows = self.rows.extended(rows.keys[chosen])
        return new

    def enter_columns(self, columns: Columns) -> NewColumns | None:
        """Add the columns with new keys; None when there are none.

        Raises `InvalidProblem`: an entry in an unknown row, an unknown quantity, a number that is not finite, or a
        key of another column.
        """
        chosen = self.columns.fresh(columns.keys)
        check_columns(columns, self.quantities)
        prints = columns.objective + columns.uses.dot(self._marks)
        if chosen.size < len(columns):
            self._refuse_other(columns.keys, prints, chosen)
            columns, prints = columns.take(chosen), prints[chosen]
        if not chosen.size:
            return None
        self._prints.append(prints)
        row = self.rows.find(columns.coefficients.indices)
        if row.size and row.min() < 0:
            at = int(np.flatnonzero(row < 0)[0])
            raise InvalidProblem(
                f"column {columns.keys[columns.coefficients.row_numbers()[at]]} has an entry in row "
                f"{columns.coefficients.indices[at]}, which is neither in the master nor in the same batch "
                "(see view.row_keys)"
            )
        refuse_entries(columns, row, self.over)
        uses = columns.uses.row_numbers(), columns.uses.indices, columns.uses.values
        stated = columns.coefficients.row_numbers(), row, columns.coefficients.values
        if self.over.row.size:
            implied = product(*uses, Entries(self.over.column, self.over.row, self.over.value))
            stated = joined(stated, implied)
        if len(self.sums):
            uses = joined(uses, product(*uses, self.sums.entries))
        new = NewColumns(len(self.columns), columns, *merged(*stated), *merged(*uses))
        self.matrix.add(new.row, new.first + new.column, new.value)
        np.minimum.at(self._row_least, new.row, new.value)
        self.uses.add(new.quantity, new.first + new.user, new.times)
        self.objective = self._objective.append(columns.objective)
        self.costs = self.costs and bool(columns.objective.max() <= 0)
        plain = self.upper_now is self.upper
        self.upper = self._upper.append(columns.upper)
        self.upper_now = self.upper if plain else np.concatenate([self.upper_now, columns.upper])
        self.integer = self._integer.append(columns.integer)
        self.columns = self.columns.extended(columns.keys)
        claim_own(self.own, new.first, columns)
        return new

    # -- fixings ------------------------------------------------------------------------------------------------

    def _refuse_other(self, keys: IntArray, prints: FloatArray, new: IntArray) -> None:
        """Refuse a known key, or one that comes twice, with another column: that would never enter."""
        at, order = self.columns.find(keys), np.argsort(keys[new])
        known = at >= 0
        expected = np.zeros(keys.size)
        expected[known] = self._prints.array[at[known]]
        expected[~known] = prints[new[order]][keys[new[order]].searchsorted(keys[~known])]
        other = np.flatnonzero(np.abs(expected - prints) > 1e-6 * np.maximum(1.0, np.abs(prints)))
        if other.size:
            raise InvalidProblem(
                f"column {keys[other[0]]} comes with another objective or other uses than before: "
                "a key names one column"
            )

    def impose(self, fixings: Fixings) -> bool:
        """Set `upper_now`, `use_lower` and `use_upper` to the fixings; False when these contradict each other.

        Columns that a banned quantity sets to 0 need no further limit on its use.
        """
        if fixings is not self._imposed:
            self._take_sums(fixings)
            lower, upper = use_limits(fixings, self.decisions, implied=self._excludes is not None)
            self._excluded = np.zeros(0, bool)
            self._banned = fixings.banned(self.decisions) if np.any(fixings.state == OFF) else None
            if len(self.sums):
                lower, upper = map(np.append, (lower, upper), self.sums.limits(fixings))
                if self._banned is not None:
                    self._banned = np.append(self._banned, np.zeros(len(self.sums), bool))
            self._crossed = bool(np.any(lower > upper))
            self._unlimited = not (np.isfinite(lower).any() or np.isfinite(upper).any())
            if self._free.size < lower.size:
                self._free = np.zeros(lower.size)
                self._free.flags.writeable = False
            if not self._crossed:
                if self._banned is not None:
                    upper[self._banned] = np.inf
                self.use_lower, self.use_upper = lower, upper
            self._imposed = fixings
        self.upper_now = self.upper
        if self._banned is not None:
            self.upper_now = self.upper.copy()
            self.upper_now[self.uses.column[self._banned[self.uses.row]]] = 0.0
        if self._excludes is not None and not self._crossed:
            self.upper_now = np.where(self._out(self._excludes, fixings), 0.0, self.upper_now)
        return not self._crossed

    def _out(self, excludes: Excludes, fixings: Fixings) -> BoolArray:
        """Mask of the columns that the formulation excludes; those known before are not asked about again."""
        known = self._excluded.size
        new = self.columns.in_order()[known:]
        if new.size:
            told = np.asarray(excludes(fixings, new), bool)
            if told.shape != new.shape:
                raise InvalidProblem(f"Formulation.excludes returned shape {told.shape} for {new.size} columns")
            self._excluded = np.append(self._excluded, told)
        return self._excluded

    def _take_sums(self, fixings: Fixings) -> None:
        """Enter the sums of the fixings' rows that are new, with their values in all columns."""
        for number, quantities, coefficients in self.sums.meet(fixings.rows):
            value = np.array(coefficients, np.float64)
            ones = product(np.zeros(value.size, np.int64), np.array(quantities), value, self.uses)
            _, column, times = merged(*ones)
            self.uses.add(np.full(column.size, number), column, times)
            self.own = np.append(self.own, -1)
            self.use_lower, self.use_upper = np.append(self.use_lower, -np.inf), np.append(self.use_upper, np.inf)

    # -- arithmetic with prices ---------------------------------------------------------------------------------

    def supported(self, row_price: FloatArray, use_price: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The prices, with 0 for those that would meet an infinite side and bound nothing."""
        row = supported(row_price, self.row_lower, self.row_upper)
        return row, self._free if self._unlimited else supported(use_price, self.use_lower, self.use_upper)

    def gain(self, row_price: FloatArray, use_price: FloatArray, weight: float = 1.0) -> FloatArray:
        """Reduced costs of all columns, without the bans."""
        paid = self.matrix.priced(row_price, len(self.columns))
        if use_price is not self._free and use_price.any():
            paid += self.uses.priced(use_price, len(self.columns))
        worth = self.objective if weight == 1 else weight * self.objective
        gain: FloatArray = np.subtract(worth, paid, out=paid)
        return gain

    def view(
        self,
        fixings: Fixings,
        z: FloatArray | None,
        row_price: FloatArray,
        use_price: FloatArray,
        gain: FloatArray,
        *,
        weight: float = 1.0,
        objective: float = -math.inf,
        bound: float = math.inf,
        constant: float = 0.0,
        hidden: BoolArray | None = None,
    ) -> MasterView:
        """The generators' view of these prices and of the solution `z`, if there is one, with its objective.

        `bound` includes the constant; `hidden` masks the columns that a smoothed view lacks.
        """
        count = self.quantities
        held = Held(
            self.columns,
            z,
            self.uses.snapshot(),
            gain,
            self.own,
            objective,
            self.over.snapshot(),
            bound,
            constant,
            hidden,
            self.costs,
            use_price[count:],
        )
        if fixings.rows:
            held.sum_prices = self.sums.priced(use_price)
            held.branch_prices = use_price[count:][self.sums.places(fixings)]
        banned = self._banned if fixings is self._imposed else fixings.banned(self.decisions)
        if banned is not None:
            banned = banned[:count]
        view = MasterView(self.decisions, fixings, self.rows, row_price, use_price[:count], banned, weight, held)
        if z is not None:
            view.rounding = rounding(int(np.count_nonzero(z)), float(np.abs(self.objective) @ z))
        return view

    def usage_gains(self, row_price: FloatArray, use_price: FloatArray) -> FloatArray:
        """Gain of the best allowed column through each quantity of the decisions, -inf without one.

        That of a column that need not be integral is shared among its uses.
        """
        column, times = self.uses.column, self.uses.value
        gain = self.gain(row_price, use_price)[column]
        gain = np.where(self.integer[column], gain, gain / np.maximum(times, 1.0))
        best = np.full(self.own.size, -np.inf)
        allowed = self.upper_now[column] > 0
        np.maximum.at(best, self.uses.row[allowed], gain[allowed])
        return best[: self.quantities]

    def dual_bound(self, row_price: FloatArray, use_price: FloatArray, gain: FloatArray) -> float:
        """Weak duality in float64: no z within the imposed limits scores more, for prices from any source.

        Infinite when a column without bounds has a positive gain.
        """
        upper = self.upper_now
        paid = interval_bound(row_price, self.row_lower, self.row_upper)
        if use_price is not self._free:
            paid += interval_bound(use_price, self.use_lower, self.use_upper)
        positive = (gain > 0).nonzero()[0]
        if not positive.size:
            return paid
        gain, most = gain[positive], upper[positive]
        unlimited = np.isinf(most).nonzero()[0]
        if unlimited.size:
            most[unlimited] = self._implied_upper(positive[unlimited])
        return paid + float(gain @ most)

    def _implied_upper(self, columns: IntArray) -> FloatArray:
        """Upper bound of some columns that their rows without negative entries imply."""
        number = np.full(len(self.columns), -1)
        number[columns] = np.arange(columns.size)
        at = (number[self.matrix.column] >= 0).nonzero()[0]
        row, value = self.matrix.row[at], self.matrix.value[at]
        tight = ((self._row_least[row] >= 0) & (value > 0)).nonzero()[0]
        side = np.maximum(self.row_upper[row[tight]], 0.0)
        upper = self.upper_now[columns]
        np.minimum.at(upper, number[self.matrix.column[at[tight]]], side / value[tight])
        return upper

    def structure(self, view: MasterView) -> S | None:
        """The structure of an integral solution, if the problem can read it; the engine checks it."""
        z = view.column_values
        if z is None or not self._whole(z) or view.point is None:
            return None
        return readable(self.problem, view.point)

    def _whole(self, z: FloatArray) -> bool:
        """Whether columns are integral that must be."""
        far = np.abs(z - np.rint(z)) > INTEGRAL
        far &= self.integer
        return not far.any()
