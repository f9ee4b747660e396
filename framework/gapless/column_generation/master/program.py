"""Linear program on ``pyscipopt.LP``: warm-started, with arrays in and out, in scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.column_generation.master import signs
from gapless.column_generation.master.entries import pairs
from gapless.errors import MissingDependency, SolveError

FEASIBLE = 1e-9
"""Feasibility and optimality tolerance of the LP solver: proofs compare scores at a relative 1e-8."""

LP_INFINITY = 1e100

CPU_CLOCK, WALL_CLOCK = 1, 2
"""Values of SCIP's parameters for clocks."""


class LinearProgram:
    """A program that maximises ``objective @ z`` over ``0 <= z <= upper`` with ``lower <= A z <= upper sides``.

    Columns and rows are numbered in order of entry; those after a deleted one move up.

    Parameters
    ----------
    name : str
        Name in the solver's own messages.

    Attributes
    ----------
    counts_cpu : bool
        Whether time limits are in CPU seconds of the process, as `SolveBudget.counts_cpu`; otherwise by the wall
        clock.
    """

    counts_cpu: bool = False

    def __init__(self, name: str) -> None:
        try:
            from pyscipopt import LP  # noqa: PLC0415  keeps `import gapless` light
            from pyscipopt.scip import PY_SCIP_LPPARAM  # noqa: PLC0415
        except ImportError as error:
            raise MissingDependency(
                "a linear program needs SCIP: pip install pyscipopt; there is none for browsers"
            ) from error

        self._parameter: Any = PY_SCIP_LPPARAM
        self._lp: Any = LP(name, "minimize")
        for tolerance in (self._parameter.FEASTOL, self._parameter.DUALFEASTOL):
            self._lp.setRealParam(tolerance, FEASIBLE)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self._lp.nrows())

    @property
    def columns(self) -> int:
        """Number of columns."""
        return int(self._lp.ncols())

    def add_rows(
        self, row: IntArray, column: IntArray, value: FloatArray, lower: FloatArray, upper: FloatArray
    ) -> int:
        """Add rows with entries in existing columns; return the number of the first.

        Parameters
        ----------
        row, column : int64 (entries,)
            Rows are counted from the first new one.
        value : float64 (entries,)
        lower, upper : float64 (rows,)
            Sides, possibly infinite.
        """
        first = self.rows
        if lower.size:
            self._lp.addRows(
                pairs(row, column, value, lower.size), _finite(lower).tolist(), _finite(upper).tolist()
            )
        return first

    def add_columns(
        self, column: IntArray, row: IntArray, value: FloatArray, objective: FloatArray, upper: FloatArray
    ) -> int:
        """Add columns ``0 <= z <= upper`` with entries in existing rows; return the number of the first.

        Parameters
        ----------
        column, row : int64 (entries,)
            Columns are counted from the first new one.
        value : float64 (entries,)
        objective, upper : float64 (columns,)
        """
        first = self.columns
        if objective.size:
            self._lp.addCols(
                pairs(column, row, value, objective.size),
                signs.costs(objective).tolist(),
                [0.0] * objective.size,
                _finite(upper).tolist(),
            )
        return first

    def delete_columns(self, deleted: IntArray) -> IntArray:
        """Delete columns; return the new position of each old one, -1 if deleted. The order stays."""
        count = self.columns
        for first, last in _runs(deleted):
            self._lp.delCols(first, last)
        return _new_positions(count, deleted)

    def delete_rows(self, deleted: IntArray) -> IntArray:
        """Delete rows; return the new position of each old one, -1 if deleted. The order stays."""
        count = self.rows
        for first, last in _runs(deleted):
            self._lp.delRows(first, last)
        return _new_positions(count, deleted)

    def limit(self, column: int, upper: float) -> None:
        """Change the upper bound of a column."""
        self._lp.chgBound(column, 0.0, min(upper, LP_INFINITY))

    def set_sides(self, row: int, lower: float, upper: float) -> None:
        """Change the sides of a row."""
        self._lp.chgSide(row, max(lower, -LP_INFINITY), min(upper, LP_INFINITY))

    def set_objective(self, column: int, score: float) -> None:
        """Change the score of a column."""
        self._lp.chgObj(column, float(signs.cost(score)))

    def optimise(self, seconds: float, *, fresh: bool = False) -> bool:
        """Solve, from the last basis unless `fresh`; return whether an optimum was found.

        Raises
        ------
        SolveError
            The solver failed, even from scratch.
        """
        # SoPlex counts CPU seconds by default, of which a busy machine gives few per second (decision 062).
        self._lp.setIntParam(self._parameter.TIMING, CPU_CLOCK if self.counts_cpu else WALL_CLOCK)
        self._lp.setRealParam(self._parameter.LPTILIM, min(max(1e-3, seconds), LP_INFINITY))
        if fresh:
            self._lp.setIntParam(self._parameter.FROMSCRATCH, 1)
        try:
            # New rows and changed sides leave the last basis dual feasible: the dual simplex continues from there.
            self._lp.solve(dual=not fresh)
        except Exception as error:  # pyscipopt raises nothing more specific
            if fresh:
                raise SolveError(f"the LP solver failed: {error}") from error
            # A failure mostly lies in the factorisation of the last basis, which a solve from scratch does not use.
            return self.optimise(seconds, fresh=True)
        finally:
            self._lp.setIntParam(self._parameter.FROMSCRATCH, 0)
        return bool(self._lp.isOptimal())

    def optimise_plainly(self, seconds: float) -> bool:
        """Solve again without the LP solver's presolve; return whether an optimum was found.

        Duals that SoPlex maps back through its presolve can be wrong (0 for a binding row); the bound then stays
        above an optimum that was found. Presolve stays on otherwise because SoPlex fails without it on other
        programs.
        """
        self._lp.setIntParam(self._parameter.PRESOLVING, 0)
        try:
            return self.optimise(seconds, fresh=True)
        except SolveError:
            return False
        finally:
            self._lp.setIntParam(self._parameter.PRESOLVING, 1)

    def point(self) -> FloatArray:
        """Return the columns of the last optimum, clipped at 0."""
        point: FloatArray = np.clip(self._lp.getPrimal(), 0.0, None)
        return point

    def prices(self) -> FloatArray:
        """Return the price of one unit of each row, at the last optimum."""
        return signs.prices(np.asarray(self._lp.getDual(), np.float64))

    def farkas_prices(self) -> FloatArray | None:
        """Return prices that prove infeasibility, scaled to a largest size of 1; None without such prices."""
        ray = self._lp.getDualRay()
        if not ray:
            return None
        return signs.prices(np.asarray(ray) / max(np.abs(ray).max(), FEASIBLE))

    @property
    def objective(self) -> float:
        """Score of the last optimum."""
        return signs.score(float(self._lp.getObjVal()))

    @property
    def unbounded(self) -> bool:
        """Whether the last solve found a direction of unlimited improvement."""
        return self._lp.getPrimalRay() is not None


def _finite(sides: FloatArray) -> FloatArray:
    return np.clip(sides, -LP_INFINITY, LP_INFINITY)


def _runs(deleted: IntArray) -> list[tuple[int, int]]:
    """Return first and last of each run of neighbours, the last run first."""
    # From the end, so that a deletion renumbers none of the runs that are still to be deleted.
    ordered = np.sort(deleted)[::-1]
    cuts = np.flatnonzero(ordered[:-1] - ordered[1:] > 1) + 1
    return [(int(run[-1]), int(run[0])) for run in np.split(ordered, cuts) if run.size]


def _new_positions(count: int, deleted: IntArray) -> IntArray:
    remains = np.ones(count, bool)
    remains[deleted] = False
    return np.where(remains, np.cumsum(remains) - 1, -1)
