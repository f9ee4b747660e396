"""An explicit mixed-integer model as arrays, always a maximisation of scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import attrs
import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray, Sparse, bool_array, float_array, int_array
from gapless.arrays.tolerance import EPSILON
from gapless.errors import InvalidProblem


@attrs.frozen(eq=False)
class LinearModel:
    """Maximise ``constant + objective @ x`` subject to ``lower <= rows @ x <= upper`` and bounds.

    Parameters
    ----------
    objective, column_lower, column_upper : float64 (columns,)
    integer : bool (columns,)
    rows : Sparse, (rows x columns)
    row_lower, row_upper : float64 (rows,)
    decision_columns : int64 (decisions,)
        Column of each 0/1 decision; its rounded value says whether the decision is on.
    constant : float
    column_names, row_names : sequence of str
        Empty, or one name each.

    Examples
    --------
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> model = problem.linear_model()
    >>> len(model.objective), len(model.row_lower)
    (8, 6)
    """

    objective: FloatArray = attrs.field(converter=float_array)
    column_lower: FloatArray = attrs.field(converter=float_array)
    column_upper: FloatArray = attrs.field(converter=float_array)
    integer: BoolArray = attrs.field(converter=bool_array)
    rows: Sparse
    row_lower: FloatArray = attrs.field(converter=float_array)
    row_upper: FloatArray = attrs.field(converter=float_array)
    decision_columns: IntArray = attrs.field(converter=int_array)
    constant: float = 0.0
    column_names: Sequence[str] = ()
    row_names: Sequence[str] = ()

    def __attrs_post_init__(self) -> None:
        columns, rows = self.objective.size, len(self.rows)
        for label in ("column_lower", "column_upper", "integer"):
            if getattr(self, label).shape != (columns,):
                raise InvalidProblem(f"LinearModel: {label} must have shape ({columns},)")
        for label in ("row_lower", "row_upper"):
            if getattr(self, label).shape != (rows,):
                raise InvalidProblem(f"LinearModel: {label} must have shape ({rows},)")
        if not np.all(np.isfinite(self.objective)):
            raise InvalidProblem("LinearModel: forbid with a column upper bound of 0, not an infinite objective")
        for label in ("column_lower", "column_upper", "row_lower", "row_upper"):
            if np.isnan(getattr(self, label)).any():
                raise InvalidProblem(f"LinearModel: {label} contains NaN")
        if not (np.all(np.isfinite(self.rows.values)) and np.isfinite(self.constant)):
            raise InvalidProblem("LinearModel: row coefficients and the constant must be finite")
        for subject, indices in (("decision_columns", self.decision_columns), ("a row", self.rows.indices)):
            if indices.size and not 0 <= indices.min() <= indices.max() < columns:
                raise InvalidProblem(f"LinearModel: {subject} names a column that does not exist")

    @property
    def steps(self) -> float:
        """Cost of building and bounding the model, in steps of `gapless.work_limit`."""
        return 50.0 * (self.objective.size + self.rows.values.size)

    def dual_bound(self, row_prices: FloatArray, lower: FloatArray, upper: FloatArray) -> float:
        """Compute a bound by weak duality, valid for *any* `row_prices`.

        For every feasible x, ``objective @ x = row_prices @ (rows @ x) + reduced_costs @ x`` with
        ``reduced_costs = objective - rows.T @ row_prices``; each product is bounded by the better end of its
        interval. The possible float64 rounding error is added, so that huge prices cannot hide scores.

        Parameters
        ----------
        row_prices : float64 (rows,)
        lower, upper : float64 (columns,)
            Column bounds under the current fixings.
        """
        count = self.objective.size
        reduced_costs = self.objective - self.rows.transpose_dot(row_prices, count)
        entries = Sparse(self.rows.indptr, self.rows.indices, np.abs(self.rows.values))
        magnitude = np.abs(self.objective) + entries.transpose_dot(np.abs(row_prices), count)
        if not np.all(np.isfinite(magnitude)):
            return math.inf
        # Terms of a column's sum, and 2 for the products and for the sum of the magnitudes.
        rounding = EPSILON * (np.bincount(entries.indices, minlength=count) + 2.0) * magnitude
        # For an unbounded column only the sign of its reduced cost matters: rounding must not change it.
        for column in np.flatnonzero(np.isinf(lower) | np.isinf(upper)).tolist():
            reduced_costs[column], rounding[column] = self._exact_reduced_cost(column, row_prices), 0.0
        farthest = np.maximum(np.abs(lower), np.abs(upper))
        return math.fsum(
            [
                self.constant,
                *_interval_terms(row_prices, self.row_lower, self.row_upper),
                *_interval_terms(reduced_costs, lower, upper),
                *(rounding[rounding > 0] * farthest[rounding > 0]).tolist(),
            ]
        )

    def _exact_reduced_cost(self, column: int, row_prices: FloatArray) -> float:
        entries = np.flatnonzero(self.rows.indices == column)
        rows = np.searchsorted(self.rows.indptr, entries, side="right") - 1
        exact = Fraction(float(self.objective[column]))
        for row, value in zip(rows.tolist(), self.rows.values[entries].tolist(), strict=True):
            exact -= Fraction(value) * Fraction(float(row_prices[row]))
        # A number too small for float64 keeps its sign: it would be 0, and 0 times infinity counts nothing.
        return float(exact) or math.copysign(math.ulp(0.0), exact.numerator) if exact else 0.0


def _interval_terms(price: FloatArray, lower: FloatArray, upper: FloatArray) -> list[float]:
    """Return the largest ``price * a`` over ``lower <= a <= upper``, rounded up; a price of 0 gives no term."""
    end = np.where(price > 0, upper, lower)
    active = (price != 0) & (end != 0)  # 0 times infinity would be NaN
    terms: FloatArray = price[active] * end[active]
    return [*(terms + EPSILON * np.abs(terms)).tolist()]
