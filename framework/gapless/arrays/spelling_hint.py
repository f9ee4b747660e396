"""Spelling hints: the known name nearest to an unknown one, and the check of options that take one of several."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gapless.errors import UnknownOption


def spelling_hint(name: object, choices: Iterable[str], cutoff: float = 0.5) -> str:
    """Return a hint to append to a sentence; empty if no choice has a similarity of `cutoff`, from 0 to 1."""
    import difflib  # noqa: PLC0415  needed after a typing error only

    close = difflib.get_close_matches(str(name), list(choices), 1, cutoff)
    return f" (did you mean {close[0]!r}?)" if close else ""


def check_choice(name: str, value: Any, choices: Iterable[Any]) -> None:
    """Raise `UnknownOption` unless an option has one of its values; suggest the nearest one."""
    known = list(choices)
    if not any(isinstance(value, type(choice)) and value == choice for choice in known):
        names = list(map(str, known))
        raise UnknownOption(
            f"{name} is {repr(value)[:80]}{spelling_hint(value, names)}, expected one of {', '.join(names)}"
        )
