"""The parser of the command line: as argparse's, with hints for misspelt names, and arguments added when needed."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from gapless.core.nearest import nearest
from gapless.plugins.reference import resolved


class Parser(argparse.ArgumentParser):
    """Names the nearest command, task or choice in the message about one that does not exist.

    Parameters
    ----------
    fill : callable or str, optional
        ``fill(parser)`` adds the arguments. It is called, and imported if it is a reference, when this parser is
        used: a command line imports the command that it names, and no other.
    """

    def __init__(self, *arguments: Any, fill: Callable[[Any], object] | str | None = None, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._fill = fill

    def fill(self) -> None:
        """Add the arguments, unless that has been done."""
        fill, self._fill = self._fill, None
        if fill is not None:
            resolved(fill)(self)

    def fill_all(self) -> None:
        """Add the arguments of this parser and of all its sub-commands."""
        self.fill()
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                for parser in action.choices.values():
                    if isinstance(parser, Parser):
                        parser.fill_all()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse what follows the name of the command."""
        if self._fill is not None:
            self.fill()
            return self.parse_known_args(args, namespace)  # which the arguments may have replaced
        return super().parse_known_args(args, namespace)

    def format_help(self) -> str:
        """The help with all arguments."""
        self.fill()
        return super().format_help()

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            hint = nearest(value, map(str, action.choices or ()))
            error.message = error.message.replace(" (choose from", f"{hint} (choose from", 1)
            raise
