"""Tables as lines of text that fit the width of a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from gapless.cli.column_groups import GAP, column_groups, pieces


def table_lines(
    heads: Sequence[str], cells: Sequence[Sequence[str]], numeric: Sequence[bool], width: int
) -> Iterator[str]:
    """Format a table in parts that each begin with the columns that name the rows.

    A row whose text is folded takes several lines. A name or number that is wider than the terminal stays whole.

    Parameters
    ----------
    heads : sequence of str
    cells : sequence of sequences of str
        Rows with a cell for each column.
    numeric : sequence of bool
        Columns that are aligned on the right.
    width : int
    """
    for part, group in enumerate(column_groups(heads, cells, width)):
        if part:
            yield ""
        rows = [[folded(row[column.number], column.width) for column in group] for row in (heads, *cells)]
        rules = [["-" * column.width] for column in group]
        for row in (rows[0], rules, *rows[1:]):
            for line in zip_longest(*row, fillvalue=""):
                padded = [
                    text.rjust(column.width) if numeric[column.number] else text.ljust(column.width)
                    for text, column in zip(line, group, strict=True)
                ]
                yield (" " * GAP).join(padded).rstrip()


def folded(text: str, width: int) -> list[str]:
    """Wrap text to lines of at most `width` letters, between words, and in long names after dots and strokes."""
    if len(text) <= width:
        return [text]
    lines = [""]
    for word in text.split():
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if len(joined) <= width:
            lines[-1] = joined
            continue
        if lines[-1]:
            lines.append("")
        for piece in pieces(word):
            if lines[-1] and len(lines[-1]) + len(piece) > width:
                lines.append("")
            *full, rest = textwrap.wrap(lines[-1] + piece, max(1, width), break_on_hyphens=False) or [""]
            lines[-1:] = [*full, rest]
    return lines
