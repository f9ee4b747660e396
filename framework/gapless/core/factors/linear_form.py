"""The integer program of a factor that is no conjunction."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import attrs

from gapless.core.sparse import FloatArray


@attrs.frozen(eq=False)
class LinearForm:
    """Columns in [0, 1] and rows over them and the decisions of the scope.

    For every configuration of the scope, the largest ``objective @ y`` over the y in [0, `upper`] with
    ``row_lower <= on_scope @ x + on_columns @ y <= row_upper`` is the factor's value; where there is none, the
    value is -inf.

    Parameters
    ----------
    objective, upper : float64 (columns,)
    on_scope : float64 (rows, scope)
    on_columns : float64 (rows, columns)
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
    on_scope: FloatArray
    on_columns: FloatArray
    row_lower: FloatArray
    row_upper: FloatArray
    integer: bool = True


@runtime_checkable
class HasLinearForm(Protocol):
    """A factor that can say itself how it stands in `Problem.linear_model`.

    Examples
    --------
    >>> from gapless.roles import HasLinearForm
    >>> from gapless_dependency import AnyOf
    >>> isinstance(AnyOf([(0, 1)], 1.0), HasLinearForm)
    True
    """

    def linear_form(self, size: int) -> LinearForm:
        """The form for a scope of `size` decisions."""
