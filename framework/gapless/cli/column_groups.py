"""Groups of table columns that fit a terminal side by side, and their widths."""

from __future__ import annotations

import re
from collections.abc import Sequence

import attrs

PROSE, NARROWEST = 30, 16
"""Cells longer than this may be folded between words, into lines of at least this many letters."""
GAP = 2
"""Spaces between two columns."""
_PIECE = re.compile(r"[^./:=_]*[./:=_]?")
"""Pieces of a name, each up to a character after which the name may be cut."""


@attrs.frozen
class Column:
    """Column with its width in a group."""

    number: int
    width: int


def column_groups(heads: Sequence[str], cells: Sequence[Sequence[str]], width: int) -> list[list[Column]]:
    """Group the columns to fit the terminal, each group with the first columns, which name the rows.

    Names and numbers are not cut, heads are folded between words, and so are long texts. A column that is alone
    with the names may still be too wide.
    """
    columns = list(zip(heads, *cells, strict=True))
    whole = [max(map(len, column)) for column in columns]
    if sum(whole) + GAP * (len(whole) - 1) <= width:
        return [[Column(number, letters) for number, letters in enumerate(whole)]]
    names = _names(cells, whole, width)
    least = [_least(head, column, number < names) for number, (head, *column) in enumerate(columns)]
    groups = [list(range(names))]
    for number in range(names, len(columns)):
        taken = sum(least[other] + GAP for other in groups[-1])
        if len(groups[-1]) > names and taken + least[number] > width:
            groups.append(list(range(names)))
        groups[-1].append(number)
    return [_widened(group, least, whole, width) for group in groups]


def _names(cells: Sequence[Sequence[str]], whole: Sequence[int], width: int) -> int:
    """Return the number of first columns that identify the rows within half of the terminal; at least one."""
    for names in range(1, len(whole)):
        if sum(letters + GAP for letters in whole[:names]) > 0.6 * width:
            break
        if len({tuple(row[:names]) for row in cells}) == len(cells):
            return names
    return 1


def _least(head: str, column: Sequence[str], names: bool) -> int:
    """Return the number of letters that a column needs."""
    longest = max(map(len, column), default=0)
    if longest > PROSE and not names:
        longest = max(
            NARROWEST, *(len(piece) for text in column for word in text.split() for piece in pieces(word))
        )
    return max(longest, *map(len, head.split() or [""]))


def _widened(group: Sequence[int], least: Sequence[int], whole: Sequence[int], width: int) -> list[Column]:
    """Fit the columns of a group; folded ones share the remaining width, the last one first."""
    left = width - sum(least[number] + GAP for number in group) + GAP
    widths = {number: least[number] for number in group}
    for number in reversed(group):
        more = max(0, min(left, whole[number] - least[number]))
        widths[number] += more
        left -= more
    return [Column(number, widths[number]) for number in group]


def pieces(word: str) -> list[str]:
    """Split a word where it may be cut: a path after its dots and strokes."""
    return [piece for piece in _PIECE.findall(word) if piece]
