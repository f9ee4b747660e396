"""Limits on sums of decisions, which a child of a node may impose on all structures below it."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.arrays.serial import serialisable
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.errors import InvalidProblem

Expression = tuple[tuple[int, ...], tuple[int, ...]]
"""Decisions in ascending order, and their coefficients."""

FREE, ON = -1, 1  # as in `decisions.py`, which imports this module


def _whole(value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError as error:
        raise InvalidProblem(
            f"BranchRow: decisions, coefficients and sides are whole numbers, not {value!r}"
        ) from error


def _wholes(values: Iterable[Any]) -> tuple[int, ...]:
    return tuple(map(_whole, values))


@serialisable("gapless.BranchRow")
@attrs.frozen
class BranchRow:
    """``lower <= sum of the coefficients of the decisions that are on <= upper``, all of them whole numbers.

    Decisions are 0 or 1, so the sum is whole in every structure, and the children ``<= t`` and ``>= t + 1`` cover
    their parent: a verifier can check that. A linear master imposes the row on the use of quantities, which has the
    same sum; see `over_quantities`.

    Parameters
    ----------
    decisions : sequence of int
        Each at most once.
    lower, upper : int, optional
        None for no limit.
    coefficients : sequence of int
        At least 1 each; by default 1.
    name : str
        Words for the sum, such as ``"vehicles"``.

    Raises
    ------
    InvalidProblem
        A decision occurs twice, a coefficient is below 1, or there is one too many or too few.

    Examples
    --------
    >>> from gapless.roles import BranchRow
    >>> BranchRow([0, 1, 2], upper=1, name="one of three").upper
    1
    """

    decisions: tuple[int, ...] = attrs.field(converter=_wholes)
    lower: int | None = attrs.field(default=None, converter=attrs.converters.optional(_whole))
    upper: int | None = attrs.field(default=None, converter=attrs.converters.optional(_whole))
    coefficients: tuple[int, ...] = attrs.field(
        converter=_wholes, default=attrs.Factory(lambda row: (1,) * len(tuple(row.decisions)), takes_self=True)
    )
    name: str = attrs.field(default="", eq=False)

    def __attrs_post_init__(self) -> None:
        if len(self.coefficients) != len(self.decisions) or not self.decisions:
            raise InvalidProblem(
                f"BranchRow: {len(self.coefficients)} coefficients for {len(self.decisions)} decisions; one each"
            )
        if min(self.coefficients) < 1:
            raise InvalidProblem(f"BranchRow: a coefficient is {min(self.coefficients)}, it must be at least 1")
        # Ascending, so that rows over the same sum have equal expressions in whatever order they were written.
        order = sorted(range(len(self.decisions)), key=self.decisions.__getitem__)
        for name in ("decisions", "coefficients"):
            object.__setattr__(self, name, tuple(getattr(self, name)[index] for index in order))
        if len(set(self.decisions)) < len(self.decisions):
            raise InvalidProblem("BranchRow: a decision occurs twice; add up its coefficients")

    @property
    def expression(self) -> Expression:
        """The sum, without its limits."""
        return self.decisions, self.coefficients

    def value(self, on_ids: IntArray) -> int:
        """Return the sum in a structure that turns on exactly `on_ids`."""
        on = set(on_ids.tolist())
        return sum(c for d, c in zip(self.decisions, self.coefficients, strict=True) if d in on)

    def activity(self, point: FloatArray) -> float:
        """Return the sum at a point, float64 (decisions,)."""
        return float(point[list(self.decisions)] @ np.array(self.coefficients, np.float64))

    def allows(self, value: float) -> bool:
        """Return whether the limits allow this value of the sum."""
        return (self.lower is None or value >= self.lower) and (self.upper is None or value <= self.upper)

    def activity_bounds(self, state: NDArray[np.int8]) -> tuple[int, int]:
        """Return the smallest and largest value of the sum that the fixings in `state` alone allow."""
        fixed = state[list(self.decisions)].tolist()
        pairs = list(zip(fixed, self.coefficients, strict=True))
        minimum = sum(c for value, c in pairs if value == ON)
        return minimum, minimum + sum(c for value, c in pairs if value == FREE)

    def is_satisfiable(self, state: NDArray[np.int8]) -> bool:
        """Return whether the fixings of `state` leave a value within the limits."""
        minimum, maximum = self.activity_bounds(state)
        return (self.lower is None or maximum >= self.lower) and (self.upper is None or minimum <= self.upper)

    def over_quantities(self, quantity: IntArray, threshold: IntArray) -> tuple[list[int], list[int]]:
        """Convert the sum to quantities and their coefficients.

        If the thresholds of a quantity's decisions are 1, 2, 3 and so on, and no structure uses more than the last
        one, the use of the quantity is the number of these decisions that are on. So the sum must contain all
        decisions of a quantity, with one coefficient.

        Raises
        ------
        InvalidProblem
            It contains only some of them, or they have several coefficients.
        """
        indices_of: dict[int, list[int]] = {}
        for index, d in enumerate(self.decisions):
            indices_of.setdefault(int(quantity[d]), []).append(index)
        coefficients = []
        for q, indices in indices_of.items():
            steps = sorted(int(threshold[self.decisions[index]]) for index in indices)
            distinct = {self.coefficients[index] for index in indices}
            if len(distinct) > 1 or steps != [*range(1, 1 + np.count_nonzero(quantity == q))]:
                raise InvalidProblem(
                    f"a linear master takes a sum over quantities: {self.words()} must have all decisions of "
                    f"quantity {q}, with thresholds 1, 2, ... and one coefficient"
                )
            coefficients.append(distinct.pop())
        return [*indices_of], coefficients

    def words(self) -> str:
        """Describe the row."""
        name = self.name or f"the sum of {len(self.decisions)} decisions ({self.decisions[0]}, ...)"
        if self.lower is not None and self.upper is not None:
            return f"{self.lower} <= {name} <= {self.upper}"
        return f"{name} >= {self.lower}" if self.upper is None else f"{name} <= {self.upper}"


def intersect_rows(rows: Sequence[BranchRow], more: Sequence[BranchRow]) -> tuple[BranchRow, ...] | None:
    """Combine rows to one for each sum, those of `rows` first; None if the limits on a sum exclude each other.

    So the rows of a node begin with those of its parent, and the parent's prices, row by row, fit the node, too.
    """
    combined: dict[Expression, BranchRow] = {}
    for row in (*rows, *more):
        previous = combined.get(row.expression)
        if previous is not None:
            lowers = [side for side in (previous.lower, row.lower) if side is not None]
            uppers = [side for side in (previous.upper, row.upper) if side is not None]
            row = attrs.evolve(  # noqa: PLW2901
                previous, lower=max(lowers, default=None), upper=min(uppers, default=None)
            )
        if row.lower is not None and row.upper is not None and row.lower > row.upper:
            return None
        combined[row.expression] = row
    return tuple(combined.values())
