"""Whether all that a factor scores is a multiple of a granularity: bounds are rounded to it."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from gapless.core.errors import InvalidProblem
from gapless.core.factor import ConfigurationFactor, name_of, named_after
from gapless.core.score_array import score_array
from gapless.core.sparse import FloatArray
from gapless.core.tolerance import off_grid


@runtime_checkable
class FinitelyValued(Protocol):
    """A `ConfigurationFactor` that can list every value it takes, so that a granularity can be checked."""

    def possible_values(self) -> FloatArray:
        """Every value of any configuration, float64 (values,); -inf among them or not."""


def check_grid(factor: ConfigurationFactor, place: str, granularity: Any) -> None:
    """Refuse a factor whose values may be no multiples of `granularity`, or that does not say which they are.

    Raises `InvalidProblem`; `place` begins the message.
    """
    if not (isinstance(factor, FinitelyValued) and callable(factor.possible_values)):
        raise InvalidProblem(
            f"{place}: the factor {name_of(factor)} does not say which values it takes, so nobody can "
            f"check that they are multiples of the granularity {granularity:g}; leave the granularity out, or give "
            "the factor a method possible_values()"
        )
    with named_after(factor, "possible_values"):
        values = score_array(factor.possible_values(), f"factor {name_of(factor)}: possible_values()")
    wrong = values[off_grid(values, granularity)]
    if wrong.size:
        raise InvalidProblem(
            f"{place}: the factor {name_of(factor)} may score {wrong.flat[0]}, no multiple of the "
            f"granularity {granularity:g}; leave the granularity out, or round the scores"
        )
