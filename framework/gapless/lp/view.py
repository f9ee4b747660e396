"""The generators' view of a linear master, with any solver; translation of fixings and points into decisions."""

from __future__ import annotations

import copy
import math
from typing import TypeVar

import attrs
import numpy as np

from gapless.core.batch import Columns
from gapless.core.decisions import Decisions, Fixings
from gapless.core.errors import InvalidProblem
from gapless.core.oracle import LinearView
from gapless.core.problem import Problem
from gapless.core.sparse import BoolArray, FloatArray, IntArray, Sparse
from gapless.core.tolerance import INTEGRAL
from gapless.lp.entries import Entries, Keys

S = TypeVar("S")


@attrs.define(eq=False)
class Held:
    """Contents and solution of a master, except its row prices.

    Parameters
    ----------
    values : float64 (columns,) or None
    uses : Entries
        Uses of the columns: quantity, column, multiplicity.
    gain : float64 (columns,)
        Reduced costs of the columns.
    own : int64
        Each quantity's own column, -1 or one that came later where it has none.
    objective : float
        Score of the solution, -inf without one.
    over : Entries
        Entries of the rows over quantities: row, quantity, value.
    bound : float
        Upper bound of the prices on the viewed master, constant included.
    constant : float
    hidden : bool (columns,), optional
        The columns that a smoothed view lacks.
    costs : bool
        Whether no column has a positive objective.
    sums : float64, optional
        Prices of the sums that rows of branches limit, in the order of the ledger's `Sums`.
    sum_prices : float64 (quantities,), optional
        Part of the prices of quantities that is due to rows of branches.
    branch_prices : float64 (rows of the fixings,)
    """

    columns: Keys = attrs.field(factory=Keys)
    values: FloatArray | None = None
    uses: Entries = attrs.field(factory=Entries)
    gain: FloatArray = attrs.field(factory=lambda: np.zeros(0))
    own: IntArray = attrs.field(factory=lambda: np.zeros(0, np.int64))
    objective: float = -math.inf
    over: Entries = attrs.field(factory=Entries)
    bound: float = math.inf
    constant: float = 0.0
    hidden: BoolArray | None = None
    costs: bool = True
    sums: FloatArray = attrs.field(factory=lambda: np.zeros(0))
    sum_prices: FloatArray | None = None
    branch_prices: FloatArray = attrs.field(factory=lambda: np.zeros(0))


NOTHING = np.zeros(1)
"""The price of an unknown row."""


class MasterView(LinearView):
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
        0 while columns are sought that repair an infeasible master.
    held : Held
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
        held: Held,
    ) -> None:
        self._point: FloatArray | None = None
        super().__init__(fixings)
        self.decisions = decisions
        self.objective_weight = objective_weight
        self._held = held
        self.objective, self.bound = held.objective, held.bound
        self.constant, self.smoothed = held.constant, held.hidden is not None
        self._rows, self._row_prices = rows, np.concatenate([row_prices, NOTHING])
        self._banned = banned
        self._fixing_prices = quantity_prices
        if banned is not None:
            self._fixing_prices = np.where(banned, np.inf, quantity_prices)
        self.row_prices, self.quantity_prices = row_prices, quantity_prices
        self._usage_prices = self._fixing_prices
        if held.over.row.size:
            self._usage_prices = self._fixing_prices + held.over.priced(row_prices, quantity_prices.size)
        if held.sum_prices is not None:
            self._usage_prices = self._usage_prices + held.sum_prices

    @property
    def point(self) -> FloatArray | None:
        """Values of decisions."""
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
        return np.append(self.quantity_prices, self._held.sums)

    @property
    def column_keys(self) -> IntArray:
        """Keys of columns."""
        keys, hidden = self._held.columns.in_order(), self._held.hidden
        return keys if hidden is None else keys[~hidden]

    def has_columns(self, keys: IntArray) -> BoolArray:
        """Whether each key is one of `column_keys`."""
        position, hidden = self._held.columns.find(keys), self._held.hidden
        return position >= 0 if hidden is None else (position >= 0) & ~np.append(hidden, False)[position]

    @property
    def column_values(self) -> FloatArray | None:
        """Values of columns."""
        return None if self._held.values is None else self._held.values.copy()

    @property
    def row_keys(self) -> IntArray:
        """Keys of rows."""
        return self._rows.in_order()

    @property
    def usage(self) -> FloatArray | None:
        """Uses of quantities."""
        held, count = self._held, self.quantity_prices.size
        return None if held.values is None else held.uses.times(held.values, held.own.size)[:count]

    def farley(self, best_gain: float, *, cost: float = 1.0) -> float | None:
        """Farley's slack; raises `InvalidProblem` where a column of the master has a positive objective."""
        if not self._held.costs:
            raise InvalidProblem(
                "farley: a column of the master has a positive objective, and Farley's bound holds for costs only; "
                "use view.lagrangian with a limit on the number of columns"
            )
        return super().farley(best_gain, cost=cost)

    def prices(self, row_keys: IntArray) -> FloatArray:
        """Prices by row key; the last entry is the 0 of unknown rows."""
        return self._row_prices[self._rows.find(np.asarray(row_keys, np.int64))]

    def usage_prices(self) -> FloatArray:
        """Prices by quantity."""
        return self._usage_prices.copy()

    def fixing_prices(self) -> FloatArray:
        """Prices by quantity, due to fixings alone."""
        return self._fixing_prices.copy()

    def branch_prices(self) -> FloatArray:
        """Prices of the rows of branches."""
        return self._held.branch_prices.copy()

    def gain(self, columns: Columns) -> FloatArray:
        """Reduced costs of `columns`.

        Raises
        ------
        InvalidProblem
            A column has an entry in a row over quantities, which its uses imply already.
        """
        row = self._rows.find(columns.coefficients.indices)
        refuse_entries(columns, row, self._held.over)
        places = Sparse(columns.coefficients.indptr, row, columns.coefficients.values)
        paid = places.dot(self._row_prices) + columns.uses.dot(self._usage_prices)
        return self.objective_weight * columns.objective - paid

    def charged(self, quantity: int, price: float) -> MasterView:
        """The same with a price added to each use of a quantity, as a fixing of it would."""
        other = copy.copy(self)
        other._fixing_prices, other._usage_prices = self.fixing_prices(), self.usage_prices()
        other._fixing_prices[quantity] += price
        other._usage_prices[quantity] += price
        return other

    def allowances(self) -> FloatArray:
        """Allowances by quantity."""
        held, own = self._held, self._held.own[: self.quantity_prices.size]
        gain = np.append(held.gain, 0.0)[np.where(own < held.gain.size, own, -1)]
        allowed: FloatArray = np.maximum(0.0, -gain)
        allowed[self.decisions.quantity_of()[self.fixings.on]] = 0.0
        if self._banned is not None:
            allowed[self._banned] = np.inf
        return allowed


