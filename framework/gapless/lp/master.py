"""The restricted master on ``pyscipopt.LP``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from gapless.core.batch import Batch, Columns, Rows
from gapless.core.certificate import Certificate, NoCertificate
from gapless.core.decisions import Fixings
from gapless.core.errors import InvalidProblem, SolveError
from gapless.core.formulation import Formulation
from gapless.core.limits import Budget
from gapless.core.oracle import Answer, LinearView
from gapless.core.problem import Problem
from gapless.core.relaxation import Relaxed, Restricted
from gapless.core.sparse import FloatArray, IntArray
from gapless.lp import signs
from gapless.lp.entries import Entries, Keys, check_columns, check_rows, claim_own, merged, pairs
from gapless.lp.view import INTEGRAL, MasterView, interval_bound, point_of, readable, supported, use_limits

S = TypeVar("S")

FEASIBLE = 1e-9
"""Feasibility and optimality tolerance of the LP solver: proofs compare scores at a relative 1e-8."""

LP_INFINITY = 1e100


class LinearMaster(Restricted[S, LinearView], Generic[S]):
    """The columns and rows known so far, as a warm-started LP.

    Parameters
    ----------
    problem : Problem
    formulation : Formulation

    Raises
    ------
    InvalidProblem
        The initial batch speaks of an unknown row, column or quantity, or holds numbers that no LP can.
    """

    def __init__(self, problem: Problem[S], formulation: Formulation[S]) -> None:
        from pyscipopt import LP  # noqa: PLC0415  keeps `import gapless` light
        from pyscipopt.scip import PY_SCIP_LPPARAM  # noqa: PLC0415

        self.problem, self.formulation = problem, formulation
        self.decisions = problem.decisions
        self._parameter: Any = PY_SCIP_LPPARAM
        self._lp: Any = LP("restricted master", "minimize")
        for tolerance in (self._parameter.FEASTOL, self._parameter.DUALFEASTOL):
            self._lp.setRealParam(tolerance, FEASIBLE)
        self._columns, self._rows = Keys(), Keys()
        self._objective, self._upper, self._upper_now = np.zeros(0), np.zeros(0), np.zeros(0)
        self._integer = np.zeros(0, bool)
        self._matrix, self._uses = Entries(), Entries()
        self._row_lower, self._row_upper = np.zeros(0), np.zeros(0)
        self._row_place = np.zeros(0, np.int64)
        count = self.decisions.quantities
        self._use_place = np.full(count, -1)
        self._use_lower, self._use_upper = np.full(count, -np.inf), np.full(count, np.inf)
        self._own = np.full(count, -1)
        self._view: LinearView | None = None
        self._row_price, self._use_price = np.zeros(0), np.zeros(count)
        self.extend(formulation.initial)

    # -- growing ------------------------------------------------------------------------------------------------

    def extend(self, batch: Batch) -> int:
        """Add the columns and rows whose keys are new; rows first, so that columns may enter them.

        Raises
        ------
        InvalidProblem
            An entry in an unknown row or column, an unknown quantity, or a number that is not one.
        """
        return self._add_rows(batch.rows) + self._add_columns(batch.columns)

    def _add_rows(self, rows: Rows) -> int:
        chosen = self._rows.fresh(rows.keys)
        if not chosen.size:
            return 0
        check_rows(rows)
        entries = rows.coefficients.take(chosen)
        column = self._columns.find(entries.indices)
        if np.any(column < 0):
            at = int(np.flatnonzero(column < 0)[0])
            raise InvalidProblem(
                f"row {rows.keys[chosen[entries.row_numbers()[at]]]} has an entry in column {entries.indices[at]}, "
                "which the master does not have; columns of the same batch bring their entries themselves"
            )
        lower, upper = rows.lower[chosen], rows.upper[chosen]
        row, column, value = merged(entries.row_numbers(), column, entries.values)
        self._row_place = np.append(self._row_place, self._lp.nrows() + np.arange(chosen.size))
        self._lp.addRows(pairs(row, column, value, chosen.size), _finite(lower).tolist(), _finite(upper).tolist())
        self._matrix.add(len(self._rows) + row, column, value)
        self._row_lower = np.append(self._row_lower, lower)
        self._row_upper = np.append(self._row_upper, upper)
        self._row_price = np.append(self._row_price, np.zeros(chosen.size))
        self._rows = self._rows.extended(rows.keys[chosen])
        return chosen.size

    def _add_columns(self, columns: Columns) -> int:
        chosen = self._columns.fresh(columns.keys)
        if not chosen.size:
            return 0
        columns = columns.take(chosen)
        check_columns(columns, self._use_place.size)
        row = self._rows.find(columns.coefficients.indices)
        if np.any(row < 0):
            at = int(np.flatnonzero(row < 0)[0])
            raise InvalidProblem(
                f"column {columns.keys[columns.coefficients.row_numbers()[at]]} has an entry in row "
                f"{columns.coefficients.indices[at]}, which is neither in the master nor in the same batch"
            )
        column, row, value = merged(columns.coefficients.row_numbers(), row, columns.coefficients.values)
        user, quantity, times = merged(columns.uses.row_numbers(), columns.uses.indices, columns.uses.values)
        placed = self._use_place[quantity] >= 0
        self._lp.addCols(
            pairs(
                np.append(column, user[placed]),
                np.append(self._row_place[row], self._use_place[quantity[placed]]),
                np.append(value, times[placed]),
                len(columns),
            ),
            signs.costs(columns.objective).tolist(),
            [0.0] * len(columns),
            _finite(columns.upper).tolist(),
        )
        first = len(self._columns)
        self._matrix.add(row, first + column, value)
        self._uses.add(quantity, first + user, times)
        self._objective = np.append(self._objective, columns.objective)
        self._upper = np.append(self._upper, columns.upper)
        self._upper_now = np.append(self._upper_now, columns.upper)
        self._integer = np.append(self._integer, columns.integer)
        self._columns = self._columns.extended(columns.keys)
        claim_own(self._own, first, columns)
        return len(columns)

    # -- fixings ------------------------------------------------------------------------------------------------

    def _impose(self, fixings: Fixings) -> bool:
        """Set bounds and sides of the LP to the fixings; False when those contradict each other."""
        lower, upper = use_limits(fixings, self.decisions)
        banned = fixings.banned(self.decisions)
        target = self._upper.copy()
        target[self._uses.column[banned[self._uses.row]]] = 0.0
        for j in np.flatnonzero(target != self._upper_now).tolist():
            self._lp.chgBound(j, 0.0, min(target[j], LP_INFINITY))
        self._upper_now = target
        if np.any(lower > upper):
            return False
        upper[banned] = np.inf
        bounded = np.isfinite(lower) | np.isfinite(upper)
        self._place_uses(np.flatnonzero(bounded & (self._use_place < 0)))
        for q in np.flatnonzero((lower != self._use_lower) | (upper != self._use_upper)).tolist():
            self._lp.chgSide(int(self._use_place[q]), max(lower[q], 0.0), min(upper[q], LP_INFINITY))
        self._use_lower, self._use_upper = lower, upper
        return True

    def _place_uses(self, quantities: IntArray) -> None:
        """Make the rows that limit the use of `quantities`; ``0 <= use`` limits nothing yet.

        An idle row keeps that side because SoPlex may fail when a row of its basis turns free. `_prices` drops what
        such a row earns, which costs the bound nothing.
        """
        if not quantities.size:
            return
        number = np.full(self._use_place.size, -1)
        number[quantities] = np.arange(quantities.size)
        entries = number[self._uses.row] >= 0
        row, column, value = merged(
            number[self._uses.row[entries]], self._uses.column[entries], self._uses.value[entries]
        )
        self._use_place[quantities] = self._lp.nrows() + np.arange(quantities.size)
        self._lp.addRows(
            pairs(row, column, value, quantities.size),
            [0.0] * quantities.size,
            [LP_INFINITY] * quantities.size,
        )

    # -- solving ------------------------------------------------------------------------------------------------

    def solve(
        self, fixings: Fixings, budget: Budget, *, incumbent: float = -math.inf, state: Any = None
    ) -> Relaxed[S]:
        """Solve the restricted LP under `fixings`.

        Returns
        -------
        Relaxed
            ``bound`` is recomputed from the row prices by weak duality; ``-inf`` when the restricted LP is
            infeasible (the view then prices for repair), ``inf`` when the time ran out in the LP.

        Raises
        ------
        InvalidProblem
            The LP is unbounded.
        SolveError
            The LP solver gave up.
        """
        if not self._impose(fixings):
            self._look(fixings, None, np.zeros(len(self._rows)), np.zeros(self._own.size), weight=0.0)
            return Relaxed(-math.inf, state=state)
        for fresh in (False, True):
            if self._optimise(budget, fresh):
                return self._optimal(fixings, state)
            if self._proved_infeasible(fixings):
                return Relaxed(-math.inf, state=state)
            if self._lp.getPrimalRay() is not None:
                raise InvalidProblem(
                    "the restricted master is unbounded; give every column of positive objective an upper bound "
                    "or a row that limits it"
                )
            if budget.spent() is not None:
                self._look(fixings, None, self._row_price, self._use_price)
                return Relaxed(math.inf, state=state)
        raise SolveError(
            f"the LP solver found neither an optimum nor a proof that there is none ({len(self._rows)} rows, "
            f"{len(self._columns)} columns); very large or very small coefficients are the usual cause"
        )

    def _optimise(self, budget: Budget, fresh: bool) -> bool:
        self._lp.setRealParam(self._parameter.LPTILIM, min(max(1e-3, budget.time_left), LP_INFINITY))
        if fresh:
            self._lp.setIntParam(self._parameter.FROMSCRATCH, 1)
        try:
            self._lp.solve(dual=not fresh)
        except Exception as error:  # pyscipopt raises nothing more precise
            if fresh:
                raise SolveError(f"the LP solver failed: {error}") from error
            return self._optimise(budget, fresh=True)
        finally:
            self._lp.setIntParam(self._parameter.FROMSCRATCH, 0)
        return bool(self._lp.isOptimal())

    def _optimal(self, fixings: Fixings, state: Any) -> Relaxed[S]:
        z = np.clip(self._lp.getPrimal(), 0.0, None)
        reached = float(self._objective @ z)
        row_price, use_price = self._prices(self._lp.getDual())
        point = point_of(self._uses.times(z, self._own.size), self.decisions)
        gain = self._look(fixings, point, row_price, use_price)
        bound = self._dual_bound(row_price, use_price, gain)
        if math.isinf(bound):
            bound = reached + FEASIBLE * max(1.0, abs(reached))
        constant = self.formulation.constant
        structure = self._structure(z, point)
        return Relaxed(bound + constant, point, structure, min(reached, bound) + constant, state=state)

    def _proved_infeasible(self, fixings: Fixings) -> bool:
        """Whether the solver's ray proves, in float64, that no z satisfies the rows. Sets the view for repair."""
        ray = self._lp.getDualRay()
        if not ray:
            return False
        row_price, use_price = self._prices(np.asarray(ray) / max(np.abs(ray).max(), FEASIBLE))
        gain = self._look(fixings, None, row_price, use_price, weight=0.0)
        # With objective 0 every z would reach 0; a bound below it leaves none.
        return self._dual_bound(row_price, use_price, np.where(gain <= FEASIBLE, 0.0, gain)) < 0

    def _prices(self, dual: Sequence[float] | FloatArray) -> tuple[FloatArray, FloatArray]:
        """Prices of rows and of quantities; numerical noise that would meet an infinite side is dropped."""
        y = np.asarray(dual, np.float64)
        price = np.append(signs.prices(y), 0.0)
        use = np.where(self._use_place >= 0, price[self._use_place], 0.0)
        return (
            supported(price[self._row_place], self._row_lower, self._row_upper),
            supported(use, self._use_lower, self._use_upper),
        )

    def _look(
        self,
        fixings: Fixings,
        point: FloatArray | None,
        row_price: FloatArray,
        use_price: FloatArray,
        weight: float = 1.0,
    ) -> FloatArray:
        """Make the view of these prices, and return the gains of all columns (bans left out)."""
        self._row_price, self._use_price = (row_price, use_price) if weight else (0 * row_price, 0 * use_price)
        count = len(self._columns)
        gain = weight * self._objective - self._matrix.priced(row_price, count)
        gain -= self._uses.priced(use_price, count)
        own = np.where(self._own >= 0, np.append(gain, 0.0)[self._own], 0.0)
        self._view = MasterView(
            self.decisions, fixings, point, self._rows, row_price, use_price, own, objective_weight=weight
        )
        return gain

    def _dual_bound(self, row_price: FloatArray, use_price: FloatArray, gain: FloatArray) -> float:
        """Weak duality in float64; infinite when a positive gain meets a column that nothing bounds."""
        upper = self._upper_now
        unbounded = (gain > 0) & np.isinf(upper)
        if np.any(unbounded):
            upper = np.where(unbounded, self._implied_upper(), upper)
        positive = gain > 0
        return (
            interval_bound(row_price, self._row_lower, self._row_upper)
            + interval_bound(use_price, self._use_lower, self._use_upper)
            + float(gain[positive] @ upper[positive])
        )

    def _implied_upper(self) -> FloatArray:
        """What a row without negative entries leaves each of its columns."""
        upper = self._upper_now.copy()
        least = np.zeros(len(self._rows))
        np.minimum.at(least, self._matrix.row, self._matrix.value)
        tight = (least[self._matrix.row] >= 0) & (self._matrix.value > 0)
        side = np.maximum(self._row_upper[self._matrix.row[tight]], 0.0)
        np.minimum.at(upper, self._matrix.column[tight], side / self._matrix.value[tight])
        return upper

    def _structure(self, z: FloatArray, point: FloatArray) -> S | None:
        """The structure of an integral solution, if the problem can read it; the engine judges it."""
        if np.any(np.abs(z - np.rint(z))[self._integer] > INTEGRAL):
            return None
        return readable(self.problem, point)

    def view(self) -> LinearView:
        """Prices and point of the last `solve`, unchanged by what has been added since."""
        if self._view is None:
            raise SolveError("the restricted master has not been solved yet: call solve() before view()")
        return self._view

    def certify(self, answers: Sequence[Answer]) -> Certificate:
        """What `Formulation.certify` makes of the last view."""
        if self.formulation.certify is None:
            return NoCertificate("the formulation brings no `certify`, which would turn LP prices into evidence")
        return self.formulation.certify(self.view(), answers)


def _finite(sides: FloatArray) -> FloatArray:
    return np.clip(sides, -LP_INFINITY, LP_INFINITY)
