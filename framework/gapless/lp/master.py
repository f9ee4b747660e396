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
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.core.tolerance import INTEGRAL, meets
from gapless.lp.entries import Entries, Nonzeros, joined
from gapless.lp.integral import best_columns
from gapless.lp.ledger import Ledger
from gapless.lp.objective import check_objective
from gapless.lp.program import FEASIBLE, LinearProgram
from gapless.lp.smoothing import lacking, smoothed
from gapless.lp.stay import FEW, Stay
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
        self._ledger = Ledger(problem, formulation.excludes)
        self._upper: FloatArray | None = None  # upper bounds in the program, None for those of the columns
        self._column_age, self._row_age = formulation.pricing.column_age, formulation.pricing.row_age
        self._columns, self._rows, self._uses = Stay(), Stay(), Stay()
        count = self.decisions.quantities
        self._uses.add(count, None)
        self._use_lower, self._use_upper = np.full(count, -np.inf), np.full(count, np.inf)
        self._view: LinearView | None = None
        self._use_price = np.zeros(count)
        self._row_price = self._gain = np.zeros(0)
        self.extend(formulation.initial)
        self._kept_rows = len(self._ledger.rows)
        self._ledger.kept = 0 if formulation.pricing.initial_priced else len(self._ledger.columns)

    @property
    def size(self) -> tuple[int, int]:
        """Numbers of columns and of rows, initial ones and those outside the program included."""
        return len(self._ledger.columns), len(self._ledger.rows)

    def extend(self, batch: Batch) -> int:
        """Add columns and rows with new keys; rows first, so that columns may enter them.

        Raises
        ------
        InvalidProblem
            An entry in an unknown row or column, or in a row over quantities; an unknown quantity; a number that is
            not finite.
        """
        rows = self._ledger.enter_rows(batch.rows) if len(batch.rows) else None
        if rows is not None:
            place = self._columns.place[rows.column]
            inside = place >= 0
            first = self._lp.add_rows(rows.row[inside], place[inside], rows.value[inside], rows.lower, rows.upper)
            self._rows.add(len(rows), first)
            self._row_price = np.append(self._row_price, np.zeros(len(rows)))
        columns = self._ledger.enter_columns(batch.columns) if len(batch.columns) else None
        if columns is not None:
            first = self._lp.add_columns(
                *self._placed(
                    (columns.column, columns.row, columns.value), (columns.user, columns.quantity, columns.times)
                ),
                columns.columns.objective,
                columns.columns.upper,
            )
            self._columns.add(len(columns), first)
        return len(rows or ()) + len(columns or ())

    def _placed(self, entries: Nonzeros, uses: Nonzeros) -> Nonzeros:
        """Entries of columns in rows, and their uses, by the places of those rows in the program."""
        column, row, value = entries
        row = self._rows.place[row]
        if self._rows.outside:
            inside = row >= 0
            column, row, value = column[inside], row[inside], value[inside]
        use = self._uses.place[uses[1]]
        limited = (use >= 0).nonzero()[0]
        if not limited.size:
            return column, row, value
        return joined((column, row, value), (uses[0][limited], use[limited], uses[2][limited]))

    def _impose(self, fixings: Fixings) -> bool:
        """Set bounds and sides of the LP to the fixings; False when these contradict each other."""
        ledger = self._ledger
        possible = ledger.impose(fixings)
        self._follow_sums()
        if not possible:
            return False
        self._impose_upper()
        lower, upper = ledger.use_lower, ledger.use_upper
        if lower is self._use_lower and upper is self._use_upper:
            return True
        bounded = np.isfinite(lower) | np.isfinite(upper)
        self._place_uses(np.flatnonzero(bounded & (self._uses.place < 0)))
        changed = (lower != self._use_lower) | (upper != self._use_upper)
        for q in np.flatnonzero(changed & (self._uses.place >= 0)).tolist():
            self._lp.set_sides(int(self._uses.place[q]), max(float(lower[q]), 0.0), float(upper[q]))
        self._use_lower, self._use_upper = lower, upper
        return True

    def _impose_upper(self) -> None:
        """Upper bounds of the columns in the program."""
        ledger = self._ledger
        if self._upper is None and ledger.upper_now is ledger.upper:
            return
        before = ledger.upper if self._upper is None else self._upper
        before = np.append(before, ledger.upper[before.size :])  # new columns enter with their own
        place = self._columns.place
        for j in np.flatnonzero((ledger.upper_now != before) & (place >= 0)).tolist():
            self._lp.limit(int(place[j]), float(ledger.upper_now[j]))
        self._upper = None if ledger.upper_now is ledger.upper else ledger.upper_now

    def _follow_sums(self) -> None:
        """Room for the quantities of new sums."""
        new = self._ledger.own.size - self._uses.place.size
        if new:
            self._uses.add(new, None)
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
        sides = np.zeros(quantities.size), np.full(quantities.size, np.inf)
        self._uses.enter(quantities, self._add_rows(uses, quantities, self._uses.place.size, *sides))

    def _add_rows(self, entries: Entries, rows: IntArray, count: int, lower: FloatArray, upper: FloatArray) -> int:
        """Add some of `count` rows of a matrix to the program; return the place of the first."""
        number = np.full(count, -1)
        number[rows] = np.arange(rows.size)
        inside = (number[entries.row] >= 0) & (self._columns.place[entries.column] >= 0)
        return self._lp.add_rows(
            number[entries.row[inside]],
            self._columns.place[entries.column[inside]],
            entries.value[inside],
            lower,
            upper,
        )

    def solve(
        self, fixings: Fixings, budget: Budget, *, incumbent: float = -math.inf, state: Any = None
    ) -> Relaxed[S]:
        """Solve the restricted LP under `fixings`.

        Returns
        -------
        Relaxed
            ``bound`` is recomputed from the row prices by weak duality; ``-inf`` when the restricted LP is
            infeasible (the view's prices then serve its repair), ``inf`` when time ran out in the LP or before an
            unlimited column that gains came back into it.

        Raises
        ------
        InvalidProblem
            The LP is unbounded.
        SolveError
            The LP solver failed.
        """
        self._clean()
        if not self._impose(fixings):
            self._make_view(fixings, None, 0 * self._row_price, 0 * self._use_price, weight=0.0)
            return Relaxed(-math.inf, state=state)
        relaxed = self._solved(fixings, budget, state)
        # What left the program is asked before any generator, by one pass over gains or over violations. A violated
        # row returns at any rate: without it, what was attained is not.
        while self._return_rows() or (
            self._column_age
            and budget.spent() is None
            and not self._stays_open(relaxed, incumbent)
            and self._return_columns()
        ):
            relaxed = self._solved(fixings, budget, state)
        return relaxed

    def _stays_open(self, relaxed: Relaxed[S], incumbent: float) -> bool:
        """Whether the node is branched whatever else comes."""
        pricing, granularity = self.formulation.pricing, self.problem.granularity
        return pricing.leaves_open(relaxed.attained, incumbent, granularity, relaxed.structure)

    def _solved(self, fixings: Fixings, budget: Budget, state: Any) -> Relaxed[S]:
        """Solve the program as it is."""
        self._lp.counts_cpu = budget.counts_cpu
        for fresh in (False, True):
            if self._lp.optimise(budget.time_left, fresh=fresh):
                relaxed = self._optimal(fixings, state)
                loose = not meets(relaxed.bound, relaxed.attained) and not self._waiting().size
                if loose and self._lp.optimise_plainly(budget.time_left):
                    relaxed = self._optimal(fixings, state)
                return relaxed
            short_by = self._short_by(fixings)
            if short_by > FEASIBLE:
                return Relaxed(-math.inf, state=state, short_by=short_by)
            if self._column_age and self._return_columns():
                return self._solved(fixings, budget, state)
            if self._lp.unbounded:
                if self._rows.outside:
                    self._bring_rows(np.flatnonzero(self._rows.place < 0))
                    return self._solved(fixings, budget, state)
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

    def _clean(self) -> None:
        """Take out of the program what was idle in many solves; the ledger keeps it."""
        if self._column_age:
            old = self._columns.idle(self._column_age)
            old = old[old >= self._ledger.kept]
            if old.size and FEW * old.size >= self._lp.columns:
                self._columns.follow(self._lp.delete_columns(self._columns.place[old]))
        if self._row_age:
            rows, uses = self._rows.idle(self._row_age), self._uses.idle(self._row_age)
            rows = rows[rows >= self._kept_rows]
            uses = uses[self._unlimited()[uses]]  # `integral` may have limited one since the last solve
            old = np.append(self._rows.place[rows], self._uses.place[uses])
            if old.size and FEW * old.size >= self._lp.rows:
                moved = self._lp.delete_rows(old)
                self._rows.follow(moved)
                self._uses.follow(moved)

    def _unlimited(self) -> BoolArray:
        """Mask of the uses that the program does not limit now."""
        free: BoolArray = np.isinf(self._use_lower) & np.isinf(self._use_upper)
        return free

    def _waiting(self) -> IntArray:
        """The columns outside that gain at the last prices."""
        if not self._columns.outside:
            return np.zeros(0, np.int64)
        outside = (self._columns.place < 0) & (self._gain > FEASIBLE)
        return np.flatnonzero(outside & (self._ledger.upper_now > 0))

    def _return_columns(self) -> bool:
        """Put the columns outside that gain at the last prices back into the program; whether there were some."""
        ledger, gain, place = self._ledger, self._gain, self._columns.place
        self._columns.spend((gain < -FEASIBLE) | (ledger.upper_now == 0))
        back = self._waiting()
        if not back.size:
            return False
        number = np.full(place.size, -1)
        number[back] = np.arange(back.size)
        held, used = number[ledger.matrix.column] >= 0, number[ledger.uses.column] >= 0
        matrix, uses = ledger.matrix, ledger.uses
        first = self._lp.add_columns(
            *self._placed(
                (number[matrix.column[held]], matrix.row[held], matrix.value[held]),
                (number[uses.column[used]], uses.row[used], uses.value[used]),
            ),
            ledger.objective[back],
            ledger.upper_now[back],
        )
        self._columns.enter(back, first)
        return True

    def _return_rows(self) -> bool:
        """Put the rows outside that the last solution violates back into the program; whether there were some.

        Rows of the fixings never leave while they limit anything.
        """
        if not self._row_age or self._view is None or (z := self._view.column_values) is None:
            return False
        ledger = self._ledger
        activity = ledger.matrix.times(z, len(ledger.rows))
        room = np.minimum(activity - ledger.row_lower, ledger.row_upper - activity)
        self._rows.spend(room > INTEGRAL)
        self._uses.spend(self._unlimited())
        back = np.flatnonzero((self._rows.place < 0) & (room < -FEASIBLE * np.maximum(1.0, np.abs(activity))))
        self._bring_rows(back)
        return back.size > 0

    def _bring_rows(self, back: IntArray) -> None:
        """Rows outside enter the program."""
        if back.size:
            ledger = self._ledger
            sides = ledger.row_lower[back], ledger.row_upper[back]
            self._rows.enter(back, self._add_rows(ledger.matrix, back, len(ledger.rows), *sides))

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
        z = self._columns.found(self._lp.point())
        reached = float(self._ledger.objective @ z)
        row_price, use_price = self._prices(self._lp.prices())
        constant = self.formulation.constant
        view, gain = self._make_view(fixings, z, row_price, use_price, objective=reached + constant)
        bound = self._ledger.dual_bound(row_price, use_price, gain)
        if math.isinf(bound) and not self._waiting().size:
            bound = reached + FEASIBLE * max(1.0, abs(reached))
        view.bound = bound + constant
        structure, lost = self._ledger.structure(view), view.rounding
        attained = min(reached, bound) + constant
        return Relaxed(bound + constant, lambda: view.point, structure, attained, state=state, rounding=lost)

    def _short_by(self, fixings: Fixings) -> float:
        """The amount by which the solver's ray proves, in float64, that no z fits. Sets the view for repair."""
        ray = self._lp.farkas_prices()
        if ray is None:
            return 0.0
        row_price, use_price = self._prices(ray)
        _, gain = self._make_view(fixings, None, row_price, use_price, weight=0.0)
        # With objective 0 every z scores 0; a bound below 0 leaves none. Noise is ignored only in columns
        # without an upper bound, where it could not be bounded.
        noise = (gain <= FEASIBLE) & np.isinf(self._ledger.upper_now)
        return -self._ledger.dual_bound(row_price, use_price, np.where(noise, 0.0, gain))

    def _prices(self, price: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Prices of rows and of quantities, without numerical noise that would meet an infinite side."""
        return self._ledger.supported(self._rows.found(price), self._uses.found(price))

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
            z = self.view().column_values
            if z is not None:
                check_objective(self._ledger, z, relaxed.structure, self.formulation.constant, bound)

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

    def excluded(self, fixings: Fixings, keys: IntArray) -> BoolArray | None:
        """Those of `Formulation.excludes`."""
        excludes = self.formulation.excludes
        return None if excludes is None else np.asarray(excludes(fixings, keys), bool)

    def usage_gains(self, view: LinearView) -> FloatArray | None:
        """The best gains of held columns at the prices of a view."""
        if not isinstance(view, MasterView):
            return None
        return self._ledger.usage_gains(view.row_prices, view.limit_prices)

    def charged(self, view: LinearView, quantity: int, price: float) -> LinearView:
        """A view with a price added to each use of a quantity."""
        return view.charged(quantity, price) if isinstance(view, MasterView) else view

    def lacking(self, view: LinearView, budget: Budget) -> LinearView | None:
        """The view of the master without the column that its last solution uses most."""
        return lacking(self._ledger, self._lp, self._columns.place, self._prices, view, budget)

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
