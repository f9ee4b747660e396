"""The restricted linear master on `pyscipopt.LP`: the only file that flips a sign.

SCIP's LP interface is used to minimise negated scores, whose duals have one convention. With y the dual of a row,
``price = -y`` is what a column pays for each unit in that row, and ``gain = objective - prices @ column`` is minus
SCIP's reduced cost: positive means that the column improves the maximising master. A Farkas ray r becomes prices in
the same way, ``price = -r``, with the objective left out: a column of positive gain repairs infeasibility.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Generic, TypeVar

import numpy as np
import pyscipopt
from pyscipopt import SCIP_LPPARAM  # type: ignore[attr-defined]  # missing from the stubs

from gapless.core.batch import Batch, Columns, Rows
from gapless.core.certificate import Certificate, NoCertificate
from gapless.core.decisions import ON, Fixings
from gapless.core.errors import InvalidProblem
from gapless.core.formulation import Formulation
from gapless.core.limits import Budget
from gapless.core.oracle import Answer, LinearView
from gapless.core.problem import Problem
from gapless.core.relaxation import Relaxed, Restricted
from gapless.core.sparse import BoolArray, FloatArray, IntArray, Sparse

S = TypeVar("S")
INTEGRALITY = 1e-6
_NOISE = 1e-9


class KeyIndex:
    """Positions of int64 keys, looked up in batches."""

    def __init__(self) -> None:
        self._sorted: IntArray = np.zeros(0, np.int64)
        self._order: IntArray = np.zeros(0, np.int64)

    def __len__(self) -> int:
        return self._sorted.size

    def add(self, keys: IntArray) -> None:
        """Give the next positions to new keys."""
        keys = np.concatenate([self._sorted, keys])
        order = np.argsort(keys, kind="stable")
        positions = np.concatenate([self._order, np.arange(self._order.size, keys.size)])
        self._sorted, self._order = keys[order], positions[order]

    def find(self, keys: IntArray) -> IntArray:
        """Position of each key, -1 where it is unknown."""
        if not self._sorted.size:
            return np.full(keys.shape, -1, np.int64)
        at = np.minimum(np.searchsorted(self._sorted, keys), self._sorted.size - 1)
        found: IntArray = np.where(self._sorted[at] == keys, self._order[at], -1)
        return found


def new_keys(index: KeyIndex, keys: IntArray) -> IntArray:
    """Numbers of the keys that `index` does not have, each key once."""
    _, first = np.unique(keys, return_index=True)
    first.sort()
    fresh: IntArray = first[index.find(keys[first]) < 0]
    return fresh


def use_intervals(
    fixings: Fixings, quantities: IntArray, thresholds: IntArray, count: int
) -> tuple[FloatArray, FloatArray]:
    """How much of each quantity the fixings require and allow: float64 (quantities,) twice."""
    least, most = np.zeros(count), np.full(count, np.inf)
    on, off = fixings.on, fixings.off
    np.maximum.at(least, quantities[on], thresholds[on])
    np.minimum.at(most, quantities[off], thresholds[off] - 1)
    return least, most


class MasterView(LinearView):
    """Prices of one solve of a linear master, as a snapshot."""

    def __init__(
        self,
        fixings: Fixings,
        point: FloatArray | None,
        row_index: KeyIndex,
        row_prices: FloatArray,
        usage: FloatArray,
        allowances: FloatArray,
        *,
        feasible: bool,
    ) -> None:
        super().__init__(fixings, point)
        self.objective_weight = 1.0 if feasible else 0.0
        self._row_index = row_index
        self._row_prices = row_prices
        self._usage = usage
        self._allowances = allowances

    def prices(self, row_keys: IntArray) -> FloatArray:
        """What a column pays for each unit in each row; unknown rows cost 0."""
        if not self._row_prices.size:
            return np.zeros(row_keys.shape)
        at = self._row_index.find(row_keys)
        known: FloatArray = np.where((at >= 0) & (at < self._row_prices.size), self._row_prices[at], 0.0)
        return known

    def usage_prices(self) -> FloatArray:
        """What a column pays for each unit of each quantity because of the fixings; inf where banned."""
        return self._usage

    def gain(self, columns: Columns) -> FloatArray:
        """Reduced cost, positive when the column improves the master; -inf when the fixings ban it."""
        entries = columns.coefficients
        paid = _row_sums(entries, entries.values * self.prices(entries.indices))
        used = _row_sums(columns.uses, columns.uses.values * self._usage[columns.uses.indices])
        total: FloatArray = self.objective_weight * columns.objective - paid - used
        return total

    def allowances(self) -> FloatArray:
        """See `LinearView.allowances`."""
        return self._allowances


def _row_sums(entries: Sparse, weights: FloatArray) -> FloatArray:
    return np.bincount(entries.row_numbers(), weights=weights, minlength=len(entries)).astype(np.float64)


class LinearMaster(Restricted[S, LinearView], Generic[S]):
    """The columns and rows generated so far, as a linear program.

    Fixings become column bounds where a quantity is banned, and otherwise one row for each quantity they speak of,
    ``least <= use <= most``, whose dual is the usage price that generators see.

    Parameters
    ----------
    problem : Problem
    formulation : Formulation
    """

    def __init__(self, problem: Problem[S], formulation: Formulation[S]) -> None:
        self.problem = problem
        self.formulation = formulation
        self.decisions = problem.decisions
        self._quantity = self.decisions.quantity_of()
        self._threshold = self.decisions.threshold_of()
        self._lp = pyscipopt.LP("gapless master", "minimize")
        self._infinity = self._lp.infinity()
        self._column_index, self._row_index = KeyIndex(), KeyIndex()
        self._columns = Columns.none()
        self._row_lower: FloatArray = np.zeros(0)
        self._row_upper: FloatArray = np.zeros(0)
        self._lp_row: IntArray = np.zeros(0, np.int64)
        self._use_row: IntArray = np.full(self.decisions.quantities, -1, np.int64)
        self._use_sides = np.tile([0.0, np.inf], (self.decisions.quantities, 1))
        self._own_column: IntArray = np.full(self.decisions.quantities, -1, np.int64)
        self._upper: FloatArray = np.zeros(0)
        self._view: MasterView | None = None
        self.extend(formulation.initial)

    # --- growing

    def extend(self, batch: Batch) -> int:
        """Add the rows, then the columns, that are not known yet; return how many were new."""
        return self._add_rows(batch.rows) + self._add_columns(batch.columns)

    def _add_rows(self, rows: Rows) -> int:
        fresh = new_keys(self._row_index, rows.keys)
        if not fresh.size:
            return 0
        entries = rows.coefficients.take(fresh)
        at = self._column_index.find(entries.indices)
        if (at < 0).any():
            row = rows.keys[fresh[entries.row_numbers()[at < 0][0]]]
            raise InvalidProblem(
                f"row {row} has an entry in column {entries.indices[at < 0][0]}, which the master does not have; "
                "columns of the same batch bring their own entries"
            )
        first = self._lp.nrows()
        self._lp.addRows(
            _pairs(entries, at),
            [self._finite(v) for v in rows.lower[fresh]],
            [self._finite(v) for v in rows.upper[fresh]],
        )
        self._row_index.add(rows.keys[fresh])
        self._row_lower = np.concatenate([self._row_lower, rows.lower[fresh]])
        self._row_upper = np.concatenate([self._row_upper, rows.upper[fresh]])
        self._lp_row = np.concatenate([self._lp_row, np.arange(first, first + fresh.size)])
        return int(fresh.size)

    def _add_columns(self, columns: Columns) -> int:
        fresh = new_keys(self._column_index, columns.keys)
        if not fresh.size:
            return 0
        new = columns.take(fresh)
        at = self._row_index.find(new.coefficients.indices)
        if (at < 0).any():
            column = new.keys[new.coefficients.row_numbers()[at < 0][0]]
            raise InvalidProblem(
                f"column {column} has an entry in row {new.coefficients.indices[at < 0][0]}, "
                "which neither the master nor the batch has"
            )
        if new.uses.indices.size and new.uses.indices.max() >= self.decisions.quantities:
            raise InvalidProblem(f"a column uses quantity {new.uses.indices.max()}, which no decision looks at")
        entries = _pairs(new.coefficients, self._lp_row[at])
        use_rows = self._use_row[new.uses.indices]
        for column, row, use in zip(
            new.uses.row_numbers()[use_rows >= 0],
            use_rows[use_rows >= 0],
            new.uses.values[use_rows >= 0],
            strict=True,
        ):
            entries[column].append((int(row), float(use)))
        self._lp.addCols(entries, (-new.objective).tolist(), [0.0] * len(new), [self._finite(v) for v in new.upper])
        first = len(self._columns)
        self._column_index.add(new.keys)
        self._columns = _joined(self._columns, new)
        self._upper = np.concatenate([self._upper, new.upper])
        single = np.flatnonzero(np.diff(new.uses.indptr) == 1)
        owners = new.uses.indices[new.uses.indptr[single]]
        unowned = self._own_column[owners] < 0
        self._own_column[owners[unowned][::-1]] = (single[unowned] + first)[::-1]
        return int(fresh.size)

    def _finite(self, value: float) -> float:
        return float(value) if math.isfinite(value) else math.copysign(self._infinity, value)

    # --- fixings

    def _apply(self, least: FloatArray, most: FloatArray, banned: BoolArray) -> None:
        upper = self._columns.upper.copy()
        if banned.any():
            upper[self._columns.uses.dot(banned.astype(np.float64)) > 0] = 0.0
        for column in np.flatnonzero(upper != self._upper):
            self._lp.chgBound(int(column), 0.0, self._finite(upper[column]))
        self._upper = upper
        # Uses are never negative, so 0 is a free lower side; freeing a row altogether would break the warm basis.
        sides = np.column_stack([least, np.where(banned, np.inf, most)])
        for quantity in np.flatnonzero((sides != self._use_sides).any(axis=1)):
            if self._use_row[quantity] < 0:
                self._make_use_row(int(quantity))
            lower, up = sides[quantity]
            self._lp.chgSide(int(self._use_row[quantity]), self._finite(lower), self._finite(up))
        self._use_sides = sides

    def _make_use_row(self, quantity: int) -> None:
        """A row for the use of one quantity, over all columns known so far; later ones enter it when they come."""
        here = self._columns.uses.indices == quantity
        columns = self._columns.uses.row_numbers()[here]
        self._use_row[quantity] = self._lp.nrows()
        entries = list(zip(columns.tolist(), self._columns.uses.values[here].tolist(), strict=True))
        self._lp.addRows([entries], [0.0], [self._infinity])

    # --- the role

    def solve(
        self, fixings: Fixings, budget: Budget, *, incumbent: float = -math.inf, state: Any = None
    ) -> Relaxed[S]:
        """Solve the linear program under the fixings, from the basis of the last solve.

        Raises
        ------
        InvalidProblem
            The master is unbounded: a row or an upper bound is missing from the formulation.
        """
        least, most = use_intervals(fixings, self._quantity, self._threshold, self.decisions.quantities)
        banned = most == 0
        if (least > most).any():
            nothing = np.zeros(self.decisions.quantities)
            self._view = self._snapshot(
                fixings, None, np.zeros(self._lp_row.size), nothing, nothing, feasible=False
            )
            return Relaxed(-math.inf, state=state)
        self._apply(least, most, banned)
        objective = -self._optimise()
        feasible = bool(self._lp.isOptimal())
        if not feasible and objective > 0:
            raise InvalidProblem("the linear master is unbounded; some column needs a row or an upper bound")
        duals = self._lp.getDual() if feasible else self._lp.getDualRay()
        if duals is None:
            raise InvalidProblem("the linear master is infeasible and SCIP gave no Farkas ray")
        prices = -np.asarray(duals, np.float64).reshape(-1)
        usage = np.where(self._use_row >= 0, prices[self._use_row] if prices.size else 0.0, 0.0)
        usage[banned] = np.inf
        row_prices = prices[self._lp_row]
        if not feasible:
            self._view = self._snapshot(fixings, None, row_prices, usage, np.zeros(usage.size), feasible=False)
            return Relaxed(-math.inf, state=state)
        values = np.asarray(self._lp.getPrimal(), np.float64)
        use = self._columns.uses.transpose_dot(values, self.decisions.quantities)
        point = np.clip(use[self._quantity] - (self._threshold - 1), 0.0, 1.0)
        self._view = self._snapshot(fixings, point, row_prices, usage, np.zeros(usage.size), feasible=True)
        gains = self._view.gain(self._columns)
        self._view = self._snapshot(
            fixings, point, row_prices, usage, self._allowances(fixings, gains, banned), feasible=True
        )
        bound = self._safe_bound(objective, row_prices, usage, gains, least, most)
        constant = self.formulation.constant
        return Relaxed(
            bound + constant, point, self._structure(values, use), attained=objective + constant, state=state
        )

    def _optimise(self) -> float:
        """Minimum of the negated scores; a warm basis that trips the solver is given up once."""
        try:
            return float(self._lp.solve())
        except Exception:  # pyscipopt raises nothing more precise
            self._lp.setIntParam(SCIP_LPPARAM.FROMSCRATCH, 1)
            try:
                return float(self._lp.solve())
            finally:
                self._lp.setIntParam(SCIP_LPPARAM.FROMSCRATCH, 0)

    def view(self) -> LinearView:
        """Prices of the last solve."""
        if self._view is None:
            raise RuntimeError("view() before solve()")
        return self._view

    def certify(self, answers: Sequence[Answer]) -> Certificate:
        """What the formulation makes of the prices; without a `certify` of its own there is no certificate."""
        if self.formulation.certify is None:
            return NoCertificate("the formulation says not how its prices prove a bound (Formulation.certify)")
        return self.formulation.certify(self.view(), answers)

    def _snapshot(
        self,
        fixings: Fixings,
        point: FloatArray | None,
        row_prices: FloatArray,
        usage: FloatArray,
        allowances: FloatArray,
        *,
        feasible: bool,
    ) -> MasterView:
        return MasterView(fixings, point, self._row_index, row_prices, usage, allowances, feasible=feasible)

    def _allowances(self, fixings: Fixings, gains: FloatArray, banned: BoolArray) -> FloatArray:
        allowances = np.zeros(self.decisions.quantities)
        owned = np.flatnonzero(self._own_column >= 0)
        allowances[owned] = np.maximum(0.0, -gains[self._own_column[owned]])
        allowances[self._quantity[fixings.state == ON]] = 0.0
        allowances[banned] = np.inf
        return allowances

    def _safe_bound(
        self,
        objective: float,
        row_prices: FloatArray,
        usage: FloatArray,
        gains: FloatArray,
        least: FloatArray,
        most: FloatArray,
    ) -> float:
        """The bound that the prices prove in float64; a column without an upper bound counts as noise."""
        noise = _NOISE * max(1.0, abs(objective))
        sides = np.where(row_prices > 0, self._row_upper, self._row_lower)
        charged = np.flatnonzero((usage != 0) & np.isfinite(usage))
        uses = np.where(usage[charged] > 0, most[charged], least[charged])
        profit = np.flatnonzero((gains > 0) & (self._upper > 0))
        unbounded = ~np.isfinite(self._upper[profit])
        active = np.abs(row_prices) > 0
        proved = float(
            (row_prices[active] * sides[active]).sum()
            + (usage[charged] * uses).sum()
            + (gains[profit] * self._upper[profit])[~unbounded].sum()
        )
        if math.isfinite(proved) and abs(proved - objective) <= 1e3 * noise:
            return max(objective, proved)
        return objective + noise

    def _structure(self, values: FloatArray, use: FloatArray) -> S | None:
        integer = self._columns.integer
        if (np.abs(values[integer] - np.round(values[integer])) > INTEGRALITY).any():
            return None
        on = np.flatnonzero(use[self._quantity] >= self._threshold - INTEGRALITY)
        try:
            return self.problem.decode(on)
        except InvalidProblem:  # integral, but cut off by rows that are still missing
            return None


def _pairs(entries: Sparse, positions: IntArray) -> list[list[tuple[int, float]]]:
    """Rows of (position, value) tuples, as `pyscipopt.LP` wants them."""
    flat = list(zip(positions.tolist(), entries.values.tolist(), strict=True))
    ends = entries.indptr.tolist()
    return [flat[a:b] for a, b in pairwise(ends)]


def _joined(a: Columns, b: Columns) -> Columns:
    return Columns(
        np.concatenate([a.keys, b.keys]),
        np.concatenate([a.objective, b.objective]),
        _stacked(a.coefficients, b.coefficients),
        _stacked(a.uses, b.uses),
        np.concatenate([a.upper, b.upper]),
        np.concatenate([a.integer, b.integer]),
    )


def _stacked(a: Sparse, b: Sparse) -> Sparse:
    return Sparse(
        np.concatenate([a.indptr, b.indptr[1:] + a.indptr[-1]]),
        np.concatenate([a.indices, b.indices]),
        np.concatenate([a.values, b.values]),
    )
