"""``gapless report``: one page about an answer or a run."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from gapless.cli import exit_codes
from gapless.cli.console import STDOUT, Console
from gapless.cli.documents import as_file, once
from gapless.cli.outputs import add_overwrite_option, check_output, is_page
from gapless.cli.reading import read_problem
from gapless.cli.solving import read_option
from gapless.errors import UnknownOption
from gapless.plugins.manager import Plugins
from gapless.report import CHECKED, write_report


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``gapless report``."""
    parser.add_argument(
        "source",
        metavar="RESULT|RECORD|RUN_DIR",
        help="a record (.json), records (.jsonl), also .gz; a folder of `gapless run`; or a result with "
        "--problem; - for standard input",
    )
    parser.add_argument(
        "-o", "--out", required=True, metavar="FILE", help="where the HTML page goes; - for standard output"
    )
    parser.add_argument("--problem", help="the problem, when the source holds a bare result")
    parser.add_argument(
        "--solve-again", action="store_true", help="solve again, for the events that a record without a trace lacks"
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="option of the method, for --solve-again",
    )
    parser.add_argument("--no-verify", action="store_true", help="do not check the certificates")
    parser.add_argument(
        "--check",
        type=_checks,
        default=CHECKED,
        metavar="N",
        help=f"of a run, check N certificates, spread evenly, and those of the answers shown whole; or: all "
        f"(default {CHECKED})",
    )
    parser.add_argument(
        "--compare-with", metavar="RUN", help="another run: show where its answers differ from those of the first"
    )
    parser.add_argument(
        "--details",
        type=int,
        default=5,
        metavar="N",
        help="of a run, show the N most laborious and the N least sure answers whole",
    )
    add_overwrite_option(parser)


def _checks(text: str) -> int | None:
    """Parse a number of certificates; None for all."""
    if text == "all":
        return None
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number >= 0 nor 'all'")
    return int(text)


def run(parsed: argparse.Namespace, console: Console, _: Plugins) -> int:
    """Run ``gapless report SOURCE -o FILE``."""
    if parsed.details < 0:
        raise UnknownOption(f"--details is {parsed.details}, it must be a number >= 0")
    if parsed.option and not parsed.solve_again:
        raise UnknownOption("--option is for the second solve of --solve-again: give both")
    if parsed.compare_with and (parsed.solve_again or parsed.problem):
        raise UnknownOption("--compare-with compares two runs: leave out --solve-again and --problem")
    once(parsed.source, parsed.problem)
    if parsed.out == STDOUT:
        console.clear_stdout("--out -")
    else:
        reads = [parsed.source, parsed.problem, parsed.compare_with]
        check_output(parsed.out, is_page, overwrite=parsed.overwrite, reads=reads)
    problem = read_problem(parsed.problem) if parsed.problem else None
    with as_file(parsed.source) as source, tempfile.TemporaryDirectory(prefix="gapless-") as folder:
        page = Path(folder) / "report.html" if parsed.out == STDOUT else Path(parsed.out)
        write_report(
            source,
            page,
            problem=problem,
            again=dict(map(read_option, parsed.option)) if parsed.solve_again else None,
            verify=not parsed.no_verify,
            details=parsed.details,
            progress=console.progress,
            checks=parsed.check,
            against=parsed.compare_with,
        )
        if parsed.out == STDOUT:
            sys.stdout.write(page.read_text("utf-8"))
            return exit_codes.PROVED
    console.info(f"wrote {parsed.out}")
    console.data({"written": parsed.out})
    return exit_codes.PROVED
