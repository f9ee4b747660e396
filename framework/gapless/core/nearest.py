"""Hints for typing mistakes: the known name that is nearest to an unknown one."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: object, known: Iterable[str], alike: float = 0.5) -> str:
    """A hint for a typo, ready to append to a sentence; empty when nothing is at least so much alike, up to 1."""
    import difflib  # noqa: PLC0415  only for those who mistype

    close = difflib.get_close_matches(str(name), list(known), 1, alike)
    return f" (did you mean {close[0]!r}?)" if close else ""
