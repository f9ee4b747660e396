"""The check that configuration factors score multiples of the granularity, to which bounds are rounded."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from gapless.arrays.score_array import score_array
from gapless.arrays.sparse import FloatArray
from gapless.arrays.tolerance import off_grid
from gapless.errors import InvalidProblem
from gapless.factors.error_notes import factor_name, named_after
from gapless.factors.factor import ConfigurationFactor


@runtime_checkable
class SupportsPossibleValues(Protocol):
    """A `ConfigurationFactor` that can list every value it takes, so that a granularity can be checked."""

    def possible_values(self) -> FloatArray:
        """Return every value, or numbers of which all values are sums or differences, float64 (values,).

        -inf may be among them.
        """


def check_grid(factor: ConfigurationFactor, place: str, granularity: Any) -> None:
    """Refuse a factor whose values may be no multiples of `granularity`, or that does not list its values.

    Raises `InvalidProblem`; `place` begins the message.
    """
    if not (isinstance(factor, SupportsPossibleValues) and callable(factor.possible_values)):
        raise InvalidProblem(
            f"{place}: the factor {factor_name(factor)} does not say which values it takes, so gapless cannot "
            f"check that they are multiples of the granularity {granularity:g}; leave the granularity out, or give "
            "the factor a method possible_values()"
        )
    with named_after(factor, "possible_values"):
        values = score_array(factor.possible_values(), f"factor {factor_name(factor)}: possible_values()")
    wrong = values[off_grid(values, granularity)]
    if wrong.size:
        raise InvalidProblem(
            f"{place}: the factor {factor_name(factor)} may score {wrong.flat[0]}, no multiple of the "
            f"granularity {granularity:g}; leave the granularity out, or round the scores"
        )
