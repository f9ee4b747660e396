"""Values in notebooks: functions that render them as HTML, and the problem that a result is drawn with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ReferenceType, WeakKeyDictionary, ref

_MAKERS: list[Callable[[object], str | None]] = []
_problems: WeakKeyDictionary[Any, tuple[ReferenceType[Any], int | None]] = WeakKeyDictionary()


def register_html_maker(make: Callable[[object], str | None]) -> None:
    """Register ``make(value)``, which returns the HTML of a value, or None to show its ``repr``."""
    _MAKERS.append(make)


def html_repr(value: object) -> str | None:
    """Return the HTML of a value for a notebook; None, which shows its ``repr``, if no function makes any."""
    for make in _MAKERS:
        try:
            return make(value)
        except Exception:  # noqa: S112  a fault in a drawing must not hide the value
            continue
    return None


def remember(result: object, problem: object, at: int | None = None) -> None:
    """Associate a result with its problem, weakly: a stored result must not keep its problem in memory.

    `at`: index of the problem, if `problem` is a batch that builds its problems on access.
    """
    try:
        _problems[result] = ref(problem), at
    except TypeError:  # a class with __slots__ and without __weakref__
        return


def problem_of(result: object) -> Any:
    """Return the problem of a result; None if none was remembered, or if it no longer exists."""
    reference, at = _problems.get(result, (lambda: None, None))
    problem = reference()
    return problem if problem is None or at is None else problem[at]
