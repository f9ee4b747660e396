"""Restricted master inside a SCIP ``Model``: growing rows, and fixings as bounds of use variables.

Every quantity that some node limits gets a variable ``use = sum(uses * z)``, in a row over all columns, present and
future. A fixing is then a bound of this variable, which SCIP keeps local to a node and undoes automatically; there
are no local rows that a later column could miss.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from pyscipopt import Model
from pyscipopt.scip import Expr, ExprCons

from gapless.arrays.sparse import FloatArray
from gapless.certificates.certificate import Certificate, NoCertificate
from gapless.column_generation.formulation import Formulation
from gapless.column_generation.master import signs
from gapless.column_generation.master.data_master import DataMaster
from gapless.column_generation.master.view import use_limits
from gapless.decisions.branch_row import BranchRow
from gapless.decisions.decisions import FREE, OFF, ON, Fixings
from gapless.errors import InvalidProblem
from gapless.limits.limits import SolveBudget
from gapless.oracles.batch import Batch
from gapless.oracles.generator import GeneratorResult
from gapless.oracles.views import LinearView
from gapless.problems.problem import Problem
from gapless.tree_search.relaxation import RelaxationResult

S = TypeVar("S")


class ScipMaster(DataMaster[S]):
    """Columns as variables and rows as constraints of `model`, in step with a data.

    `model`: empty at first; filled with the initial batch.
    """

    def __init__(self, problem: Problem[S], formulation: Formulation[S], model: Model) -> None:
        # Rows of the node limit what `Formulation.forbidden_columns` would take out.
        super().__init__(problem, formulation)
        self._model: Any = model
        self._columns: list[Any] = []
        self._solving = False
        self._rows: list[Any] = []
        self._uses: dict[int, tuple[Any, Any]] = {}
        model.setMinimize()
        self._enter_initial()

    @property
    def size(self) -> tuple[int, int]:
        """Number of columns and of rows."""
        return len(self._columns), len(self._rows)

    def transform(self) -> None:
        """Switch to the solver's own copies, which have the duals and local bounds."""
        self._solving = True
        self._columns = [self._model.getTransformedVar(column) for column in self._columns]
        self._rows = [self._model.getTransformedCons(row) for row in self._rows]

    def extend(self, batch: Batch) -> int:
        """Add what is new, rows first; return the number of new columns and rows.

        After `transform`, columns enter SCIP's pricing loop.
        """
        rows = self._data.enter_rows(batch.rows)
        if rows is not None:
            ends = np.searchsorted(rows.row, np.arange(len(rows) + 1)).tolist()
            terms = list(zip(rows.column.tolist(), rows.value.tolist(), strict=True))
            for r in range(len(rows)):
                entries = ((self._columns[j], a) for j, a in terms[ends[r] : ends[r + 1]])
                name = f"row{rows.first + r}"
                self._rows.append(self._row(entries, float(rows.lower[r]), float(rows.upper[r]), name))
        columns = self._data.enter_columns(batch.columns)
        if columns is not None:
            objective = signs.costs(columns.columns.objective).tolist()
            for j, (cost, upper) in enumerate(zip(objective, columns.columns.upper.tolist(), strict=True)):
                self._columns.append(
                    self._model.addVar(
                        f"z{columns.first + j}",
                        # Integrality is enforced by branching on decisions alone, see `Tree.enforce`.
                        vtype="C",
                        ub=None if math.isinf(upper) else upper,
                        obj=cost,
                        pricedVar=self._solving,
                    )
                )
            entered = self._columns[columns.first :]
            for j, r, a in zip(columns.column.tolist(), columns.row.tolist(), columns.value.tolist(), strict=True):
                self._model.addConsCoeff(self._rows[r], entered[j], a)
            for j, q, a in zip(
                columns.user.tolist(), columns.quantity.tolist(), columns.times.tolist(), strict=True
            ):
                if q in self._uses:
                    self._model.addConsCoeff(self._uses[q][1], entered[j], a)
        return len(rows or ()) + len(columns or ())

    def _row(self, entries: Iterable[tuple[Any, float]], lower: float, upper: float, name: str) -> Any:
        expression = Expr()
        for variable, value in entries:
            expression += value * variable
        infinity = self._model.infinity()
        return self._model.addCons(
            ExprCons(expression, lhs=max(lower, -infinity), rhs=min(upper, infinity)),
            name,
            # Later columns get entries in the row, so SCIP may conclude nothing from its present ones.
            modifiable=True,
            separate=False,
            propagate=False,
        )

    # -- fixings ------------------------------------------------------------------------------------------------

    def fixings(self) -> Fixings:
        """Return the fixings of the node in focus, read from the local bounds of the use variables."""
        least = np.zeros(self.decisions.quantities)
        most = np.full(self.decisions.quantities, np.inf)
        for q, (use, _) in self._uses.items():
            if q < least.size:
                least[q], most[q] = use.getLbLocal(), use.getUbLocal()
        quantity, threshold = self.decisions.quantity_index(), self.decisions.thresholds()
        state = np.full(self.decisions.count, FREE, np.int8)
        state[least[quantity] > threshold - 0.5] = ON
        state[most[quantity] < threshold - 0.5] = OFF
        return Fixings(state, tuple(self._rows_of_branches()))

    def _rows_of_branches(self) -> Iterator[BranchRow]:
        """The limits on sums at the node in focus."""
        for (decisions, coefficients), q in self._data.sums.numbers.items():
            if q in self._uses:
                use = self._uses[q][0]
                least, most = use.getLbLocal(), use.getUbLocal()
                lower = round(least) if least > 0.5 else None
                upper = round(most) if most < self._model.infinity() else None
                if lower is not None or upper is not None:
                    yield BranchRow(decisions, lower, upper, coefficients)

    def fix(self, node: Any, fixings: Fixings) -> None:
        """Impose `fixings` on `node` as bounds."""
        least, most = map(np.append, use_limits(fixings, self.decisions), self._data.sums.limits(fixings))
        for q in np.flatnonzero(np.isfinite(least) | np.isfinite(most)).tolist():
            use = self._use(q)
            if least[q] > use.getLbLocal() + 0.5:
                self._model.chgVarLbNode(node, use, float(least[q]))
            if most[q] < use.getUbLocal() - 0.5:
                self._model.chgVarUbNode(node, use, float(most[q]))

    def name_uses(self, fixings: Fixings) -> None:
        """Create the use variables for `fixings`; must precede the creation of any child."""
        for q in np.unique(self.decisions.quantity_index()[fixings.state != FREE]).tolist():
            self._use(q)
        self._data.impose(fixings)
        for row in fixings.rows:
            self._use(self._data.sums.numbers[row.expression])

    def _use(self, q: int) -> Any:
        if q not in self._uses:
            use = self._model.addVar(f"use{q}", vtype="C")
            uses = self._data.uses
            here = uses.row == q
            entries = [
                (self._columns[j], a)
                for j, a in zip(uses.column[here].tolist(), uses.value[here].tolist(), strict=True)
            ]
            self._uses[q] = use, self._row([*entries, (use, -1.0)], 0.0, 0.0, f"uses{q}")
        return self._uses[q][0]

    # -- prices -------------------------------------------------------------------------------------------------

    def solve(
        self, fixings: Fixings, budget: SolveBudget, *, incumbent: float = -math.inf, state: Any = None
    ) -> RelaxationResult[S]:
        """Read prices and point of the LP that SCIP has just solved."""
        prices = self._prices(fixings, self._model.getDualsolLinear)
        values = np.array([column.getLPSol() for column in self._columns], np.float64)
        return self._optimum(fixings, np.clip(values, 0.0, None), *prices)

    def read_infeasible(self, fixings: Fixings) -> RelaxationResult[S]:
        """Read the Farkas prices that prove the LP infeasible."""
        row_price, use_price = self._prices(fixings, self._model.getDualfarkasLinear)
        # There is no solution: the view has prices only, and an objective of 0.
        _, gain = self._make_view(fixings, None, row_price, use_price, weight=0.0)
        measure = -self._data.dual_bound(row_price, use_price, gain)
        return RelaxationResult(-math.inf, infeasibility_measure=measure)

    def _prices(self, fixings: Fixings, read: Callable[[Any], float]) -> tuple[FloatArray, FloatArray]:
        """Return the supported prices of rows and of quantities; `read` takes a row to its dual."""
        if not self._data.impose(fixings):
            raise InvalidProblem("SCIP solved a node whose fixings contradict each other")
        use_price = np.zeros(self._data.singleton.size)
        for q, (_, row) in self._uses.items():
            use_price[q] = read(row)
        row_price = np.array([read(row) for row in self._rows], np.float64)
        return self._data.supported(signs.prices(row_price), signs.prices(use_price))

    def evidence(self, view: LinearView, answers: Sequence[GeneratorResult]) -> Callable[[], Certificate]:
        """Record nothing: SCIP's tree is not recorded."""
        return NoCertificate

    def cost(self, score: float) -> float:
        """Convert a score to an objective value of the model."""
        return signs.cost(score - self.formulation.constant)

    def score(self, cost: float) -> float:
        """Convert an objective value or dual bound of the model to a score."""
        if abs(cost) >= self._model.infinity():
            return signs.score(math.copysign(math.inf, cost))
        return signs.score(cost) + self.formulation.constant
