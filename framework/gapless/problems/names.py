"""Readable names of structures: the values of `Problem.describe`, and their text in one line."""

from __future__ import annotations

import re

Names = tuple[str | tuple[str, ...], ...]
"""Names in order; those that belong together, such as a word and its label, form a tuple."""

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Control characters, line separators and lone surrogates; zero-width joiners, which some scripts need, stay."""


def one_line(names: Names) -> str:
    """Write names as text: ``"the/DET dog/NOUN"``, or ``"Paris = Paris, Texas; it = Paris"`` if one has a space.

    Characters that would break the line, or control a terminal, are escaped.
    """
    groups = [(item,) if isinstance(item, str) else item for item in names]
    spaced = any(" " in name for group in groups for name in group)
    between, inside = ("; ", " = ") if spaced else (" ", "/")
    return between.join(inside.join(map(_printable, group)) for group in groups)


def _printable(name: str) -> str:
    return _UNPRINTABLE.sub(lambda match: repr(match[0])[1:-1], name)
