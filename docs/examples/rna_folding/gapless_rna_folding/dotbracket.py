"""Structures as text: ``((...))``, a bracket for each base that is paired."""

from __future__ import annotations

from collections.abc import Iterable

import gapless as gl

Structure = tuple[tuple[int, int], ...]
"""Pairs (left, right) of bases, counted from 0, ascending."""


def dot_bracket(structure: Iterable[tuple[int, int]], length: int) -> str:
    """Write a structure of non-crossing pairs as text."""
    text = ["."] * length
    for left, right in structure:
        text[left], text[right] = "(", ")"
    return "".join(text)


def from_dot_bracket(text: str) -> Structure:
    """Read the pairs of a text.

    Raises
    ------
    InvalidProblem
        A bracket has no partner, or a letter is none of ``(``, ``)`` and ``.``; the message says which.
    """
    pairs, open_ones = [], []
    for place, letter in enumerate(text):
        if letter == "(":
            open_ones.append(place)
        elif letter == ")":
            if not open_ones:
                raise gl.InvalidProblem(f"dot-bracket text: the bracket at place {place} closes nothing")
            pairs.append((open_ones.pop(), place))
        elif letter != ".":
            raise gl.InvalidProblem(f"dot-bracket text: {letter!r} at place {place} is none of '(', ')' and '.'")
    if open_ones:
        raise gl.InvalidProblem(f"dot-bracket text: the bracket at place {open_ones[-1]} is never closed")
    return tuple(sorted(pairs))