def refuse_entries(columns: Columns, row: IntArray, over: Entries) -> None:
    """Raise `InvalidProblem` where a column has an explicit entry, in the rows `row`, that its uses imply."""
    if not over.row.size:
        return
    twice = np.flatnonzero(np.isin(row, over.row))
    if twice.size:
        at = int(twice[0])
        raise InvalidProblem(
            f"column {columns.keys[columns.coefficients.row_numbers()[at]]} has an entry in row "
            f"{columns.coefficients.indices[at]}, which is over quantities: "
            "the entry follows from the column's uses, remove it"
        )


def use_limits(fixings: Fixings, decisions: Decisions, *, implied: bool = False) -> tuple[FloatArray, FloatArray]:
    """Least and largest use of each quantity under the fixings; crossed where these contradict each other.

    `implied`: without the least uses that decisions of threshold 1 ask for.
    """
    quantity, threshold = decisions.quantity_of(), decisions.threshold_of()
    lower, upper = np.full(decisions.quantities, -np.inf), np.full(decisions.quantities, np.inf)
    on, off = fixings.on, fixings.off
    if implied:
        on = on[threshold[on] > 1]
    np.maximum.at(lower, quantity[on], threshold[on])
    np.minimum.at(upper, quantity[off], threshold[off] - 1)
    return lower, upper


def point_of(use: FloatArray, decisions: Decisions) -> FloatArray:
    """Value of each decision at this use of its quantity."""
    point = use.copy() if decisions.quantity is None else use.take(decisions.quantity)
    if decisions.threshold is not None:
        point -= decisions.threshold
        point += 1.0
    np.maximum(point, 0.0, out=point)
    return np.minimum(point, 1.0, out=point)


def readable(problem: Problem[S], point: FloatArray) -> S | None:
    """The structure of an integral point; None when the problem cannot read one."""
    if np.any(np.abs(point - np.rint(point)) > INTEGRAL):
        return None
    try:
        return problem.decode(np.flatnonzero(point > 0.5))
    except (ValueError, LookupError):
        # The point may be unreadable until missing rows are separated.
        return None


def supported(price: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Prices, with 0 where the sign would meet an infinite side: any price is valid, only finite sides bound."""
    active = price.nonzero()[0]  # few, where most quantities have no limit
    if not active.size:
        return price
    some = price[active]
    lost = np.isinf(np.where(some > 0, upper[active], lower[active]))
    if not lost.any():
        return price
    kept = price.copy()
    kept[active[lost]] = 0.0
    return kept


def interval_bound(price: FloatArray, lower: FloatArray, upper: FloatArray) -> float:
    """Maximum of ``price @ a`` over ``lower <= a <= upper``, for supported prices."""
    active = price.nonzero()[0]
    if not active.size:
        return 0.0
    some = price[active]
    return float(some @ np.where(some > 0, upper[active], lower[active]))
