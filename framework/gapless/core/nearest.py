"""Spelling hints: the known name nearest to an unknown one."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: object, known: Iterable[str], alike: float = 0.5) -> str:
    """A hint to append to a sentence; empty when no name has a similarity of at least `alike`, from 0 to 1."""
    import difflib  # noqa: PLC0415  only for those who mistype

    close = difflib.get_close_matches(str(name), list(known), 1, alike)
    return f" (did you mean {close[0]!r}?)" if close else ""
