"""Fields of factors, checked: decisions, groups of them, scores."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from gapless.core.errors import InvalidProblem
from gapless.core.score_array import check_scores, score_array
from gapless.core.sparse import FloatArray


def decisions_of(name: str) -> Callable[[Any], tuple[int, ...]]:
    """A converter to distinct decisions."""

    def convert(values: Any) -> tuple[int, ...]:
        try:
            found = tuple(operator.index(value) for value in values)
        except TypeError as error:
            raise InvalidProblem(f"{name}: decisions are {values!r:.80}, expected integers") from error
        if len(set(found)) < len(found):
            twice = next(d for d in found if found.count(d) > 1)
            raise InvalidProblem(f"{name}: the decision {twice} is listed twice")
        return found

    return convert


def groups_of(name: str) -> Callable[[Any], tuple[tuple[int, ...], ...] | None]:
    """A converter to sequences of decisions; None stands for the choice groups of the problem."""
    one = decisions_of(name)

    def convert(values: Any) -> tuple[tuple[int, ...], ...] | None:
        if values is None:
            return None
        try:
            listed = list(values)
        except TypeError as error:
            raise InvalidProblem(f"{name}: groups are {values!r:.80}, expected sequences of decisions") from error
        return tuple(one(group) for group in listed)

    return convert


def scores_of(name: str, *shape: str) -> Callable[[Any], FloatArray]:
    """A converter to scores with one axis for each name of `shape`; any number of axes without names."""

    def convert(values: Any) -> FloatArray:
        array = score_array(values, f"{name}: scores")
        if (shape and array.ndim != len(shape)) or not array.size:
            said = f"({', '.join(shape)}{',' if len(shape) == 1 else ''})" if shape else "one axis for each group"
            raise InvalidProblem(f"{name}: scores have shape {array.shape}, expected {said}")
        check_scores(array, lambda index: f"{name}: scores[{', '.join(map(str, index))}]")
        array.flags.writeable = False
        return array

    return convert


def score_of(name: str) -> Callable[[Any], float]:
    """A converter to one score."""

    def convert(value: Any) -> float:
        array = score_array(value, f"{name}: scores")
        if array.ndim:
            raise InvalidProblem(f"{name}: the score is {value!r:.80}, expected a number")
        check_scores(array, lambda _: f"{name}: the score")
        return float(array)

    return convert


def number_of(name: str, what: str, lowest: int = 0) -> Callable[[Any], int]:
    """A converter to an integer, at least `lowest`."""

    def convert(value: Any) -> int:
        try:
            found = operator.index(value)
        except TypeError as error:
            raise InvalidProblem(f"{name}: {what} is {value!r:.80}, expected an integer") from error
        if found < lowest:
            raise InvalidProblem(f"{name}: {what} is {found}, expected at least {lowest}")
        return found

    return convert
