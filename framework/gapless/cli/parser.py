"""Parser of the command line: argparse with hints for misspelt names, and arguments that are added when needed."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection
from typing import Any

from gapless.arrays.spelling_hint import spelling_hint
from gapless.plugins.reference import resolved


class Help(argparse.HelpFormatter):
    """Formatter of help with usage lines within 80 columns: long lists of choices are moved to the option."""

    _longest = 20
    """Limit on the letters of choices in the usage line."""
    _in_usage = False

    def _format_usage(self, *arguments: Any, **options: Any) -> str:
        self._in_usage = True
        try:
            return super()._format_usage(*arguments, **options)
        finally:
            self._in_usage = False

    def _metavar_formatter(self, action: argparse.Action, default_metavar: str) -> Callable[[int], tuple[str, ...]]:
        formatted = super()._metavar_formatter(action, default_metavar)
        named = action.choices is None or action.metavar is not None or not action.option_strings
        long = not named and len(formatted(1)[0]) > self._longest
        return (lambda size: (default_metavar,) * size) if self._in_usage and long else formatted


class Parser(argparse.ArgumentParser):
    """Parser whose message about an unknown command, task or choice names the nearest one.

    Every command takes ``--json`` and ``--quiet``, unless it defines them itself.

    Parameters
    ----------
    fill : callable or str, optional
        ``fill(parser)`` adds the arguments. It is called, and imported if it is a reference, when this parser is
        used: a command line imports the command that it names, and no other.
    """

    def __init__(self, *arguments: Any, fill: Callable[[Any], object] | str | None = None, **options: Any) -> None:
        super().__init__(*arguments, **{"formatter_class": Help, **options})
        self._fill, self._filled = fill, False
        self._apart: tuple[str, Any, Collection[str]] | None = None

    def fill(self) -> None:
        """Add the arguments on the first call."""
        if self._filled:
            return
        self._filled = True
        if self._fill is not None:
            resolved(self._fill)(self)
        if self._subparsers is not None:
            return
        known = self._option_string_actions
        if "--json" not in known:
            self.add_argument("--json", action="store_true", help="print one JSON document instead of text")
        if "--quiet" not in known:
            names = ("-q", "--quiet") if "-q" not in known else ("--quiet",)
            self.add_argument(*names, action="store_true", help="print the result and errors, nothing else")

    def list_apart(self, title: str, commands: Any, names: Collection[str]) -> None:
        """List some of the subcommands in a section of their own in the help.

        Parameters
        ----------
        title : str
        commands : the action that `add_subparsers` returned
        names : collection of str
        """
        self._apart = title, commands, names

    def fill_all(self) -> None:
        """Add the arguments of this parser and of all its subcommands."""
        self.fill()
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                for parser in action.choices.values():
                    if isinstance(parser, Parser):
                        parser.fill_all()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the arguments after the name of the command."""
        if not self._filled:
            self.fill()
            return self.parse_known_args(args, namespace)  # a method that the added arguments may have replaced
        return super().parse_known_args(args, namespace)

    def format_help(self) -> str:
        """Format the help with all arguments."""
        self.fill()
        if self._apart is None:
            return super().format_help()
        title, commands, names = self._apart
        listed = commands._choices_actions
        apart = [action for action in listed if action.dest in names]
        section = argparse._ArgumentGroup(self, title)
        section._group_actions = apart
        place = next(i for i, group in enumerate(self._action_groups) if commands in group._group_actions)
        commands._choices_actions = [action for action in listed if action.dest not in names]
        self._action_groups.insert(place + 1, section)
        try:
            return super().format_help()
        finally:
            commands._choices_actions = listed
            self._action_groups.remove(section)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            hint = spelling_hint(value, map(str, action.choices or ()))
            error.message = error.message.replace(" (choose from", f"{hint} (choose from", 1)
            raise
