"""``gapless export``: a problem as a model of SCIP's formats."""

from __future__ import annotations

import argparse

from gapless.cli import exit_codes
from gapless.cli.console import Console
from gapless.cli.reading import read_problem
from gapless.plugins.manager import Plugins
from gapless.scip.export import write_model


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``gapless export``."""
    parser.add_argument("file", help="problem as JSON, or a record")
    parser.add_argument("--out", required=True, help="where to; the suffix (.cip .lp .mps) says the format")


def run(parsed: argparse.Namespace, console: Console, _: Plugins) -> int:
    """``gapless export FILE --out MODEL``."""
    write_model(read_problem(parsed.file), parsed.out)
    console.say(f"wrote {parsed.out}")
    console.data({"written": parsed.out})
    return exit_codes.PROVED
