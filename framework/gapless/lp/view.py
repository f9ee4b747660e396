"""What generators see of a linear master, whoever solved it, and how fixings and points speak of decisions."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from gapless.core.batch import Columns
from gapless.core.decisions import Decisions, Fixings
from gapless.core.oracle import LinearView
from gapless.core.problem import Problem
from gapless.core.sparse import FloatArray, IntArray, Sparse
from gapless.lp.entries import Keys

S = TypeVar("S")

INTEGRAL = 1e-6
"""How far from an integer a value may lie and still count as one."""


class MasterView(LinearView):
    """What generators see of a linear master: a snapshot in scores, whoever solved it.

    Parameters
    ----------
    decisions : Decisions
    fixings : Fixings
    point : float64 (decisions,) or None
    rows : Keys
        Row keys, in the order of `row_prices`.
    row_prices : float64 (rows,)
    quantity_prices : float64 (quantities,)
        Because of fixings; bans are added here.
    own_gain : float64 (quantities,)
        Gain of each quantity's own column, 0 where it has none.
    objective_weight : float
        0 while columns are asked for that repair an infeasible master.
    """

    def __init__(
        self,
        decisions: Decisions,
        fixings: Fixings,
        point: FloatArray | None,
        rows: Keys,
        row_prices: FloatArray,
        quantity_prices: FloatArray,
        own_gain: FloatArray,
        objective_weight: float = 1.0,
    ) -> None:
        super().__init__(fixings, point)
        self.decisions = decisions
        self.objective_weight = objective_weight
        self._rows, self._row_prices = rows, np.append(row_prices, 0.0)
        self._banned = fixings.banned(decisions)
        self._usage = np.where(self._banned, np.inf, quantity_prices)
        self._own_gain = own_gain

    def prices(self, row_keys: IntArray) -> FloatArray:
        """Prices by row key; the entry past the end is the 0 of unknown rows."""
        return self._row_prices[self._rows.find(np.asarray(row_keys, np.int64))]

    def usage_prices(self) -> FloatArray:
        """Prices by quantity."""
        return self._usage.copy()

    def gain(self, columns: Columns) -> FloatArray:
        """Reduced costs of `columns`."""
        places = Sparse(
            columns.coefficients.indptr,
            self._rows.find(columns.coefficients.indices),
            columns.coefficients.values,
        )
        paid = places.dot(self._row_prices) + columns.uses.dot(self._usage)
        return self.objective_weight * columns.objective - paid

    def allowances(self) -> FloatArray:
        """Allowances by quantity."""
        allowed = np.maximum(0.0, -self._own_gain)
        allowed[self.decisions.quantity_of()[self.fixings.on]] = 0.0
        allowed[self._banned] = np.inf
        return allowed


def use_limits(fixings: Fixings, decisions: Decisions) -> tuple[FloatArray, FloatArray]:
    """Least and largest use of each quantity that the fixings leave; crossed where they contradict each other."""
    quantity, threshold = decisions.quantity_of(), decisions.threshold_of()
    lower, upper = np.full(decisions.quantities, -np.inf), np.full(decisions.quantities, np.inf)
    on, off = fixings.on, fixings.off
    np.maximum.at(lower, quantity[on], threshold[on])
    np.minimum.at(upper, quantity[off], threshold[off] - 1)
    return lower, upper


def point_of(use: FloatArray, decisions: Decisions) -> FloatArray:
    """How far each decision is on when its quantity is used this much."""
    return np.clip(use[decisions.quantity_of()] - (decisions.threshold_of() - 1), 0.0, 1.0)


def readable(problem: Problem[S], point: FloatArray) -> S | None:
    """The structure of an integral point; None when the problem cannot read one from it."""
    if np.any(np.abs(point - np.rint(point)) > INTEGRAL):
        return None
    try:
        return problem.decode(np.flatnonzero(point > 0.5))
    except (ValueError, LookupError):
        # Rows that are still to be separated may be what makes the point readable.
        return None


def supported(price: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Prices with 0 where the sign asks for an infinite side: any price is valid, only finite ones bound."""
    return np.where(np.where(price > 0, np.isinf(upper), np.isinf(lower)), 0.0, price)


def interval_bound(price: FloatArray, lower: FloatArray, upper: FloatArray) -> float:
    """Maximum of ``price @ a`` over ``lower <= a <= upper``, for supported prices."""
    active = price != 0
    return float(price[active] @ np.where(price > 0, upper, lower)[active])
