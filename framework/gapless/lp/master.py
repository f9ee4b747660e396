"""The restricted master on ``pyscipopt.LP``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from gapless.core.batch import Batch
from gapless.core.certificate import Certificate, NoCertificate
from gapless.core.decisions import Fixings
from gapless.core.errors import InvalidProblem, SolveError
from gapless.core.formulation import Formulation
from gapless.core.limits import Budget
from gapless.core.oracle import Answer, LinearView
from gapless.core.problem import Problem, score_of
from gapless.core.relaxation import Descent, Relaxed, Restricted
from gapless.core.sparse import FloatArray, IntArray
from gapless.core.tolerance import meets
from gapless.lp.integral import best_columns
from gapless.lp.ledger import Ledger
from gapless.lp.objective import check_objective
from gapless.lp.program import FEASIBLE, LinearProgram
from gapless.lp.smoothing import smoothed
from gapless.lp.view import MasterView, point_of, readable

S = TypeVar("S")


class LinearMaster(Restricted[S, LinearView], Generic[S]):
    """The columns and rows found so far, as a warm-started LP.

    Parameters
    ----------
    problem : Problem
    formulation : Formulation

    Raises
    ------
    InvalidProblem
        The initial batch names an unknown row, column or quantity, or holds numbers that an LP cannot.
    """

    heeds_rows = True

    def __init__(self, problem: Problem[S], formulation: Formulation[S]) -> None:
        self.problem, self.formulation = problem, formulation
        self.decisions = problem.decisions
        self._lp = LinearProgram("restricted master")
        self._ledger = Ledger(problem)
        self._upper = np.zeros(0)
        self._column_age = formulation.pricing.column_age
        self._column_place, self._placed = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._age = np.zeros(0, np.int64)
        self._row_place = np.zeros(0, np.int64)
        count = self.decisions.quantities
        self._use_place = np.full(count, -1)
        self._use_lower, self._use_upper = np.full(count, -np.inf), np.full(count, np.inf)
        self._view: LinearView | None = None
        self._use_price = np.zeros(count)
        self._row_price = self._gain = np.zeros(0)
        self.extend(formulation.initial)
        self._ledger.kept = 0 if formulation.pricing.initial_priced else len(self._ledger.columns)

    def extend(self, batch: Batch) -> int:
        """Add columns and rows with new keys; rows first, so that columns may enter them.

        Raises
        ------
        InvalidProblem
            An entry in an unknown row or column, or in a row over quantities; an unknown quantity; a number that is
            not finite.
        """
        rows = self._ledger.enter_rows(batch.rows)
        if rows is not None:
            place = self._column_place[rows.column]
            inside = place >= 0
            first = self._lp.add_rows(rows.row[inside], place[inside], rows.value[inside], rows.lower, rows.upper)
            self._row_place = np.append(self._row_place, first + np.arange(len(rows)))
            self._row_price = np.append(self._row_price, np.zeros(len(rows)))
        columns = self._ledger.enter_columns(batch.columns)
        if columns is not None:
            placed = self._use_place[columns.quantity] >= 0
            self._note(columns.first + np.arange(len(columns)))
            self._lp.add_columns(
                np.append(columns.column, columns.user[placed]),
                np.append(self._row_place[columns.row], self._use_place[columns.quantity[placed]]),
                np.append(columns.value, columns.times[placed]),
                columns.columns.objective,
                columns.columns.upper,
            )
            self._upper = np.append(self._upper, columns.columns.upper)
        return len(rows or ()) + len(columns or ())

    def _impose(self, fixings: Fixings) -> bool:
        """Set bounds and sides of the LP to the fixings; False when these contradict each other."""
        ledger = self._ledger
        possible = ledger.impose(fixings)
        self._follow_sums()
        if not possible:
            return False
        for j in np.flatnonzero((ledger.upper_now != self._upper) & (self._column_place >= 0)).tolist():
            self._lp.limit(int(self._column_place[j]), float(ledger.upper_now[j]))
        self._upper = ledger.upper_now
        lower, upper = ledger.use_lower, ledger.use_upper
        if lower is self._use_lower and upper is self._use_upper:
            return True
        bounded = np.isfinite(lower) | np.isfinite(upper)
        self._place_uses(np.flatnonzero(bounded & (self._use_place < 0)))
        for q in np.flatnonzero((lower != self._use_lower) | (upper != self._use_upper)).tolist():
            self._lp.set_sides(int(self._use_place[q]), max(float(lower[q]), 0.0), float(upper[q]))
        self._use_lower, self._use_upper = lower, upper
        return True

    def _follow_sums(self) -> None:
        """Room for the quantities of new sums."""
        new = self._ledger.own.size - self._use_place.size
        if new:
            self._use_place = np.append(self._use_place, np.full(new, -1))
            self._use_lower = np.append(self._use_lower, np.full(new, -np.inf))
            self._use_upper = np.append(self._use_upper, np.full(new, np.inf))
            self._use_price = np.append(self._use_price, np.zeros(new))

    def _place_uses(self, quantities: IntArray) -> None:
        """Add the rows that limit the use of `quantities`; ``0 <= use`` limits nothing yet.

        An idle row keeps that side because SoPlex may fail when a row of its basis becomes free. `_prices` drops
        the price of such a row, at no cost to the bound.
        """
        if not quantities.size:
            return
        uses = self._ledger.uses
        number = np.full(self._use_place.size, -1)
        number[quantities] = np.arange(quantities.size)
        entries = (number[uses.row] >= 0) & (self._column_place[uses.column] >= 0)
        first = self._lp.add_rows(
            number[uses.row[entries]],
            self._column_place[uses.column[entries]],
            uses.value[entries],
            np.zeros(quantities.size),
            np.full(quantities.size, np.inf),
        )
        self._use_place[quantities] = first + np.arange(quantities.size)

    def solve(
        self, fixings: Fixings, budget: Budget, *, incumbent: float = -math.inf, state: Any = None
    ) -> Relaxed[S]:
        """Solve the restricted LP under `fixings`.

        Returns
        -------
        Relaxed
            ``bound`` is recomputed from the row prices by weak duality; ``-inf`` when the restricted LP is
            infeasible (the view's prices then serve its repair), ``inf`` when time ran out in the LP.

        Raises
        ------
        InvalidProblem
            The LP is unbounded.
        SolveError
            The LP solver failed.
        """
        if self._column_age:
            self._clean()
        if not self._impose(fixings):
            self._make_view(fixings, None, 0 * self._row_price, 0 * self._use_price, weight=0.0)
            return Relaxed(-math.inf, state=state)
        relaxed = self._solved(fixings, budget, state)
        # The pool is priced before any generator: one pass over the gains of the columns that left the program.
        while self._column_age and budget.spent() is None and self._return_columns():
            relaxed = self._solved(fixings, budget, state)
        return relaxed

    def _solved(self, fixings: Fixings, budget: Budget, state: Any) -> Relaxed[S]:
        """Solve the program as it is."""
        for fresh in (False, True):
            if self._lp.optimise(budget.time_left, fresh=fresh):
                relaxed = self._optimal(fixings, state)
                if not meets(relaxed.bound, relaxed.attained) and self._lp.optimise_plainly(budget.time_left):
                    relaxed = self._optimal(fixings, state)
                return relaxed
            if self._proved_infeasible(fixings):
                return Relaxed(-math.inf, state=state)
            if self._column_age and self._return_columns():
                return self._solved(fixings, budget, state)
            if self._lp.unbounded:
                raise InvalidProblem(
                    "the restricted master is unbounded; give every column of positive objective an upper bound "
                    "or a row that limits it"
                )
            if budget.spent() is not None:
                self._make_view(fixings, None, self._row_price, self._use_price)
                return Relaxed(math.inf, state=state)
        raise SolveError(
            f"the LP solver found neither an optimum nor a proof of infeasibility ({self._lp.rows} rows, "
            f"{self._lp.columns} columns); very large or very small coefficients are the usual cause"
        )

    def _note(self, columns: IntArray) -> None:
        """These columns of the ledger enter the program next."""
        fresh = int(columns.max()) + 1 - self._column_place.size
        if fresh > 0:
            self._column_place = np.append(self._column_place, np.full(fresh, -1))
            self._age = np.append(self._age, np.zeros(fresh, np.int64))
        self._column_place[columns] = self._placed.size + np.arange(columns.size)
        self._age[columns] = 0
        self._placed = np.append(self._placed, columns)

    def _point(self) -> FloatArray:
        """Values of all columns of the ledger; those outside the program are 0."""
        z = np.zeros(len(self._ledger.columns))
        z[self._placed] = self._lp.point()
        return z

    def _clean(self) -> None:
        """Take the columns out of the program that lost in many solves; the ledger keeps them."""
        old = (self._age >= self._column_age) & (self._column_place >= 0)
        old[: self._ledger.kept] = False
        if 4 * np.count_nonzero(old) < self._placed.size:
            return  # few deletions at a time are not worth their factorisation
        gone = self._column_place[old]
        self._lp.delete_columns(np.sort(gone))
        self._placed = np.delete(self._placed, gone)
        self._column_place[old] = -1
        self._column_place[self._placed] = np.arange(self._placed.size)

    def _return_columns(self) -> bool:
        """Put the pooled columns that gain at the last prices back into the program; whether there were some."""
        ledger = self._ledger
        gain = self._gain
        inside = self._column_place >= 0
        self._age = np.where(inside & (gain < -FEASIBLE), self._age + 1, 0)
        back = np.flatnonzero(~inside & (gain > FEASIBLE) & (ledger.upper_now > 0))
        if not back.size:
            return False
        number = np.full(inside.size, -1)
        number[back] = np.arange(back.size)
        held = number[ledger.matrix.column] >= 0
        used = (number[ledger.uses.column] >= 0) & (self._use_place[ledger.uses.row] >= 0)
        self._note(back)
        self._lp.add_columns(
            number[np.append(ledger.matrix.column[held], ledger.uses.column[used])],
            np.append(self._row_place[ledger.matrix.row[held]], self._use_place[ledger.uses.row[used]]),
            np.append(ledger.matrix.value[held], ledger.uses.value[used]),
            ledger.objective[back],
            ledger.upper_now[back],
        )
        return True

    def integral(self, fixings: Fixings, budget: Budget, *, incumbent: float = -math.inf) -> S | None:
        """The structure of the best integral combination of the columns at hand, found by SCIP.

        None when that does not beat the incumbent, or is no structure.
        """
        if not self._impose(fixings):
            return None
        above = incumbent - self.formulation.constant
        z = best_columns(self._ledger, budget, above)
        if z is None:
            return None
        use = self._ledger.uses.times(z, self._ledger.own.size)[: self.decisions.quantities]
        structure = readable(self.problem, point_of(use, self.decisions))
        if structure is None or self.problem.violations(structure):
            return None
        return structure if score_of(self.problem, structure) > incumbent else None

    def _optimal(self, fixings: Fixings, state: Any) -> Relaxed[S]:
        z = self._point()
        reached = float(self._ledger.objective @ z)
        row_price, use_price = self._prices(self._lp.prices())
        constant = self.formulation.constant
        view, gain = self._make_view(fixings, z, row_price, use_price, objective=reached + constant)
        bound = self._ledger.dual_bound(row_price, use_price, gain)
        if math.isinf(bound):
            bound = reached + FEASIBLE * max(1.0, abs(reached))
        view.bound = bound + constant
        structure = self._ledger.structure(view)
        return Relaxed(bound + constant, view.point, structure, min(reached, bound) + constant, state=state)

    def _proved_infeasible(self, fixings: Fixings) -> bool:
        """Whether the solver's ray proves, in float64, that no z satisfies the rows. Sets the view for repair."""
        ray = self._lp.farkas_prices()
        if ray is None:
            return False
        row_price, use_price = self._prices(ray)
        _, gain = self._make_view(fixings, None, row_price, use_price, weight=0.0)
        # With objective 0 every z scores 0; a bound below 0 leaves none. Noise is ignored only in columns
        # without an upper bound, where it could not be bounded.
        noise = (gain <= FEASIBLE) & np.isinf(self._ledger.upper_now)
        return self._ledger.dual_bound(row_price, use_price, np.where(noise, 0.0, gain)) < -FEASIBLE

    def _prices(self, price: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Prices of rows and of quantities, without numerical noise that would meet an infinite side."""
        every = np.append(price, 0.0)
        use = every[self._use_place]  # the 0 at -1, where a quantity has no row
        return self._ledger.supported(every[self._row_place], use)

    def _make_view(
        self,
        fixings: Fixings,
        z: FloatArray | None,
        row_price: FloatArray,
        use_price: FloatArray,
        *,
        weight: float = 1.0,
        objective: float = -math.inf,
    ) -> tuple[MasterView, FloatArray]:
        """The view of these prices and this solution, and the gains of all columns without the bans."""
        self._row_price, self._use_price = (row_price, use_price) if weight else (0 * row_price, 0 * use_price)
        self._gain = gain = self._ledger.gain(row_price, use_price, weight)
        self._view = view = self._ledger.view(
            fixings,
            z,
            row_price,
            use_price,
            gain,
            weight=weight,
            objective=objective,
            constant=self.formulation.constant,
        )
        return view, gain

    def judge(self, relaxed: Relaxed[S], bound: float) -> None:
        """Compare the objective of an integral point with the value of its structure."""
        if self.formulation.exact and relaxed.structure is not None:
            constant = self.formulation.constant
            check_objective(self._ledger, self._point(), relaxed.structure, constant, bound)

    def view(self) -> LinearView:
        """Prices and point of the last `solve`, unaffected by later additions."""
        if self._view is None:
            raise SolveError("the restricted master has not been solved yet: call solve() before view()")
        return self._view

    def certify(self, answers: Sequence[Answer]) -> Certificate:
        """The certificate of `Formulation.certify` for the last view."""
        if self.formulation.certify is None:
            return NoCertificate("the formulation does not provide `certify`, which turns LP prices into evidence")
        return self.formulation.certify(self.view(), answers)

    def evidence(self, view: LinearView, answers: Sequence[Answer]) -> Callable[[], Certificate]:
        """The same for any view of this master."""
        certify = self.formulation.certify
        return (lambda: self.certify(answers)) if certify is None else (lambda: certify(view, answers))

    def usage_gains(self, view: LinearView) -> FloatArray | None:
        """The best gains of held columns at the prices of a view."""
        if not isinstance(view, MasterView):
            return None
        return self._ledger.usage_gains(view.row_prices, view.limit_prices)

    def charged(self, view: LinearView, quantity: int, price: float) -> LinearView:
        """A view with a price added to each use of a quantity."""
        return view.charged(quantity, price) if isinstance(view, MasterView) else view

    def smoothed(
        self,
        view: LinearView,
        centre: LinearView | Mapping[int, float],
        share: float,
        descent: Descent | None = None,
    ) -> LinearView | None:
        """A view of the last `solve`, at smoothed prices."""
        if not isinstance(view, MasterView):
            return None
        return smoothed(self._ledger, view, centre, share, descent)
