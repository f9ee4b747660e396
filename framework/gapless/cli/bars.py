"""Progress bars on a terminal; needs rich."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console, RenderableType
from rich.constrain import Constrain
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Column

ECHO = 3
"""Free columns: the ^C that a terminal echoes stays on the row, and disappears with the bar."""
_TITLE = Column(no_wrap=True, overflow="ellipsis", max_width=32)
"""Limit on the letters of a title, which leaves space for the bar and the counts."""


class Bars(Progress):
    """Progress bars below each other, removed at the end.

    `redirect`: whether what is printed to ``sys.stdout`` meanwhile comes to stand above the bars, on `stream`.
    """

    def __init__(self, stream: TextIO, *, redirect: bool) -> None:
        self._terminal = Console(file=stream)  # before the first drawing, which follows at once
        super().__init__(
            TextColumn("{task.description}", markup=False, table_column=_TITLE),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            MofNCompleteColumn(),
            console=self._terminal,
            transient=True,
            redirect_stdout=redirect,
        )

    def get_renderable(self) -> RenderableType:
        """Render the bars within the width of the terminal."""
        return Constrain(super().get_renderable(), max(1, self._terminal.width - ECHO))
