"""Converters for the fields of factors: decisions, groups, scores; their errors begin with the factor's name."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any, TypeVar

from gapless.arrays.score_array import bracketed, check_scores, score_array
from gapless.arrays.serial import serialisable
from gapless.arrays.sparse import FloatArray
from gapless.errors import InvalidProblem

T = TypeVar("T", bound=type)
LARGEST_NUMBER = 10**6
"""Largest number of decisions in a count: a factor has a score for each smaller number, which fills the memory."""


def shipped(tag: str) -> Callable[[T], T]:
    """Class decorator: as `gapless.roles.serialisable`, and errors of fields begin with the name of the factor."""

    def register(cls: T) -> T:
        named: Any = cls
        init = named.__init__

        @functools.wraps(init)
        def checked(self: Any, *args: Any, **fields: Any) -> None:
            try:
                init(self, *args, **fields)
            except InvalidProblem as error:
                raise InvalidProblem(f"{named.name}: {error}") from error.__cause__

        named.__init__ = checked
        return serialisable(tag)(cls)

    return register


def decisions_of(values: Any) -> tuple[int, ...]:
    """Convert to a tuple of distinct decisions."""
    try:
        decisions = tuple(operator.index(value) for value in values)
    except TypeError as error:
        raise InvalidProblem(f"decisions are {values!r:.80}, expected integers") from error
    if len(set(decisions)) < len(decisions):
        twice = next(d for d in decisions if decisions.count(d) > 1)
        raise InvalidProblem(f"the decision {twice} is listed twice")
    return decisions


def groups_of(values: Any) -> tuple[tuple[int, ...], ...] | None:
    """Convert to tuples of decisions; None stands for the choice groups of the problem."""
    if values is None:
        return None
    try:
        listed = list(values)
    except TypeError as error:
        raise InvalidProblem(f"groups are {values!r:.80}, expected sequences of decisions") from error
    return tuple(decisions_of(group) for group in listed)


def scores_of(values: Any) -> FloatArray:
    """Convert to a read-only array of at least one score, with one or more axes."""
    array = score_array(values, "scores")
    if not array.size or not array.ndim:
        raise InvalidProblem(f"scores have shape {array.shape}, expected one or more")
    check_scores(array, bracketed("scores"))
    array.flags.writeable = False
    return array


def score_row(values: Any) -> FloatArray:
    """Convert to a read-only array of scores with one axis."""
    array = scores_of(values)
    if array.ndim != 1:
        raise InvalidProblem(f"scores have shape {array.shape}, expected one axis")
    return array


def score_of(value: Any) -> float:
    """Convert to one score."""
    array = score_array(value, "scores")
    if array.ndim:
        raise InvalidProblem(f"the score is {value!r:.80}, expected a number")
    check_scores(array, bracketed("the score"))
    return float(array)


def number_of(value: Any) -> int:
    """Convert to an integer from 0 to `LARGEST_NUMBER`."""
    try:
        number = operator.index(value)
    except TypeError as error:
        raise InvalidProblem(f"{value!r:.80} where a number is expected, an integer of at least 0") from error
    if not 0 <= number <= LARGEST_NUMBER:
        raise InvalidProblem(f"{number!r:.40} where a number is expected, at least 0 and at most {LARGEST_NUMBER}")
    return number
