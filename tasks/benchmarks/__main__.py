"""``python -m benchmarks NAME``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial

import gapless as gl
from benchmarks.table import SUMMARIES, benchmark
from gapless.cli import Console, exit_codes
from gapless.cli.parser import Parser
from gapless.cli.running import add_shared_options, run_task


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one benchmark, or list them; return the exit code."""
    console = Console()
    parsed = build_parser().parse_args(arguments)
    console.as_json = parsed.json
    if parsed.benchmark is None:
        console.data({"benchmarks": SUMMARIES})
        console.table("Benchmarks: python -m benchmarks NAME", ("name", "summary"), [*SUMMARIES.items()])
        return exit_codes.PROVED
    try:
        code: int = parsed.run(parsed, console)
    except KeyboardInterrupt:
        console.error("interrupted")
        return exit_codes.INTERRUPTED
    except (gl.GaplessError, OSError) as error:
        console.error(str(error))
        return exit_codes.USAGE
    return code


def build_parser() -> argparse.ArgumentParser:
    """Make the parser of the options of all benchmarks."""
    parser = Parser(prog="python -m benchmarks", description="Speeds beside peers and targets.")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of text")
    names = parser.add_subparsers(metavar="NAME", dest="benchmark")
    for name, summary in SUMMARIES.items():
        one = names.add_parser(name, help=summary, description=summary)
        one.add_argument("--json", action="store_true", help="print one JSON document instead of text")
        task = benchmark(name)
        task.add_arguments(one)
        add_shared_options(one)
        one.set_defaults(run=partial(run_task, task))
    return parser


if __name__ == "__main__":
    sys.exit(main())
