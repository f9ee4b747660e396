"""``python -m benchmarks ordering``: best paths in drawn graphs and for real titles."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import gapless as gl
from benchmarks.frame.bench import Bench, Found
from benchmarks.ordering.comparisons import (
    colour_lines,
    drawn_lines,
    hard_lines,
    program_lines,
    title_lines,
)
from gapless.cli import Console
from gapless_models.titles.corpus import FOLDER
from gapless_models.titles.preparing import title_problems
from gapless_tasks.run_options import add_data_option, positive, positive_seconds

SEEDS = 100
SECONDS = 10.0


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Measure and report."""
    bench = Bench(console=console, limits=gl.Limits(time=arguments.limit_seconds), seeds=arguments.seeds)
    return bench.report(_all_lines(arguments, bench))


def _all_lines(arguments: argparse.Namespace, bench: Bench) -> Iterator[Found]:
    for measure in (drawn_lines, hard_lines, colour_lines):
        with bench.group(measure.__name__):
            yield from measure(bench)
    with bench.group("titles"):
        titles = title_problems(arguments.data)[: arguments.limit]
        yield from title_lines(bench, titles, judged=arguments.data is not None)
    with bench.group("integer programs"):
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
