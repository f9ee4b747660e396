"""Output of commands: tables for people, JSON for programs, progress only on a terminal.

Tables are plain text that fits the terminal, or 80 columns in a pipe (``COLUMNS`` says otherwise). With `rich`
installed (extra ``tasks``) progress is drawn by it. While a bar is drawn, text for the same terminal goes through
the bar's live display, which puts it above the bar.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import math
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TextIO

import attrs

from gapless.cli.text_table import folded, table_lines
from gapless.errors import UnknownOption

STDOUT = "-"
"""File name that denotes standard output."""


def _has_rich() -> bool:
    """Return True if rich, an extra, is installed; it is imported for drawing only."""
    return importlib.util.find_spec("rich") is not None


@attrs.frozen
class Table:
    """Table that was printed.

    `rows`: numbers or text, one for each column.
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
    verbose : bool
        Whether `detail` is printed.
    quiet : bool
        Print results and tables, and errors; no remarks and no progress.

    Attributes
    ----------
    tables : list of Table
        Every table that was shown, with ``--json`` too: reports and the results pages are made of them.
    circumstances : dict
        First entries of every document of `data`, such as the instruction set of a measurement.
    """

    def __init__(
        self,
        *,
        as_json: bool = False,
        out: TextIO | None = None,
        err: TextIO | None = None,
        verbose: bool = False,
        quiet: bool = False,
    ) -> None:
        self.as_json = as_json
        self.verbose = verbose
        self.quiet = quiet
        self.out = out or sys.stdout
        self.err = err or sys.stderr
        self.tables: list[Table] = []
        self._bar: Any = None
        """Live display, or None if none is drawn."""
        self.circumstances: dict[str, Any] = {}

    def info(self, text: str = "") -> None:
        """Print one line for people, unless ``--quiet``: about the work, or next to the result."""
        if not self.quiet:
            self.result(text)

    def result(self, text: str) -> None:
        """Print one line that the user has requested, also with ``--quiet``."""
        if not self.as_json:
            self._write(text, self.out)

    def detail(self, text: str) -> None:
        """Print one line with ``--verbose`` only."""
        if self.verbose:
            self.info(text)

    def error(self, text: str) -> None:
        """Print a warning or an error on standard error, always."""
        self._write(text, self.err)

    def notice(self, text: str) -> None:
        """Print one line about normal operation on standard error, unless ``--quiet``."""
        if not self.quiet:
            self.error(text)

    def draw(self, drawing: Any) -> None:
        """Draw an object of rich, such as coloured text, on a terminal; see `draws`. No line is folded."""
        self._live().print(drawing, soft_wrap=True)

    def clear_stdout(self, option: str) -> None:
        """Reserve standard output for a document; lines for people go to standard error.

        Raises `UnknownOption`: ``--json`` asks for another document there.
        """
        if self.as_json:
            raise UnknownOption(f"{option} and --json both write to standard output: give one of them")
        self.out = self.err

    @property
    def draws(self) -> bool:
        """Whether `draw` may be called: rich is installed, and the output is a terminal."""
        return not self.as_json and not self.quiet and self.out.isatty() and _has_rich()

    def _write(self, text: str, stream: TextIO) -> None:
        if self._bar is not None and stream.isatty():
            import rich.text  # noqa: PLC0415  an extra

            self._bar.console.print(rich.text.Text(text), soft_wrap=True)
        else:
            print(text, file=stream)

    def _live(self) -> Any:
        """Live display of the terminal: that of the progress bar, if there is one."""
        import rich.console  # noqa: PLC0415  an extra

        return rich.console.Console(file=self.out) if self._bar is None else self._bar.console

    def data(self, document: Any) -> None:
        """Print the outcome as JSON, with ``--json`` only; arrays become lists, infinities strings."""
        if self.as_json:
            document = {**self.circumstances, **document} if isinstance(document, dict) else document
            print(json.dumps(plain_data(document), indent=2, allow_nan=False, default=str), file=self.out)

    def table(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Print a table for people, no wider than the terminal; numbers are right-aligned."""
        self.tables.append(Table(title, tuple(columns), tuple(map(tuple, rows))))
        if self.as_json:
            return
        cells = [[cell(value) for value in row] for row in rows]
        numeric = [bool(rows) and all(isinstance(r[c], (int, float)) for r in rows) for c in range(len(columns))]
        width = shutil.get_terminal_size().columns
        for line in (*folded(title, width), *table_lines(columns, cells, numeric, width)):
            self.result(line)

    @property
    def draws_progress(self) -> bool:
        """Whether `progress` is visible; otherwise a caller need not compute the total."""
        if self.as_json or self.quiet or not self.err.isatty() or not _has_rich():
            return False
        import rich.console  # noqa: PLC0415  an extra

        return bool(rich.console.Console(file=self.err).is_interactive)  # a dumb terminal cannot erase a line

    @contextlib.contextmanager
    def progress(self, title: str, total: int | None) -> Iterator[Callable[[int], None]]:
        """Show a progress bar on a terminal, nothing elsewhere; `total` None is unknown. Yield ``advance(steps)``.

        A bar within a bar is drawn below it. What else writes to standard output or standard error of this process
        meanwhile, such as a library, comes to stand above the bars, too.
        """
        if not self.draws_progress:
            yield lambda steps: None
            return
        from gapless.cli.bars import Bars  # noqa: PLC0415  needs rich

        with contextlib.ExitStack() as stack:
            if self._bar is None:
                # Other code may print as well; a pipe must get its lines unchanged.
                self._bar = stack.enter_context(Bars(self.err, redirect=self.out.isatty()))
                stack.callback(setattr, self, "_bar", None)
            bar = self._bar
            task = bar.add_task(title, total=total)
            stack.callback(bar.remove_task, task)
            yield lambda steps: bar.advance(task, steps)


def cell(value: Any) -> str:
    """Format a value of a table for people: four digits, more before the point, and commas between thousands."""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def plain_data(value: Any) -> Any:
    """Convert to JSON data: arrays become lists, infinities strings, structures dictionaries of their fields."""
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
