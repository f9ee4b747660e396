"""Linear and mixed-integer programs for HiGHS, passed as arrays in one call."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

import gapless as gl
from benchmarks.frame.peers import HIGHS
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray


@attrs.frozen(eq=False)
class RowProgram:
    """Maximise ``objective @ x`` over ``0 <= x <= column_upper``, ``lower <= A x <= upper``; `A` by rows.

    Parameters
    ----------
    objective : float64 (columns,)
    lower, upper : float64 (rows,)
    starts : int32 (rows + 1,)
    columns : int32 (entries,)
    values : float64 (entries,)
    column_upper : float
        Upper bound of every column.
    integer : bool (columns,), optional
        Columns that must be integral; by default none.
    """

    objective: FloatArray
    lower: FloatArray
    upper: FloatArray
    starts: np.ndarray[tuple[int], np.dtype[np.int32]]
    columns: np.ndarray[tuple[int], np.dtype[np.int32]]
    values: FloatArray
    column_upper: float
    integer: BoolArray | None = None

    def load(self, **settings: str | float) -> Any:
        """Pass the program to a new HiGHS solver with one thread and these settings."""
        highspy = HIGHS.load()
        solver = highspy.Highs()
        for name, value in {"output_flag": False, "threads": 1, **settings}.items():
            solver.setOptionValue(name, value)
        count = self.objective.size
        integer = np.zeros(count, bool) if self.integer is None else self.integer
        solver.passModel(
            *(count, self.lower.size, self.columns.size),
            *(int(highspy.MatrixFormat.kRowwise), int(highspy.ObjSense.kMaximize), 0.0),
            *(self.objective, np.zeros(count), np.full(count, self.column_upper)),
            *(self.lower, self.upper, self.starts, self.columns, self.values),
            integer.astype(np.int32),
        )
        return solver


@attrs.define(eq=False)
class RowBlocks:
    """Blocks of rows, collected with entries as (row in the block, column, value)."""

    counts: list[IntArray] = attrs.field(factory=list)
    columns: list[IntArray] = attrs.field(factory=list)
    values: list[FloatArray] = attrs.field(factory=list)
    lower: list[FloatArray] = attrs.field(factory=list)
    upper: list[FloatArray] = attrs.field(factory=list)

    def add(
        self, row: IntArray, column: IntArray, value: FloatArray, sides: tuple[float, float], count: int
    ) -> None:
        """Add `count` rows with the same sides."""
        order = np.argsort(row, kind="stable")
        self.counts.append(np.bincount(row, minlength=count))
        self.columns.append(column[order])
        self.values.append(value[order])
        self.lower.append(np.full(count, sides[0]))
        self.upper.append(np.full(count, sides[1]))

    def add_even(self, columns: IntArray, values: Any, sides: tuple[float, float]) -> None:
        """Add rows of equal length, int64 (rows, entries); `values` is broadcast to their shape."""
        rows, width = columns.shape
        entries = np.broadcast_to(np.asarray(values, np.float64), columns.shape).ravel()
        self.add(np.repeat(np.arange(rows), width), columns.ravel(), entries, sides, rows)

    def program(
        self, objective: FloatArray, column_upper: float = np.inf, integer: BoolArray | None = None
    ) -> RowProgram:
        """Build the program of all rows."""
        return RowProgram(
            objective,
            np.concatenate(self.lower),
            np.concatenate(self.upper),
            np.concatenate([[0], np.cumsum(np.concatenate(self.counts))]).astype(np.int32),
            np.concatenate(self.columns).astype(np.int32),
            np.concatenate(self.values),
            column_upper,
            integer,
        )


def run_to_optimum(solver: Any) -> float:
    """Run HiGHS and return the optimal value.

    Raises
    ------
    SolveError
        HiGHS does not find an optimum.
    """
    solver.run()
    if solver.getModelStatus().name != "kOptimal":
        raise gl.SolveError(f"HiGHS ends as {solver.getModelStatus().name}")
    return float(solver.getInfo().objective_function_value)
