"""Structures in names: the values of `Problem.named`, and their text in one line."""

from __future__ import annotations

import re

Names = tuple[str | tuple[str, ...], ...]
"""Names in order; those that belong together, such as a word and its label, are a tuple."""

_STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Control characters, line ends, and halves of characters; joiners, which scripts need, stay."""


def one_line(names: Names) -> str:
    """The names as text: ``"the/DET dog/NOUN"``; ``"Paris = Paris, Texas; it = Paris"`` where one has a space.

    Characters that would break the line, or steer a terminal, are escaped.
    """
    parts = [(one,) if isinstance(one, str) else one for one in names]
    spaced = any(" " in name for part in parts for name in part)
    return ("; " if spaced else " ").join((" = " if spaced else "/").join(map(_printable, part)) for part in parts)


def _printable(name: str) -> str:
    return _STEERING.sub(lambda found: repr(found[0])[1:-1], name)
