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
"""Columns that are left free: the ^C that a terminal echoes stays on the row, and goes away with the bar."""
_TITLE = Column(no_wrap=True, overflow="ellipsis", max_width=32)
"""A longer title would leave no room for the bar and the counts."""


class Bars(Progress):
    """Bars below each other, gone at the end.

    `redirect`: whether what is printed to ``sys.stdout`` meanwhile comes to stand above the bars, on `stream`.
    """

    def __init__(self, stream: TextIO, *, redirect: bool) -> None:
        self._terminal = Console(file=stream)  # before the first drawing, which is asked for at once
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
        """The bars, within the room that there is."""
        return Constrain(super().get_renderable(), max(1, self._terminal.width - ECHO))
