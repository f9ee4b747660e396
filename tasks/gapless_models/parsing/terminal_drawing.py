"""Trees drawn with box characters: arcs above the words, wide sentences cut into pieces that continue."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

import attrs

from gapless.cli import Console
from gapless_dependency.arc_diagram import arcs_with_levels

try:
    import rich.console
    import rich.text
except ImportError:  # the extra `tasks` brings it
    rich = None  # type: ignore[assignment]

_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_BOXES = {
    0: " ",
    _LEFT | _RIGHT: "─",
    _UP | _DOWN: "│",
    _DOWN | _RIGHT: "╭",
    _DOWN | _LEFT: "╮",
    _UP | _DOWN | _RIGHT: "├",
    _UP | _DOWN | _LEFT: "┤",
    _DOWN | _LEFT | _RIGHT: "┬",
    _UP | _DOWN | _LEFT | _RIGHT: "┼",
}
_RIGHT_ARC, _WRONG_ARC = "▼", "✗"
_PORTS = 3
"""Columns of a word where arcs end: arcs to the left leave the first, the one from its head ends in the second."""
_GAP = 1
_NARROWEST = 20
WIDTH = 100


@attrs.frozen
class TerminalLine:
    """One line of a drawing, with the cells that belong to wrong arcs.

    Parameters
    ----------
    wrong : frozenset of int
        Places in `text`.
    """

    text: str
    wrong: frozenset[int] = frozenset()


def draw(
    words: Sequence[str],
    heads: Sequence[int],
    *,
    rows: Sequence[Sequence[str]] = (),
    gold: Sequence[int] | None = None,
    width: int = WIDTH,
) -> list[TerminalLine]:
    """Draw a tree.

    The arc from the root comes from the top. Arcs end in a triangle, or in a cross where `gold` has another head; a
    ``┼`` is where two arcs cross, ``├`` and ``┤`` are where two arcs leave one word. Sentences that do not fit are
    cut between words, and the arcs go on in the next piece at the same height.

    Parameters
    ----------
    words : sequence of n str
    heads : sequence of n int
        The head of each word, 0 for the root.
    rows : sequence of sequences of n str
        Rows below the words, such as tags and relations.
    gold : sequence of n int, optional
    width : int
        Columns, at least 20; a single word may be wider.
    """
    below = [list(words), *map(list, rows)]
    widths = [max(_PORTS, *(_columns(row[i]) for row in below)) + _GAP for i in range(len(words))]
    starts = [sum(widths[:i]) for i in range(len(words) + 1)]
    canvas = _Canvas(words, heads, gold, starts)
    lines: list[TerminalLine] = []
    for first, last in _pieces(widths, max(width, _NARROWEST)):
        if lines:
            lines.append(TerminalLine(""))
        lines += canvas.cut(starts[first], starts[last])
        for row in below:
            cells = [row[i] + " " * (widths[i] - _columns(row[i])) for i in range(first, last)]
            lines.append(TerminalLine("".join(cells).rstrip()))
    return lines


def show(lines: Sequence[TerminalLine], console: Console) -> None:
    """Print a drawing; on a terminal with rich, wrong arcs are red."""
    for line in lines:
        if not console.draws or not line.wrong:
            console.info(line.text)
            continue
        text = rich.text.Text()
        for column, cell in enumerate(line.text):
            text.append(cell, "bold red" if column in line.wrong else "")
        console.draw(text)


class _Canvas:
    """Box characters of all arcs: the set of directions in which each cell is open."""

    def __init__(
        self, words: Sequence[str], heads: Sequence[int], gold: Sequence[int] | None, starts: Sequence[int]
    ) -> None:
        arcs = arcs_with_levels(heads)
        height = max((arc.level for arc in arcs), default=0) + 1
        self.open = [[0] * starts[-1] for _ in range(height)]
        self.wrong: set[tuple[int, int]] = set()
        self.ends = [" "] * starts[-1]
        self.wrong_ends: set[int] = set()
        for modifier, head in enumerate(heads, start=1):
            end = starts[modifier - 1] + 1
            mistaken = gold is not None and gold[modifier - 1] != head
            self.ends[end] = _WRONG_ARC if mistaken else _RIGHT_ARC
            if mistaken:
                self.wrong_ends.add(end)
            if head == 0:
                self._fill(0, height - 1, end, mistaken)
        for arc in arcs:
            mistaken = gold is not None and gold[arc.modifier - 1] != arc.head
            row = height - 1 - arc.level
            leaving = starts[arc.head - 1] + (2 if arc.modifier > arc.head else 0)
            entering = starts[arc.modifier - 1] + 1
            left, right = sorted((leaving, entering))
            self._add(row, left, _RIGHT | _DOWN, mistaken)
            self._add(row, right, _LEFT | _DOWN, mistaken)
            for column in range(left + 1, right):
                self._add(row, column, _LEFT | _RIGHT, mistaken)
            for column in (left, right):
                self._fill(row + 1, height - 1, column, mistaken)

    def cut(self, first: int, last: int) -> Iterator[TerminalLine]:
        """Return the lines of some columns: the arcs, then their ends."""
        for number, row in enumerate(self.open):
            text = "".join(_BOXES[ways] for ways in row[first:last]).rstrip()
            if text:
                wrong = frozenset(c - first for r, c in self.wrong if r == number and first <= c < last)
                yield TerminalLine(text, wrong)
        yield TerminalLine(
            "".join(self.ends[first:last]).rstrip(),
            frozenset(c - first for c in self.wrong_ends if first <= c < last),
        )

    def _fill(self, top: int, bottom: int, column: int, mistaken: bool) -> None:
        for row in range(top, bottom):
            self._add(row, column, _UP | _DOWN, mistaken)

    def _add(self, row: int, column: int, ways: int, mistaken: bool) -> None:
        self.open[row][column] |= ways
        if mistaken:
            self.wrong.add((row, column))


def _pieces(widths: Sequence[int], width: int) -> Iterator[tuple[int, int]]:
    """Return the words ``first:last`` of each piece."""
    first, used = 0, 0
    for i, wide in enumerate(widths):
        if used + wide > width and i > first:
            yield first, i
            first, used = i, 0
        used += wide
    yield first, len(widths)


def _columns(text: str) -> int:
    """Compute the width of a text in columns; letters of East Asian scripts take two."""
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )
