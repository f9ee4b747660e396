"""Parse the command line, run one command, turn errors into messages and exit codes."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Sequence

from gapless import __version__
from gapless.cli import commands, exit_codes
from gapless.cli.console import Console
from gapless.cli.parser import Parser
from gapless.errors import GaplessError
from gapless.plugins.manager import Plugins, PluginWarning, load_plugins


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``gapless ARGUMENTS`` and return the exit code."""
    console = Console()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # As on standard error: a character that the terminal cannot show must not end the command.
        sys.stdout.reconfigure(errors="backslashreplace")
    if "GAPLESS_SIMD" in os.environ:
        try:
            import gapless_kernels  # noqa: F401, PLC0415  looks at the variable
        except ValueError as error:
            console.error(f"gapless: {error}")
            return exit_codes.USAGE
    with warnings.catch_warnings():
        warnings.simplefilter("always", PluginWarning)
        warnings.showwarning = lambda message, *_, **__: console.error(f"gapless: {message}")
        try:
            plugins = load_plugins()
            parser = build_parser(plugins)
            parsed = parser.parse_args(arguments)
            console.as_json, console.quiet = parsed.json, parsed.quiet
            if parsed.run is None:
                parser.print_help()
                return exit_codes.PROVED
            code: int = parsed.run(parsed, console)
            sys.stdout.flush()
        except KeyboardInterrupt:
            console.error("gapless: interrupted")
            return exit_codes.INTERRUPTED
        except BrokenPipeError:
            # The reader (head, less) has ended. Redirect stdout, because the interpreter flushes it at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return exit_codes.PROVED
        except (GaplessError, OSError) as error:
            console.error(f"gapless: {error}")
            return exit_codes.USAGE
    return code


def build_parser(plugins: Plugins) -> Parser:
    """Make the parser of the command line, with the subcommands of plug-ins."""
    parser = Parser(prog="gapless", description="Exact structured prediction: the best structure, and the proof.")
    parser.add_argument("--version", action="version", version=f"gapless {__version__}")
    subparsers = parser.add_subparsers(metavar="COMMAND")
    commands.add_commands(subparsers, plugins)
    plugins.hook.gapless_cli(subparsers=subparsers)
    parser.set_defaults(json=False, quiet=False, run=None)
    return parser
