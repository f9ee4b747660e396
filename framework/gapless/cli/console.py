"""Where commands write: tables for people, JSON for programs, progress only on a terminal.

With `rich` installed (extra ``tasks``) tables and progress are drawn by it; without, plain text.
"""

from __future__ import annotations

import contextlib
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TextIO

import attrs

try:
    import rich.console
    import rich.progress
    import rich.table
    from rich import box
except ImportError:  # the core install has no rich
    rich = None  # type: ignore[assignment]


@attrs.frozen
class Table:
    """A table that was shown.

    Parameters
    ----------
    title : str
    columns : sequence of str
    rows : sequence of sequence
        Numbers or text, one for each column.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]


class Console:
    """Output of one command.

    Parameters
    ----------
    as_json : bool
        Print nothing for people; `data` prints one JSON document.
    out, err : text streams

    Attributes
    ----------
    tables : list of Table
        Every table that was shown, with ``--json`` too: reports and the results pages are made of them.
    circumstances : dict
        What every document of `data` begins with, such as the instruction set that was measured on.
    """

    def __init__(self, *, as_json: bool = False, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self.as_json = as_json
        self.out = out or sys.stdout
        self.err = err or sys.stderr
        self.tables: list[Table] = []
        self.circumstances: dict[str, Any] = {}

    def say(self, text: str = "") -> None:
        """One line for people."""
        if not self.as_json:
            print(text, file=self.out)

    def complain(self, text: str) -> None:
        """One line on standard error, always."""
        print(text, file=self.err)

    def data(self, document: Any) -> None:
        """The whole outcome for programs: printed with ``--json`` only. Arrays become lists, infinities strings."""
        if self.as_json:
            document = {**self.circumstances, **document} if isinstance(document, dict) else document
            print(json.dumps(plain_data(document), indent=2, allow_nan=False, default=str), file=self.out)

    def table(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """A table for people; numbers are right-aligned."""
        self.tables.append(Table(title, tuple(columns), tuple(map(tuple, rows))))
        if self.as_json:
            return
        cells = [[cell(value) for value in row] for row in rows]
        numeric = [bool(rows) and all(isinstance(r[c], (int, float)) for r in rows) for c in range(len(columns))]
        if rich is not None and self.out.isatty():
            drawn = rich.table.Table(
                title=title, box=box.SIMPLE_HEAD, title_justify="left", show_edge=False, padding=(0, 1, 0, 0)
            )
            last = len(columns) - 1
            for number, (name, right) in enumerate(zip(columns, numeric, strict=True)):
                # Names are never cut; on a narrow terminal the last column, where the prose stands, gets the folds.
                drawn.add_column(name, justify="right" if right else "left", no_wrap=number < last, overflow="fold")
            for row in cells:
                drawn.add_row(*row)
            rich.console.Console(file=self.out).print(drawn)
            return
        widths = [max(map(len, column)) for column in zip(columns, *cells, strict=True)]
        self.say(title)
        for row in [list(columns), ["-" * w for w in widths], *cells]:
            padded = [
                cell.rjust(w) if right else cell.ljust(w)
                for cell, w, right in zip(row, widths, numeric, strict=True)
            ]
            self.say("  ".join(padded).rstrip())

    @property
    def draws_progress(self) -> bool:
        """Whether `progress` is seen: what it costs to know the total is spared otherwise."""
        return not self.as_json and rich is not None and self.err.isatty()

    @contextlib.contextmanager
    def progress(self, title: str, total: int) -> Iterator[Callable[[int], None]]:
        """A progress bar on a terminal, silence elsewhere. Yields ``advance(steps)``."""
        if not self.draws_progress:
            yield lambda steps: None
            return
        bar = rich.progress.Progress(
            *rich.progress.Progress.get_default_columns(),
            rich.progress.MofNCompleteColumn(),
            console=rich.console.Console(file=self.err),
            transient=True,
        )
        with bar:
            task = bar.add_task(title, total=total)
            yield lambda steps: bar.advance(task, steps)


def cell(value: Any) -> str:
    """A value of a table as people see it."""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"
    return str(value)


def in_one_line(value: Any) -> str:
    """A structure for people: its fields, or its numbers, whole and without line breaks."""
    plain = plain_data(value)
    if not isinstance(plain, dict):
        return str(plain).replace("\n", " ")
    return ", ".join(f"{name} {in_one_line(part)}" for name, part in plain.items() if part is not None)


def plain_data(value: Any) -> Any:
    """Data for JSON: arrays become lists, infinities strings, structures dictionaries of their fields."""
    if isinstance(value, dict):
        return {str(k): plain_data(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_data(v) for v in value]
    if attrs.has(type(value)):  # structures
        return {a.alias: plain_data(getattr(value, a.name)) for a in attrs.fields(type(value)) if a.init}
    if hasattr(value, "tolist"):  # numpy's arrays and scalars
        return plain_data(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
