"""Generators' view of a linear master with any solver, and translation of fixings and points into decisions."""

from __future__ import annotations

import copy
import math
from typing import TypeVar

import attrs
import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray, Sparse
from gapless.arrays.tolerance import INTEGRAL
from gapless.column_generation.master.entries import Entries, Keys
from gapless.decisions.decisions import Decisions, Fixings
from gapless.errors import InvalidProblem
from gapless.oracles.batch import Columns
from gapless.oracles.views import LinearView
from gapless.problems.problem import Problem

S = TypeVar("S")


@attrs.define(eq=False)
class MasterState:
    """Contents and solution of a master, except its row prices.

    Parameters
    ----------
    values : float64 (columns,) or None
    uses : Entries
        Uses of the columns: quantity, column, multiplicity.
    gain : float64 (columns,)
        Reduced costs of the columns.
    singleton : int64
        For each quantity a column that uses no other one; -1, or a column newer than the view, if it has none.
    objective : float
        Score of the solution, -inf without one.
    over : Entries
        Entries of the robust rows (over quantities): row, quantity, value.
    bound : float
        Upper bound of the prices on the viewed master, constant included.
    constant : float
    hidden : bool (columns,), optional
        Mask of the columns that a smoothed view lacks.
    costs : bool
        Whether no column has a positive objective.
    sums : float64, optional
        Prices of the sums that rows of branches limit, in the order of `MasterData.sums`.
    sum_prices : float64 (quantities,), optional
        Part of the prices of quantities that is due to rows of branches.
    branch_prices : float64 (rows of the fixings,)
    """

    columns: Keys = attrs.field(factory=Keys)
    values: FloatArray | None = None
    uses: Entries = attrs.field(factory=Entries)
    gain: FloatArray = attrs.field(factory=lambda: np.zeros(0))
    singleton: IntArray = attrs.field(factory=lambda: np.zeros(0, np.int64))
    objective: float = -math.inf
    over: Entries = attrs.field(factory=Entries)
    bound: float = math.inf
    constant: float = 0.0
    hidden: BoolArray | None = None
    costs: bool = True
    sums: FloatArray = attrs.field(factory=lambda: np.zeros(0))
    sum_prices: FloatArray | None = None
    branch_prices: FloatArray = attrs.field(factory=lambda: np.zeros(0))


UNKNOWN_ROW_PRICE = np.zeros(1)
"""Last entry of the row prices, which position -1 of an unknown row reads."""


