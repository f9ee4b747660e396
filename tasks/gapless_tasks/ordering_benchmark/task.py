"""``gapless run ordering-benchmark``: drawn instances and real titles, measurements, what is to be reached."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import gapless as gl
from gapless.cli import Console
from gapless_tasks.asked import positive, positive_seconds
from gapless_tasks.chain_benchmark.targets import Line
from gapless_tasks.data_folder import add_data_option
from gapless_tasks.ordering_benchmark.comparisons import (
    Bench,
    colour_lines,
    drawn_lines,
    hard_lines,
    program_lines,
    title_lines,
)
from gapless_tasks.parsing_benchmark.lines import failures, report
from gapless_tasks.sides import Compared
from gapless_tasks.title_generation.corpus import FOLDER
from gapless_tasks.title_generation.preparing import title_problems

SEEDS = 100
SECONDS = 10.0


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Do the job."""
    bench = Bench(arguments.seeds, gl.Limits(time=arguments.limit_seconds), console, [])
    return report(_all_lines(arguments, bench), bench.wrong, [], console)


def _all_lines(arguments: argparse.Namespace, bench: Bench) -> Iterator[Line | Compared]:
    for measure in (drawn_lines, hard_lines, colour_lines):
        with failures(measure.__name__, bench.console, bench.wrong):
            yield from measure(bench)
    with failures("titles", bench.console, bench.wrong):
        titles = title_problems(arguments.data)[: arguments.limit]
        yield from title_lines(bench, titles, judged=arguments.data is not None)
    with failures("integer programs", bench.console, bench.wrong):
        yield from program_lines(bench)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the task."""
    add_data_option(parser, FOLDER, "embedded essays")
    parser.add_argument(
        "--seeds", type=positive, metavar="N", default=SEEDS, help=f"drawn instances of each kind (default {SEEDS})"
    )
    parser.add_argument("--limit", type=positive, metavar="N", help="only the first N titles")
    parser.add_argument(
        "--limit-seconds",
        type=positive_seconds,
        metavar="S",
        default=SECONDS,
        help=f"for each instance and method (default {SECONDS:g})",
    )


TASK = gl.Task(
    "ordering-benchmark",
    "How fast the best paths are found and proved, next to beams, colour coding and programs, and what is to be "
    "reached.",
    add_arguments,
    run,
)
