"""The integer program of a configuration factor."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import attrs

from gapless.arrays.sparse import FloatArray


@attrs.frozen(eq=False)
class LinearForm:
    """Columns from 0 to `upper`, and rows over them and the decisions of the scope.

    For every configuration x of the scope, the factor's value is the largest ``objective @ y`` over the y in
    [0, `upper`] with ``row_lower <= scope_coefficients @ x + column_coefficients @ y <= row_upper``; if there is no
    such y, the value is -inf.

    Parameters
    ----------
    objective, upper : float64 (columns,)
    scope_coefficients : float64 (rows, scope)
    column_coefficients : float64 (rows, columns)
    row_lower, row_upper : float64 (rows,)
    integer : bool
        Whether the columns have to be whole numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from gapless.roles import LinearForm
    >>> form = LinearForm(np.zeros(0), np.zeros(0), np.ones((1, 2)), np.zeros((1, 0)), np.zeros(1), np.ones(1))
    >>> form.row_upper  # at most one of two decisions
    array([1.])
    """

    objective: FloatArray
    upper: FloatArray
    scope_coefficients: FloatArray
    column_coefficients: FloatArray
    row_lower: FloatArray
    row_upper: FloatArray
    integer: bool = True


@runtime_checkable
class SupportsLinearForm(Protocol):
    """A factor that defines its columns and rows in `Problem.linear_model`.

    Examples
    --------
    >>> from gapless.roles import SupportsLinearForm
    >>> from gapless_dependency import AnyOf
    >>> isinstance(AnyOf([(0, 1)], 1.0), SupportsLinearForm)
    True
    """

    def linear_form(self, size: int) -> LinearForm:
        """Return the form for a scope of `size` decisions."""