class LinearMasterView(LinearView):
    """The generators' view of a linear master: a snapshot in scores, with any solver.

    Parameters
    ----------
    decisions : Decisions
    fixings : Fixings
    rows : Keys
        Row keys, in the order of `row_prices`.
    row_prices : float64 (rows,)
    quantity_prices : float64 (quantities,)
        Prices due to fixings; bans, and prices of rows over quantities, are added here.
    banned : bool (quantities,), optional
        `Fixings.banned`, where it is not all False.
    objective_weight : float
        0 in Farkas pricing, which seeks columns that repair an infeasible master.
    state : MasterState
    """

    def __init__(
        self,
        decisions: Decisions,
        fixings: Fixings,
        rows: Keys,
        row_prices: FloatArray,
        quantity_prices: FloatArray,
        banned: BoolArray | None,
        objective_weight: float,
        state: MasterState,
    ) -> None:
        self._point: FloatArray | None = None
        super().__init__(fixings)
        self.decisions = decisions
        self.objective_weight = objective_weight
        self._state = state
        self.objective, self.bound = state.objective, state.bound
        self.constant, self.smoothed = state.constant, state.hidden is not None
        self._rows, self._row_prices = rows, np.concatenate([row_prices, UNKNOWN_ROW_PRICE])
        self._banned = banned
        self._fixing_prices = quantity_prices
        if banned is not None:
            self._fixing_prices = np.where(banned, np.inf, quantity_prices)
        self.row_prices, self.quantity_prices = row_prices, quantity_prices
        self._usage_prices = self._fixing_prices
        if state.over.row.size:
            self._usage_prices = self._fixing_prices + state.over.priced(row_prices, quantity_prices.size)
        if state.sum_prices is not None:
            self._usage_prices = self._usage_prices + state.sum_prices

    @property
    def point(self) -> FloatArray | None:
        """Values of decisions."""
        # On demand: most views serve pricing only, which reads prices (decision 053).
        if self._point is None:
            usage = self.usage
            self._point = None if usage is None else point_of(usage, self.decisions)
        return self._point

    @point.setter
    def point(self, point: FloatArray | None) -> None:
        self._point = point

    @property
    def limit_prices(self) -> FloatArray:
        """Prices of all that the master limits: the quantities, then the sums of rows of branches."""
        return np.append(self.quantity_prices, self._state.sums)

    @property
    def column_keys(self) -> IntArray:
        """Keys of columns."""
        keys, hidden = self._state.columns.in_order(), self._state.hidden
        return keys if hidden is None else keys[~hidden]

    def has_columns(self, keys: IntArray) -> BoolArray:
        """Return whether each key is one of `column_keys`."""
        position, hidden = self._state.columns.find(keys), self._state.hidden
        return position >= 0 if hidden is None else (position >= 0) & ~np.append(hidden, False)[position]

    @property
    def column_values(self) -> FloatArray | None:
        """Values of columns."""
        return None if self._state.values is None else self._state.values.copy()

    @property
    def row_keys(self) -> IntArray:
        """Keys of rows."""
        return self._rows.in_order()

    @property
    def usage(self) -> FloatArray | None:
        """Uses of quantities."""
        state, count = self._state, self.quantity_prices.size
        return None if state.values is None else state.uses.times(state.values, state.singleton.size)[:count]

    def farley(self, best_gain: float, *, cost: float = 1.0) -> float | None:
        """Compute Farley's pricing gap; raises `InvalidProblem` if a master's objective is positive."""
        # Farley's bound scales all prices down by one factor: the master's columns keep reduced costs of at
        # most 0 only if no objective is positive.
        if not self._state.costs:
            raise InvalidProblem(
                "farley: a column of the master has a positive objective, and Farley's bound holds for costs only; "
                "use view.lagrangian with a limit on the number of columns"
            )
        return super().farley(best_gain, cost=cost)

    def prices(self, row_keys: IntArray) -> FloatArray:
        """Return the prices by row key; 0 for unknown rows."""
        return self._row_prices[self._rows.find(np.asarray(row_keys, np.int64))]

    def usage_prices(self) -> FloatArray:
        """Return the prices by quantity."""
        return self._usage_prices.copy()

    def fixing_prices(self) -> FloatArray:
        """Return the prices by quantity that are due to fixings only."""
        return self._fixing_prices.copy()

    def branch_prices(self) -> FloatArray:
        """Return the prices of the rows of branches."""
        return self._state.branch_prices.copy()

    def reduced_costs(self, columns: Columns) -> FloatArray:
        """Compute the reduced costs of `columns`.

        Raises
        ------
        InvalidProblem
            A column has an entry in a row over quantities, which its uses imply already.
        """
        row = self._rows.find(columns.coefficients.indices)
        # Such an entry would be priced twice: the usage prices contain the prices of these rows (decision 022).
        refuse_entries(columns, row, self._state.over)
        entries = Sparse(columns.coefficients.indptr, row, columns.coefficients.values)
        price = entries.dot(self._row_prices) + columns.uses.dot(self._usage_prices)
        return self.objective_weight * columns.objective - price

    def with_usage_charge(self, quantity: int, price: float) -> LinearMasterView:
        """Return a copy with a price added to each use of a quantity, as a fixing of it would."""
        other = copy.copy(self)
        other._fixing_prices, other._usage_prices = self.fixing_prices(), self.usage_prices()
        other._fixing_prices[quantity] += price
        other._usage_prices[quantity] += price
        return other

    def allowances(self) -> FloatArray:
        """Compute the allowances by quantity."""
        state, own = self._state, self._state.singleton[: self.quantity_prices.size]
        # The array grows with the master: a column newer than this view counts as none, whose entry is the last 0.
        gain = np.append(state.gain, 0.0)[np.where(own < state.gain.size, own, -1)]
        allowances: FloatArray = np.maximum(0.0, -gain)
        # A use that the fixings demand is no choice of the column.
        allowances[self.decisions.quantity_index()[self.fixings.on]] = 0.0
        if self._banned is not None:
            allowances[self._banned] = np.inf
        return allowances


