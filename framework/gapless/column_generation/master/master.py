"""Restricted master on ``pyscipopt.LP``."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.arrays.tolerance import INTEGRAL, meets
from gapless.certificates.certificate import Certificate, NoCertificate
from gapless.column_generation.formulation import Formulation
from gapless.column_generation.master.data_master import DataMaster
from gapless.column_generation.master.entries import Entries, Nonzeros, joined
from gapless.column_generation.master.integral import best_columns
from gapless.column_generation.master.program import FEASIBLE, LinearProgram
from gapless.column_generation.master.program_positions import DELETION_SHARE, ProgramPositions
from gapless.column_generation.master.smoothing import lacking
from gapless.column_generation.master.view import LinearMasterView, point_of, readable
from gapless.decisions.decisions import Fixings
from gapless.errors import InvalidProblem, SolveError
from gapless.limits.limits import SolveBudget
from gapless.oracles.batch import Batch
from gapless.oracles.generator import GeneratorResult
from gapless.oracles.views import LinearView
from gapless.problems.problem import Problem, score_of
from gapless.tree_search.relaxation import RelaxationResult

S = TypeVar("S")


class LinearMaster(DataMaster[S]):
    """The restricted master: columns and rows found so far, as a warm-started LP.

    Parameters
    ----------
    problem : Problem
    formulation : Formulation

    Raises
    ------
    InvalidProblem
        The initial batch names an unknown row, column or quantity, or contains numbers that an LP cannot.
    """

    def __init__(self, problem: Problem[S], formulation: Formulation[S]) -> None:
        super().__init__(problem, formulation, formulation.forbidden_columns)
        self._lp = LinearProgram("restricted master")
        self._upper: FloatArray | None = None  # upper bounds in the program, None for those of the columns
        self._column_age, self._row_age = formulation.pricing.column_age_limit, formulation.pricing.row_age_limit
        self._columns, self._rows, self._uses = ProgramPositions(), ProgramPositions(), ProgramPositions()
        count = self.decisions.quantities
        self._uses.add(count, None)
        self._use_lower, self._use_upper = np.full(count, -np.inf), np.full(count, np.inf)
        self._use_price = np.zeros(count)
        self._row_price = self._gain = np.zeros(0)
        self._enter_initial()
        self._initial_rows = len(self._data.rows)

    @property
    def size(self) -> tuple[int, int]:
        """Numbers of columns and of rows, initial ones and those outside the program included."""
        return len(self._data.columns), len(self._data.rows)

    def extend(self, batch: Batch) -> int:
        """Add columns and rows with new keys; rows first, so that columns may enter them.

        Raises
        ------
        InvalidProblem
            An entry in an unknown row or column, or in a row over quantities; an unknown quantity; a number that is
            not finite.
        """
        rows = self._data.enter_rows(batch.rows) if len(batch.rows) else None
        if rows is not None:
            # Columns outside the program get their entries from the data when they re-enter.
            position = self._columns.position[rows.column]
            inside = position >= 0
            first = self._lp.add_rows(
                rows.row[inside], position[inside], rows.value[inside], rows.lower, rows.upper
            )
            self._rows.add(len(rows), first)
            self._row_price = np.append(self._row_price, np.zeros(len(rows)))
        columns = self._data.enter_columns(batch.columns) if len(batch.columns) else None
        if columns is not None:
            first = self._lp.add_columns(
                *self._positioned(
                    (columns.column, columns.row, columns.value), (columns.user, columns.quantity, columns.times)
                ),
                columns.columns.objective,
                columns.columns.upper,
            )
            self._columns.add(len(columns), first)
        return len(rows or ()) + len(columns or ())

    def _positioned(self, entries: Nonzeros, uses: Nonzeros) -> Nonzeros:
        """Translate entries of columns in rows, and their uses, to the positions of those rows in the program."""
        column, row, value = entries
        row = self._rows.position[row]
        if self._rows.outside:
            inside = row >= 0
            column, row, value = column[inside], row[inside], value[inside]
        use = self._uses.position[uses[1]]
        limited = (use >= 0).nonzero()[0]
        if not limited.size:
            return column, row, value
        return joined((column, row, value), (uses[0][limited], use[limited], uses[2][limited]))

    def _impose(self, fixings: Fixings) -> bool:
        """Set bounds and sides of the LP to the fixings; False if these contradict each other."""
        data = self._data
        consistent = data.impose(fixings)
        self._add_sums()
        if not consistent:
            return False
        self._impose_upper()
        lower, upper = data.use_lower, data.use_upper
        # The same arrays mean the same node: the next round of pricing has nothing to change.
        if lower is self._use_lower and upper is self._use_upper:
            return True
        bounded = np.isfinite(lower) | np.isfinite(upper)
        self._enter_uses(np.flatnonzero(bounded & (self._uses.position < 0)))
        changed = (lower != self._use_lower) | (upper != self._use_upper)
        for q in np.flatnonzero(changed & (self._uses.position >= 0)).tolist():
            self._lp.set_sides(int(self._uses.position[q]), max(float(lower[q]), 0.0), float(upper[q]))
        self._use_lower, self._use_upper = lower, upper
        return True

    def _impose_upper(self) -> None:
        """Set the upper bounds of the columns in the program, where they have changed."""
        data = self._data
        if self._upper is None and data.upper_now is data.upper:
            return
        previous = data.upper if self._upper is None else self._upper
        # New columns have entered the program with the upper bound of their batch.
        previous = np.append(previous, data.upper[previous.size :])
        position = self._columns.position
        for j in np.flatnonzero((data.upper_now != previous) & (position >= 0)).tolist():
            self._lp.limit(int(position[j]), float(data.upper_now[j]))
        self._upper = None if data.upper_now is data.upper else data.upper_now

    def _add_sums(self) -> None:
        """Extend all arrays over quantities by those of new sums."""
        new = self._data.singleton.size - self._uses.position.size
        if new:
            self._uses.add(new, None)
            self._use_lower = np.append(self._use_lower, np.full(new, -np.inf))
            self._use_upper = np.append(self._use_upper, np.full(new, np.inf))
            self._use_price = np.append(self._use_price, np.zeros(new))

    def _enter_uses(self, quantities: IntArray) -> None:
        """Add the rows that limit the use of `quantities`; ``0 <= use`` limits nothing yet.

        An idle row keeps that side because SoPlex may fail when a row of its basis becomes free. `_prices` drops
        the price of such a row, at no cost to the bound.
        """
        if not quantities.size:
            return
        uses = self._data.uses
        sides = np.zeros(quantities.size), np.full(quantities.size, np.inf)
        self._uses.enter(quantities, self._add_rows(uses, quantities, self._uses.position.size, *sides))

    def _add_rows(self, entries: Entries, rows: IntArray, count: int, lower: FloatArray, upper: FloatArray) -> int:
        """Add some of `count` rows of a matrix to the program; return the position of the first."""
        number = np.full(count, -1)
        number[rows] = np.arange(rows.size)
        inside = (number[entries.row] >= 0) & (self._columns.position[entries.column] >= 0)
        return self._lp.add_rows(
            number[entries.row[inside]],
            self._columns.position[entries.column[inside]],
            entries.value[inside],
            lower,
            upper,
        )

    def solve(
        self, fixings: Fixings, budget: SolveBudget, *, incumbent: float = -math.inf, state: Any = None
    ) -> RelaxationResult[S]:
        """Solve the restricted LP under `fixings`.

        Returns
        -------
        RelaxationResult
            ``bound`` is recomputed from the row prices by weak duality; ``-inf`` if the restricted LP is infeasible
            (the view then has Farkas prices), ``inf`` if time ran out in the LP or before an unlimited column of
            positive reduced cost re-entered it.

        Raises
        ------
        InvalidProblem
            The LP is unbounded.
        SolveError
            The LP solver failed.
        """
        self._remove_idle()
        if not self._impose(fixings):
            self._make_view(fixings, None, 0 * self._row_price, 0 * self._use_price, weight=0.0)
            return RelaxationResult(-math.inf, state=state)
        relaxed = self._solve_program(fixings, budget, state)
        # The pool comes before the generators: one pass over all reduced costs or row activities is much
        # cheaper than a query (decision 047). A violated row returns even when time is up: without it the
        # solution is not attained.
        while self._return_rows() or (
            self._column_age
            and budget.stop_reason() is None
            and not self._stays_open(relaxed, incumbent)
            and self._return_columns()
        ):
            relaxed = self._solve_program(fixings, budget, state)
        return relaxed

    def _stays_open(self, relaxed: RelaxationResult[S], incumbent: float) -> bool:
        """Whether the node is branched before pricing, so that no column matters."""
        pricing, granularity = self.formulation.pricing, self.problem.granularity
        return pricing.branches_before_pricing(relaxed.primal_value, incumbent, granularity, relaxed.structure)

    def _solve_program(self, fixings: Fixings, budget: SolveBudget, state: Any) -> RelaxationResult[S]:
        """Solve the program with its present columns and rows."""
        self._lp.counts_cpu = budget.counts_cpu
        # A second time from scratch if the first ended with neither an optimum nor a proof of infeasibility.
        for fresh in (False, True):
            if self._lp.optimise(budget.time_left, fresh=fresh):
                relaxed = self._read_optimum(fixings, state)
                # Strong duality: bound and optimum differ only if the duals are wrong (see `optimise_plainly`),
                # or if pooled columns of positive reduced cost are outside the program.
                weak = not meets(relaxed.bound, relaxed.primal_value) and not self._waiting().size
                if weak and self._lp.optimise_plainly(budget.time_left):
                    relaxed = self._read_optimum(fixings, state)
                return relaxed
            infeasibility_measure = self._infeasibility_measure(fixings)
            if infeasibility_measure > FEASIBLE:
                return RelaxationResult(-math.inf, state=state, infeasibility_measure=infeasibility_measure)
            if self._column_age and self._return_columns():
                return self._solve_program(fixings, budget, state)
            if self._lp.unbounded:
                # A row that left the program may be the one that bounds it.
                if self._rows.outside:
                    self._enter_rows(np.flatnonzero(self._rows.position < 0))
                    return self._solve_program(fixings, budget, state)
                raise InvalidProblem(
                    "the restricted master is unbounded; give every column of positive objective an upper bound "
                    "or a row that limits it"
                )
            if budget.stop_reason() is not None:
                self._make_view(fixings, None, self._row_price, self._use_price)
                return RelaxationResult(math.inf, state=state)
        raise SolveError(
            f"the LP solver found neither an optimum nor a proof of infeasibility ({self._lp.rows} rows, "
            f"{self._lp.columns} columns); very large or very small coefficients are the usual cause"
        )

    def _remove_idle(self) -> None:
        """Delete columns and rows from the program that were idle in many solves; the master data keeps them."""
        if self._column_age:
            old = self._columns.idle(self._column_age)
            # Initial columns that generators need not know always stay.
            old = old[old >= self._data.unpriceable]
            if old.size and DELETION_SHARE * old.size >= self._lp.columns:
                self._columns.renumber(self._lp.delete_columns(self._columns.position[old]))
        if self._row_age:
            rows, uses = self._rows.idle(self._row_age), self._uses.idle(self._row_age)
            rows = rows[rows >= self._initial_rows]
            uses = uses[self._unlimited()[uses]]  # `integral` may have limited one since the last solve
            old = np.append(self._rows.position[rows], self._uses.position[uses])
            if old.size and DELETION_SHARE * old.size >= self._lp.rows:
                # Rows and limits on uses share the program's numbers, so both are renumbered.
                moved = self._lp.delete_rows(old)
                self._rows.renumber(moved)
                self._uses.renumber(moved)

    def _unlimited(self) -> BoolArray:
        """Return the mask of the quantities whose use the program does not limit now."""
        free: BoolArray = np.isinf(self._use_lower) & np.isinf(self._use_upper)
        return free

    def _waiting(self) -> IntArray:
        """List the columns outside the program of positive reduced cost at the last prices."""
        if not self._columns.outside:
            return np.zeros(0, np.int64)
        outside = (self._columns.position < 0) & (self._gain > FEASIBLE)
        return np.flatnonzero(outside & (self._data.upper_now > 0))

    def _return_columns(self) -> bool:
        """Return the columns of positive reduced cost at the last prices to the program; whether there were any."""
        data, gain, position = self._data, self._gain, self._columns.position
        self._columns.age((gain < -FEASIBLE) | (data.upper_now == 0))
        back = self._waiting()
        if not back.size:
            return False
        number = np.full(position.size, -1)
        number[back] = np.arange(back.size)
        entered, used = number[data.matrix.column] >= 0, number[data.uses.column] >= 0
        matrix, uses = data.matrix, data.uses
        first = self._lp.add_columns(
            *self._positioned(
                (number[matrix.column[entered]], matrix.row[entered], matrix.value[entered]),
                (number[uses.column[used]], uses.row[used], uses.value[used]),
            ),
            data.objective[back],
            data.upper_now[back],
        )
        self._columns.enter(back, first)
        return True

    def _return_rows(self) -> bool:
        """Return the rows that the last solution violates to the program; whether there were any."""
        if not self._row_age or self._view is None or (z := self._view.column_values) is None:
            return False
        data = self._data
        activity = data.matrix.times(z, len(data.rows))
        slack = np.minimum(activity - data.row_lower, data.row_upper - activity)
        self._rows.age(slack > INTEGRAL)
        # Rows of the fixings never leave while they limit anything, so none of them has to return here.
        self._uses.age(self._unlimited())
        back = np.flatnonzero((self._rows.position < 0) & (slack < -FEASIBLE * np.maximum(1.0, np.abs(activity))))
        self._enter_rows(back)
        return back.size > 0

    def _enter_rows(self, back: IntArray) -> None:
        """Let rows from outside enter the program."""
        if back.size:
            data = self._data
            sides = data.row_lower[back], data.row_upper[back]
            self._rows.enter(back, self._add_rows(data.matrix, back, len(data.rows), *sides))

    def integral(self, fixings: Fixings, budget: SolveBudget, *, incumbent: float = -math.inf) -> S | None:
        """Return the best structure of the master's columns, by SCIP; None if it does not beat the incumbent."""
        if not self._impose(fixings):
            return None
        above = incumbent - self.formulation.constant
        z = best_columns(self._data, budget, above)
        if z is None:
            return None
        use = self._data.uses.times(z, self._data.singleton.size)[: self.decisions.quantities]
        structure = readable(self.problem, point_of(use, self.decisions))
        if structure is None or self.problem.violations(structure):
            return None
        return structure if score_of(self.problem, structure) > incumbent else None

    def _read_optimum(self, fixings: Fixings, state: Any) -> RelaxationResult[S]:
        z = self._columns.by_entity(self._lp.point())
        return self._optimum(fixings, z, *self._prices(self._lp.prices()), state)

    def _is_complete(self) -> bool:
        """Return whether no column of positive reduced cost waits outside the program."""
        return not self._waiting().size

    def _infeasibility_measure(self, fixings: Fixings) -> float:
        """Compute by how much the solver's ray proves, in float64, that no z is feasible; set the Farkas view."""
        ray = self._lp.farkas_prices()
        if ray is None:
            return 0.0
        row_price, use_price = self._prices(ray)
        _, gain = self._make_view(fixings, None, row_price, use_price, weight=0.0)
        # With objective 0 every z scores 0; a bound below 0 leaves none. Noise is ignored only in columns
        # without an upper bound, where it could not be bounded.
        noise = (gain <= FEASIBLE) & np.isinf(self._data.upper_now)
        return -self._data.dual_bound(row_price, use_price, np.where(noise, 0.0, gain))

    def _prices(self, price: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the supported prices of rows and of quantities, from those of the program's rows."""
        return self._data.supported(self._rows.by_entity(price), self._uses.by_entity(price))

    def _make_view(
        self,
        fixings: Fixings,
        z: FloatArray | None,
        row_price: FloatArray,
        use_price: FloatArray,
        *,
        weight: float = 1.0,
        objective: float = -math.inf,
    ) -> tuple[LinearMasterView, FloatArray]:
        """Make the view of these prices and this solution; return it with all reduced costs, without the bans."""
        self._row_price, self._use_price = (row_price, use_price) if weight else (0 * row_price, 0 * use_price)
        view, self._gain = super()._make_view(fixings, z, row_price, use_price, weight=weight, objective=objective)
        return view, self._gain

    def certify(self, answers: Sequence[GeneratorResult]) -> Certificate:
        """Make the certificate of `Formulation.certify` for the last view."""
        if self.formulation.certify is None:
            return NoCertificate("the formulation does not provide `certify`, which turns LP prices into evidence")
        return self.formulation.certify(self.view(), answers)

    def evidence(self, view: LinearView, answers: Sequence[GeneratorResult]) -> Callable[[], Certificate]:
        """Return a function that makes the certificate of `Formulation.certify` for a view of this master."""
        certify = self.formulation.certify
        return (lambda: self.certify(answers)) if certify is None else (lambda: certify(view, answers))

    def excluded(self, fixings: Fixings, keys: IntArray) -> BoolArray | None:
        """Return the mask of `Formulation.forbidden_columns`."""
        excludes = self.formulation.forbidden_columns
        return None if excludes is None else np.asarray(excludes(fixings, keys), bool)

    def lacking(self, view: LinearView, budget: SolveBudget) -> LinearView | None:
        """Return the view of the master without the column that its last solution uses most."""
        return lacking(self._data, self._lp, self._columns.position, self._prices, view, budget)
