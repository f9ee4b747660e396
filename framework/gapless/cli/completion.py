"""``gapless completion SHELL``: a script that completes commands, tasks and options; nothing runs at completion."""

from __future__ import annotations

import argparse

from gapless.cli import exit_codes
from gapless.cli.console import Console
from gapless.cli.main import build_parser
from gapless.core.errors import MissingDependency
from gapless.plugins.manager import Plugins

SHELLS = ("bash", "zsh", "tcsh")
"""Those that shtab writes for; fish is not among them."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``gapless completion``."""
    parser.add_argument("shell", choices=SHELLS, help="whose script to print")


def run(parsed: argparse.Namespace, console: Console, plugins: Plugins) -> int:
    """``gapless completion SHELL``."""
    try:
        import shtab  # noqa: PLC0415  an extra
    except ImportError as error:
        raise MissingDependency("gapless completion needs shtab: pip install 'gapless[tasks]'") from error
    parser = build_parser(plugins)
    parser.fill_all()
    script = shtab.complete(parser, parsed.shell)
    console.say(script)
    console.data({"shell": parsed.shell, "script": script})
    return exit_codes.PROVED
