"""``gapless completion SHELL``: a script that completes commands, tasks and options without running gapless."""

from __future__ import annotations

import argparse
from typing import Any

from gapless.cli import exit_codes
from gapless.cli.console import Console
from gapless.cli.main import build_parser
from gapless.errors import MissingDependency
from gapless.plugins.manager import Plugins

SHELLS = ("bash", "zsh", "fish", "tcsh")
"""Tested shells; shtab supports fish since version 1.9."""
_FILES = {"FILE", "MODEL", "RECORD", "RESULT|RECORD|RUN_DIR", "file", "files", "out", "problem"}
_FOLDERS = {"DIR", "FOLDER"}
"""Names of values that a shell completes by paths."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``gapless completion``."""
    parser.add_argument("shell", choices=SHELLS, help="whose script to print")


def run(parsed: argparse.Namespace, console: Console, plugins: Plugins) -> int:
    """Run ``gapless completion SHELL``."""
    try:
        import shtab  # noqa: PLC0415  an extra
    except ImportError as error:
        raise MissingDependency("gapless completion needs shtab: pip install 'gapless[tasks]'") from error
    parser = build_parser(plugins)
    parser.fill_all()
    _offer_paths(parser, {"FILE": shtab.FILE, "FOLDER": shtab.DIRECTORY})
    script = shtab.complete(parser, parsed.shell)
    console.result(script)
    console.data({"shell": parsed.shell, "script": script})
    return exit_codes.PROVED


def _offer_paths(parser: argparse.ArgumentParser, ways: dict[str, Any]) -> None:
    """Mark the arguments that are paths, of a parser and its subcommands."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                _offer_paths(command, ways)
        elif action.nargs != 0 and action.choices is None:
            called = {str(action.metavar), action.dest}
            way = "FILE" if called & _FILES and "DIR" not in called else "FOLDER" if called & _FOLDERS else None
            if way is not None:
                action.complete = ways[way]  # type: ignore[attr-defined]  # where shtab looks
