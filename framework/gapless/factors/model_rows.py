"""A builder of linear models, column by column and row by row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray, Sparse
from gapless.decisions.linear_model import LinearModel


class ModelRows:
    """Columns from 0 to an upper bound, and sparse rows.

    Parameters
    ----------
    columns : int
        Number of columns of the model that is extended; new ones are numbered from there.
    """

    def __init__(self, columns: int = 0) -> None:
        self.first = columns
        self.objective: list[float] = []
        self.upper: list[float] = []
        self.integer: list[bool] = []
        self.indices: list[IntArray] = []
        self.values: list[FloatArray] = []
        self.lower: list[float] = []
        self.limit: list[float] = []

    def columns(self, objective: FloatArray, upper: FloatArray, integer: bool) -> IntArray:
        """Add columns; return their numbers."""
        first = self.first + len(self.objective)
        self.objective += objective.tolist()
        self.upper += upper.tolist()
        self.integer += [integer] * objective.size
        return np.arange(first, first + objective.size)

    def row(self, indices: IntArray, values: FloatArray | float, lower: float, limit: float) -> None:
        """Add a row ``lower <= values @ x[indices] <= limit``."""
        self.indices.append(indices)
        self.values.append(np.broadcast_to(np.asarray(values, np.float64), indices.shape))
        self.lower.append(lower)
        self.limit.append(limit)

    @property
    def rows(self) -> Sparse:
        """The rows added so far."""
        lengths = [indices.size for indices in self.indices]
        return Sparse(
            np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]),
            np.concatenate([np.zeros(0, np.int64), *self.indices]),
            np.concatenate([np.zeros(0), *self.values]),
        )

    def model(self, decision_columns: IntArray) -> LinearModel:
        """Build a model of the columns and rows alone."""
        return LinearModel(
            objective=np.array(self.objective),
            column_lower=np.zeros(len(self.objective)),
            column_upper=np.array(self.upper),
            integer=np.array(self.integer, bool),
            rows=self.rows,
            row_lower=np.array(self.lower),
            row_upper=np.array(self.limit),
            decision_columns=decision_columns,
        )

    def added_to(self, model: LinearModel) -> LinearModel:
        """Append the columns and rows to those of `model`."""
        old, new = model.rows, self.rows
        return LinearModel(
            objective=np.concatenate([model.objective, self.objective]),
            column_lower=np.concatenate([model.column_lower, np.zeros(len(self.objective))]),
            column_upper=np.concatenate([model.column_upper, self.upper]),
            integer=np.concatenate([model.integer, np.array(self.integer, bool)]),
            rows=Sparse(
                np.concatenate([old.indptr, old.indptr[-1] + new.indptr[1:]]),
                np.concatenate([old.indices, new.indices]),
                np.concatenate([old.values, new.values]),
            ),
            row_lower=np.concatenate([model.row_lower, self.lower]),
            row_upper=np.concatenate([model.row_upper, self.limit]),
            decision_columns=model.decision_columns,
            constant=model.constant,
            column_names=_more(model.column_names, "factor column", len(self.objective)),
            row_names=_more(model.row_names, "factor row", len(self.lower)),
        )


def _more(names: Sequence[str], word: str, count: int) -> Sequence[str]:
    # A model names all of its columns, or none.
    return [*names, *(f"{word} {i}" for i in range(count))] if len(names) else ()
