"""Columns and rows of a linear master, with all arithmetic on prices.

Contains no solver: `LinearMaster` keeps a linear program in step with the data, the SCIP adapter a ``Model``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Generic, TypeVar

import attrs
import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.arrays.tolerance import INTEGRAL, rounding
from gapless.column_generation.master.entries import (
    Entries,
    Keys,
    check_columns,
    check_rows,
    joined,
    merged,
    product,
    register_singletons,
)
from gapless.column_generation.master.growing_array import GrowingArray
from gapless.column_generation.master.sums import Sums
from gapless.column_generation.master.view import (
    LinearMasterView,
    MasterState,
    interval_bound,
    readable,
    refuse_entries,
    supported,
    use_limits,
)
from gapless.decisions.decisions import OFF, Fixings
from gapless.errors import InvalidProblem
from gapless.oracles.batch import Columns, Rows
from gapless.problems.problem import Problem

S = TypeVar("S")
ForbiddenColumns = Callable[[Fixings, IntArray], BoolArray]


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


class MasterData(Generic[S]):
    """Columns and rows of the master of a problem by key, numbered in order of entry.

    Parameters
    ----------
    problem : Problem
    forbidden_columns : callable, optional
        As in `Formulation`.
    """

    def __init__(self, problem: Problem[S], forbidden_columns: ForbiddenColumns | None = None) -> None:
        self.problem, self.decisions = problem, problem.decisions
        self._excludes, self._excluded = forbidden_columns, np.zeros(0, bool)
        self.columns, self.rows = Keys(), Keys()
        self._objective, self._upper, self._integer = (
            GrowingArray(np.float64),
            GrowingArray(np.float64),
            GrowingArray(np.bool_),
        )
        self.objective, self.upper, self.upper_now = np.zeros(0), np.zeros(0), np.zeros(0)
        self.integer: BoolArray = np.zeros(0, bool)
        # Fingerprint of a column: objective plus a random sum of its uses. Equal keys with other fingerprints
        # are an error of the generator, and one number per column is much less than the column itself.
        self._prints, self._marks = (
            GrowingArray(np.float64),
            np.random.default_rng(0).uniform(1.0, 2.0, self.decisions.quantities),
        )
        self.costs = True
        """Whether no column has a positive objective."""
        self.matrix, self.uses, self.over = Entries(), Entries(), Entries()
        self.row_lower, self.row_upper = np.zeros(0), np.zeros(0)
        self._row_least = np.zeros(0)  # smallest entry of each row, at most 0
        self.quantities = count = self.decisions.quantities
        self.use_lower, self.use_upper = np.full(count, -np.inf), np.full(count, np.inf)
        self.singleton = np.full(count, -1)
        self._imposed: Fixings | None = None
        self._banned: BoolArray | None = None
        self._crossed = False
        self._unlimited = False
        self._free = np.zeros(count)
        self._free.flags.writeable = False
        self.unpriceable = 0
        """Number of initial columns that generators need not know, so that smoothed views may not lack them."""
        self.sums = Sums(self.decisions)
        self.warned = False
        """Whether the warning of an infeasible integral master was given."""

    # -- growing ------------------------------------------------------------------------------------------------

    def enter_rows(self, rows: Rows) -> NewRows | None:
        """Add the rows with new keys; None if there are none.

        Raises `InvalidProblem`: an entry in an unknown column, an unknown quantity, or a number that is not finite.
        """
        fresh = self.rows.fresh(rows.keys)
        if not fresh.size:
            return None
        check_rows(rows, self.quantities)
        entries, uses = rows.coefficients, rows.uses
        if fresh.size < len(rows):
            entries, uses = entries.take(fresh), uses.take(fresh)
        column = self.columns.find(entries.indices)
        if np.any(column < 0):
            entry = int(np.flatnonzero(column < 0)[0])
            raise InvalidProblem(
                f"row {rows.keys[fresh[entries.row_numbers()[entry]]]} has an entry in column "
                f"{entries.indices[entry]}, which is not in the master (see view.column_keys); columns of the same "
                "batch bring their entries"
            )
        nonzeros = entries.row_numbers(), column, entries.values
        # A robust row has its entries from the uses of the columns: of the present ones here, of later ones in
        # `enter_columns` (decision 022).
        if uses.values.size:
            nonzeros = joined(nonzeros, product(uses.row_numbers(), uses.indices, uses.values, self.uses))
        row, column, value = merged(*nonzeros)
        new = NewRows(len(self.rows), rows.lower[fresh], rows.upper[fresh], row, column, value)
        self.over.add(new.first + uses.row_numbers(), uses.indices, uses.values)
        self.matrix.add(new.first + row, column, value)
        self.row_lower = np.append(self.row_lower, new.lower)
        self.row_upper = np.append(self.row_upper, new.upper)
        self._row_least = np.append(self._row_least, np.zeros(len(new)))
        np.minimum.at(self._row_least, new.first + row, value)
        self.rows = self.rows.extended(rows.keys[fresh])
        return new

    def enter_columns(self, columns: Columns) -> NewColumns | None:
        """Add the columns with new keys; None if there are none.

        Raises `InvalidProblem`: an entry in an unknown row, an unknown quantity, a number that is not finite, or a
        key of another column.
        """
        fresh = self.columns.fresh(columns.keys)
        check_columns(columns, self.quantities)
        prints = columns.objective + columns.uses.dot(self._marks)
        if fresh.size < len(columns):
            self._refuse_other(columns.keys, prints, fresh)
            columns, prints = columns.take(fresh), prints[fresh]
        if not fresh.size:
            return None
        self._prints.append(prints)
        row = self.rows.find(columns.coefficients.indices)
        if row.size and row.min() < 0:
            entry = int(np.flatnonzero(row < 0)[0])
            raise InvalidProblem(
                f"column {columns.keys[columns.coefficients.row_numbers()[entry]]} has an entry in row "
                f"{columns.coefficients.indices[entry]}, which is neither in the master nor in the same batch "
                "(see view.row_keys)"
            )
        refuse_entries(columns, row, self.over)
        uses = columns.uses.row_numbers(), columns.uses.indices, columns.uses.values
        nonzeros = columns.coefficients.row_numbers(), row, columns.coefficients.values
        if self.over.row.size:
            implied = product(*uses, Entries(self.over.column, self.over.row, self.over.value))
            nonzeros = joined(nonzeros, implied)
        # A sum that branches limit is one more quantity, so a new column uses it as its own uses imply
        # (decision 050).
        if len(self.sums):
            uses = joined(uses, product(*uses, self.sums.entries))
        new = NewColumns(len(self.columns), columns, *merged(*nonzeros), *merged(*uses))
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
        register_singletons(self.singleton, new.first, columns)
        return new

    # -- fixings ------------------------------------------------------------------------------------------------

    def _refuse_other(self, keys: IntArray, prints: FloatArray, new: IntArray) -> None:
        """Refuse a known key, or one that occurs twice, with another column, which would never enter the master."""
        position, order = self.columns.find(keys), np.argsort(keys[new])
        known = position >= 0
        expected = np.zeros(keys.size)
        expected[known] = self._prints.array[position[known]]
        expected[~known] = prints[new[order]][keys[new[order]].searchsorted(keys[~known])]
        # Generators may sum the objective of a column in another order each time: rounding is no difference.
        other = np.flatnonzero(np.abs(expected - prints) > 1e-6 * np.maximum(1.0, np.abs(prints)))
        if other.size:
            raise InvalidProblem(
                f"column {keys[other[0]]} comes with another objective or other uses than before: "
                "a key names one column"
            )

    def impose(self, fixings: Fixings) -> bool:
        """Set `upper_now`, `use_lower` and `use_upper` to the fixings; False if these contradict each other."""
        # All rounds of a node have the same fixings; only new columns change below.
        if fixings is not self._imposed:
            self._register_sums(fixings)
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
                # All columns that use a banned quantity are 0, so a row for it would only make the program larger.
                if self._banned is not None:
                    upper[self._banned] = np.inf
                self.use_lower, self.use_upper = lower, upper
            self._imposed = fixings
        self.upper_now = self.upper
        if self._banned is not None:
            self.upper_now = self.upper.copy()
            self.upper_now[self.uses.column[self._banned[self.uses.row]]] = 0.0
        if self._excludes is not None and not self._crossed:
            self.upper_now = np.where(self._forbidden(self._excludes, fixings), 0.0, self.upper_now)
        return not self._crossed

    def _forbidden(self, forbidden_columns: ForbiddenColumns, fixings: Fixings) -> BoolArray:
        """Return the mask of the columns that the formulation forbids under the imposed fixings."""
        # Only columns that are new since the last call for these fixings: the callback may be slow.
        new = self.columns.in_order()[self._excluded.size :]
        if new.size:
            mask = np.asarray(forbidden_columns(fixings, new), bool)
            if mask.shape != new.shape:
                raise InvalidProblem(
                    f"Formulation.forbidden_columns returned shape {mask.shape} for {new.size} columns"
                )
            self._excluded = np.append(self._excluded, mask)
        return self._excluded

    def _register_sums(self, fixings: Fixings) -> None:
        """Enter the new sums of the fixings' rows, with their values in all columns."""
        for number, quantities, coefficients in self.sums.register(fixings.rows):
            value = np.array(coefficients, np.float64)
            ones = product(np.zeros(value.size, np.int64), np.array(quantities), value, self.uses)
            _, column, times = merged(*ones)
            self.uses.add(np.full(column.size, number), column, times)
            self.singleton = np.append(self.singleton, -1)
            self.use_lower, self.use_upper = np.append(self.use_lower, -np.inf), np.append(self.use_upper, np.inf)

    # -- arithmetic with prices ---------------------------------------------------------------------------------

    def supported(self, row_price: FloatArray, use_price: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the prices, with 0 for those whose side is infinite."""
        row = supported(row_price, self.row_lower, self.row_upper)
        return row, self._free if self._unlimited else supported(use_price, self.use_lower, self.use_upper)

    def gain(self, row_price: FloatArray, use_price: FloatArray, weight: float = 1.0) -> FloatArray:
        """Compute the reduced costs of all columns, without the bans."""
        price = self.matrix.priced(row_price, len(self.columns))
        # `_free` is the shared array of zeros for nodes without limits on uses: no product with the uses is needed.
        if use_price is not self._free and use_price.any():
            price += self.uses.priced(use_price, len(self.columns))
        objective = self.objective if weight == 1 else weight * self.objective
        gain: FloatArray = np.subtract(objective, price, out=price)
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
    ) -> LinearMasterView:
        """Make the generators' view of these prices and of the solution `z`, if there is one, with its objective.

        `bound` includes the constant; `hidden` masks the columns that a smoothed view lacks.
        """
        count = self.quantities
        state = MasterState(
            self.columns,
            z,
            self.uses.snapshot(),
            gain,
            self.singleton,
            objective,
            self.over.snapshot(),
            bound,
            constant,
            hidden,
            self.costs,
            use_price[count:],
        )
        if fixings.rows:
            state.sum_prices = self.sums.priced(use_price)
            state.branch_prices = use_price[count:][self.sums.indices(fixings)]
        banned = self._banned if fixings is self._imposed else fixings.banned(self.decisions)
        if banned is not None:
            banned = banned[:count]
        view = LinearMasterView(
            self.decisions, fixings, self.rows, row_price, use_price[:count], banned, weight, state
        )
        if z is not None:
            view.rounding = rounding(int(np.count_nonzero(z)), float(np.abs(self.objective) @ z))
        return view

    def reduced_cost_bounds(self, row_price: FloatArray, use_price: FloatArray) -> FloatArray:
        """Compute the largest reduced cost of an allowed column through each quantity, -inf without one."""
        column, times = self.uses.column, self.uses.value
        gain = self.gain(row_price, use_price)[column]
        # A column that need not be integral may be 1 / times in a solution with one use: its reduced cost
        # counts in this share.
        gain = np.where(self.integer[column], gain, gain / np.maximum(times, 1.0))
        best = np.full(self.singleton.size, -np.inf)
        allowed = self.upper_now[column] > 0
        np.maximum.at(best, self.uses.row[allowed], gain[allowed])
        return best[: self.quantities]

    def dual_bound(self, row_price: FloatArray, use_price: FloatArray, gain: FloatArray) -> float:
        """Bound the master's score by weak duality in float64, at supported prices from any source.

        Infinite if a column without an upper bound has a positive reduced cost.
        """
        bound = interval_bound(row_price, self.row_lower, self.row_upper)
        if use_price is not self._free:
            bound += interval_bound(use_price, self.use_lower, self.use_upper)
        positive = (gain > 0).nonzero()[0]
        if not positive.size:
            return bound
        gain, upper = gain[positive], self.upper_now[positive]
        # Few columns have no upper bound and, by the LP's tolerance, a positive reduced cost: bounds that rows
        # imply are computed for these only (decision 053).
        unlimited = np.isinf(upper).nonzero()[0]
        if unlimited.size:
            upper[unlimited] = self._implied_upper(positive[unlimited])
        return bound + float(gain @ upper)

    def _implied_upper(self, columns: IntArray) -> FloatArray:
        """Bound some columns from above by their rows without negative entries."""
        number = np.full(len(self.columns), -1)
        number[columns] = np.arange(columns.size)
        entries = (number[self.matrix.column] >= 0).nonzero()[0]
        row, value = self.matrix.row[entries], self.matrix.value[entries]
        # In a row without negative entries every other term is at least 0, because columns are.
        tight = ((self._row_least[row] >= 0) & (value > 0)).nonzero()[0]
        side = np.maximum(self.row_upper[row[tight]], 0.0)
        upper = self.upper_now[columns]
        np.minimum.at(upper, number[self.matrix.column[entries[tight]]], side / value[tight])
        return upper

    def structure(self, view: LinearMasterView) -> S | None:
        """Decode an integral solution, if the problem can; the engine checks the structure."""
        z = view.column_values
        if z is None or not self._is_integral(z) or view.point is None:
            return None
        return readable(self.problem, view.point)

    def _is_integral(self, z: FloatArray) -> bool:
        """Whether all columns are integral that must be."""
        fractional = np.abs(z - np.rint(z)) > INTEGRAL
        fractional &= self.integer
        return not fractional.any()
