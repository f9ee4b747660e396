"""``gapless export``: a problem as a model in a format of SCIP."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from gapless.cli import exit_codes
from gapless.cli.console import STDOUT, Console
from gapless.cli.outputs import add_overwrite_option, check_output, is_model
from gapless.cli.reading import read_problem
from gapless.errors import UnknownOption
from gapless.plugins.manager import Plugins
from gapless.scip.export import SUFFIXES, write_model

FORMATS = tuple(suffix.removeprefix(".") for suffix in SUFFIXES)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``gapless export``."""
    parser.add_argument("file", help="problem as JSON, or a record; - for standard input")
    parser.add_argument(
        "-o",
        "--out",
        required=True,
        help="where to; the suffix (.cip .lp .mps) says the format; - for standard output, with --format",
    )
    parser.add_argument("--format", choices=FORMATS, help="of standard output")
    add_overwrite_option(parser)


def run(parsed: argparse.Namespace, console: Console, _: Plugins) -> int:
    """Run ``gapless export FILE --out MODEL``."""
    if (parsed.out == STDOUT) != (parsed.format is not None):
        raise UnknownOption(
            "--format is for --out - (standard output), which needs it; a file says it by its suffix"
        )
    if parsed.out == STDOUT:
        console.clear_stdout("--out -")
        with tempfile.TemporaryDirectory(prefix="gapless-") as folder:
            model = Path(folder) / f"model.{parsed.format}"
            write_model(read_problem(parsed.file), model)
            sys.stdout.write(model.read_text("utf-8"))
        return exit_codes.PROVED
    check_output(parsed.out, is_model, overwrite=parsed.overwrite, reads=[parsed.file])
    write_model(read_problem(parsed.file), parsed.out)
    console.info(f"wrote {parsed.out}")
    console.data({"written": parsed.out})
    return exit_codes.PROVED
