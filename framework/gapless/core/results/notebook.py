"""Values in notebooks: who makes their HTML, and the problem that a result is drawn with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ReferenceType, WeakKeyDictionary, ref

_MAKERS: list[Callable[[object], str | None]] = []
_problems: WeakKeyDictionary[Any, tuple[ReferenceType[Any], int | None]] = WeakKeyDictionary()


def show_by(make: Callable[[object], str | None]) -> None:
    """Have ``make(value)`` called for the HTML of a value; None leaves it to the value's ``repr``."""
    _MAKERS.append(make)


def html_repr(value: object) -> str | None:
    """The HTML of a value in a notebook; None, and so its ``repr``, where nobody makes any or that fails."""
    for make in _MAKERS:
        try:
            return make(value)
        except Exception:  # noqa: S112  whoever looks at an answer must not lose it
            continue
    return None


def remember(result: object, problem: object, at: int | None = None) -> None:
    """Know the problem of a result as long as it lives elsewhere: answers may be kept, and problems given up.

    `at`: its number, where `problem` is a batch that makes its problems when they are asked for.
    """
    try:
        _problems[result] = ref(problem), at
    except TypeError:  # a problem with slots of its own
        return


def problem_of(result: object) -> Any:
    """The problem that was remembered; None where there is none, or no more."""
    held, at = _problems.get(result, (lambda: None, None))
    problem = held()
    return problem if problem is None or at is None else problem[at]