def refuse_entries(columns: Columns, row: IntArray, over: Entries) -> None:
    """Raise `InvalidProblem` where a column has an explicit entry, in the rows `row`, that its uses imply."""
    if not over.row.size:
        return
    twice = np.flatnonzero(np.isin(row, over.row))
    if twice.size:
        entry = int(twice[0])
        raise InvalidProblem(
            f"column {columns.keys[columns.coefficients.row_numbers()[entry]]} has an entry in row "
            f"{columns.coefficients.indices[entry]}, which is over quantities: "
            "the entry follows from the column's uses, remove it"
        )


def use_limits(fixings: Fixings, decisions: Decisions, *, implied: bool = False) -> tuple[FloatArray, FloatArray]:
    """Return the smallest and the largest use of each quantity; crossed where the fixings contradict each other.

    `implied`: if True, leave out the smallest uses that decisions of threshold 1 demand.
    """
    quantity, threshold = decisions.quantity_index(), decisions.thresholds()
    lower, upper = np.full(decisions.quantities, -np.inf), np.full(decisions.quantities, np.inf)
    on, off = fixings.on, fixings.off
    if implied:
        on = on[threshold[on] > 1]
    np.maximum.at(lower, quantity[on], threshold[on])
    np.minimum.at(upper, quantity[off], threshold[off] - 1)
    return lower, upper


def point_of(use: FloatArray, decisions: Decisions) -> FloatArray:
    """Return the value of each decision at this use of its quantity, clipped to [0, 1]."""
    point = use.copy() if decisions.quantity is None else use.take(decisions.quantity)
    if decisions.threshold is not None:
        point -= decisions.threshold
        point += 1.0
    np.maximum(point, 0.0, out=point)
    return np.minimum(point, 1.0, out=point)


def readable(problem: Problem[S], point: FloatArray) -> S | None:
    """Decode the structure of an integral point; None if the problem cannot decode it."""
    if np.any(np.abs(point - np.rint(point)) > INTEGRAL):
        return None
    try:
        return problem.decode(np.flatnonzero(point > 0.5))
    except (ValueError, LookupError):
        # The point may be unreadable until missing rows are separated.
        return None


def supported(price: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Return the prices, with 0 where the side of their sign is infinite."""
    # Weak duality holds at any prices, but a price at an infinite side makes the bound infinite: noise of the
    # LP solver must not cost the bound.
    active = price.nonzero()[0]  # few, because most quantities have no limit
    if not active.size:
        return price
    nonzero = price[active]
    unsupported = np.isinf(np.where(nonzero > 0, upper[active], lower[active]))
    if not unsupported.any():
        return price
    result = price.copy()
    result[active[unsupported]] = 0.0
    return result


def interval_bound(price: FloatArray, lower: FloatArray, upper: FloatArray) -> float:
    """Compute the maximum of ``price @ a`` over ``lower <= a <= upper``, for supported prices."""
    # Only where a price is nonzero: elsewhere the side may be infinite, and 0 times infinity is NaN.
    active = price.nonzero()[0]
    if not active.size:
        return 0.0
    nonzero = price[active]
    return float(nonzero @ np.where(nonzero > 0, upper[active], lower[active]))
