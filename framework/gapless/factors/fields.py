"""Fields of factors, checked: decisions, groups of them, scores."""

from __future__ import annotations

import operator
from typing import Any

from gapless.core.errors import InvalidProblem
from gapless.core.score_array import check_scores, score_array
from gapless.core.sparse import FloatArray


def decisions_of(name: str, values: Any) -> tuple[int, ...]:
    """Distinct decisions."""
    try:
        found = tuple(operator.index(value) for value in values)
    except TypeError as error:
        raise InvalidProblem(f"{name}: decisions are {values!r:.80}, expected integers") from error
    if len(set(found)) < len(found):
        twice = next(d for d in found if found.count(d) > 1)
        raise InvalidProblem(f"{name}: the decision {twice} is listed twice")
    return found


def groups_of(name: str, values: Any) -> tuple[tuple[int, ...], ...] | None:
    """Sequences of decisions; None stands for the choice groups of the problem."""
    if values is None:
        return None
    try:
        listed = list(values)
    except TypeError as error:
        raise InvalidProblem(f"{name}: groups are {values!r:.80}, expected sequences of decisions") from error
    return tuple(decisions_of(name, group) for group in listed)


def scores_of(name: str, values: Any, *shape: str) -> FloatArray:
    """Scores with one axis for each name of `shape`; any number of axes without names."""
    array = score_array(values, f"{name}: scores")
    if (shape and array.ndim != len(shape)) or not array.size:
        said = f"({', '.join(shape)}{',' if len(shape) == 1 else ''})" if shape else "one axis for each group"
        raise InvalidProblem(f"{name}: scores have shape {array.shape}, expected {said}")
    check_scores(array, lambda index: f"{name}: scores[{', '.join(map(str, index))}]")
    array.flags.writeable = False
    return array


def score_of(name: str, value: Any) -> float:
    """One score."""
    array = score_array(value, f"{name}: scores")
    if array.ndim:
        raise InvalidProblem(f"{name}: the score is {value!r:.80}, expected a number")
    check_scores(array, lambda _: f"{name}: the score")
    return float(array)


def number_of(name: str, what: str, value: Any) -> int:
    """An integer of at least 0."""
    try:
        found = operator.index(value)
    except TypeError as error:
        raise InvalidProblem(f"{name}: {what} is {value!r:.80}, expected an integer") from error
    if found < 0:
        raise InvalidProblem(f"{name}: {what} is {found}, expected at least 0")
    return found
