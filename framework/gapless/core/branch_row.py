"""A limit on a sum of decisions, which a child of a node may impose on all structures below it."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.core.errors import InvalidProblem
from gapless.core.serial import serialisable
from gapless.core.sparse import FloatArray, IntArray

Expression = tuple[tuple[int, ...], tuple[int, ...]]
"""Decisions in ascending order, and their coefficients."""

FREE, ON = -1, 1


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

    Decisions are 0 or 1, so the sum is whole in every structure, and ``<= t`` and ``>= t + 1`` leave nothing out:
    a verifier need not take that on trust. A linear master imposes the row on the use of quantities, where the same
    sum is taken; see `over_quantities`.

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
        order = sorted(range(len(self.decisions)), key=self.decisions.__getitem__)
        for name in ("decisions", "coefficients"):
            object.__setattr__(self, name, tuple(getattr(self, name)[place] for place in order))
        if len(set(self.decisions)) < len(self.decisions):
            raise InvalidProblem("BranchRow: a decision occurs twice; add up its coefficients")

    @property
    def expression(self) -> Expression:
        """The sum without its limits."""
        return self.decisions, self.coefficients

    def value(self, on_ids: IntArray) -> int:
        """The sum in a structure that turns on exactly `on_ids`."""
        on = set(on_ids.tolist())
        return sum(c for d, c in zip(self.decisions, self.coefficients, strict=True) if d in on)

    def at(self, point: FloatArray) -> float:
        """The sum at a point, float64 (decisions,)."""
        return float(point[list(self.decisions)] @ np.array(self.coefficients, np.float64))

    def within(self, value: float) -> bool:
        """Whether the limits allow this value of the sum."""
        return (self.lower is None or value >= self.lower) and (self.upper is None or value <= self.upper)

    def extent(self, state: NDArray[np.int8]) -> tuple[int, int]:
        """Least and largest value of the sum when decisions are fixed as in `state`, by these fixings alone."""
        fixed = state[list(self.decisions)].tolist()
        pairs = list(zip(fixed, self.coefficients, strict=True))
        least = sum(c for value, c in pairs if value == ON)
        return least, least + sum(c for value, c in pairs if value == FREE)

    def possible(self, state: NDArray[np.int8]) -> bool:
        """Whether the fixings of `state` leave a value within the limits."""
        least, most = self.extent(state)
        return not (self.lower is not None and most < self.lower) and not (
            self.upper is not None and least > self.upper
        )

    def over_quantities(self, quantity: IntArray, threshold: IntArray) -> tuple[list[int], list[int]]:
        """The quantities of the sum and their coefficients.

        The use of a quantity is the number of its decisions that are on when their thresholds are 1, 2, 3 and so
        on, and no structure uses more than the last one. So the sum must take all decisions of a quantity, with one
        coefficient.

        Raises
        ------
        InvalidProblem
            It does not.
        """
        found: dict[int, list[int]] = {}
        for place, d in enumerate(self.decisions):
            found.setdefault(int(quantity[d]), []).append(place)
        coefficients = []
        for q, places in found.items():
            steps = sorted(int(threshold[self.decisions[place]]) for place in places)
            known = {self.coefficients[place] for place in places}
            if len(known) > 1 or steps != [*range(1, 1 + np.count_nonzero(quantity == q))]:
                raise InvalidProblem(
                    f"a linear master takes a sum over quantities: {self.words()} must have all decisions of "
                    f"quantity {q}, with thresholds 1, 2, ... and one coefficient"
                )
            coefficients.append(known.pop())
        return [*found], coefficients

    def words(self) -> str:
        """The row for people."""
        said = self.name or f"the sum of {len(self.decisions)} decisions ({self.decisions[0]}, ...)"
        if self.lower is not None and self.upper is not None:
            return f"{self.lower} <= {said} <= {self.upper}"
        return f"{said} >= {self.lower}" if self.upper is None else f"{said} <= {self.upper}"


def meet(rows: Sequence[BranchRow], more: Sequence[BranchRow]) -> tuple[BranchRow, ...] | None:
    """All of both, a row for each sum, those of `rows` first; None when the limits on a sum exclude each other.

    So the rows of a node begin with its parent's, and a price of each of these is one below it as well.
    """
    met: dict[Expression, BranchRow] = {}
    for row in (*rows, *more):
        known = met.get(row.expression)
        if known is not None:
            lowers = [side for side in (known.lower, row.lower) if side is not None]
            uppers = [side for side in (known.upper, row.upper) if side is not None]
            row = attrs.evolve(known, lower=max(lowers, default=None), upper=min(uppers, default=None))  # noqa: PLW2901
        if row.lower is not None and row.upper is not None and row.lower > row.upper:
            return None
        met[row.expression] = row
    return tuple(met.values())
