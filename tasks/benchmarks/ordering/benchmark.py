"""``python -m benchmarks ordering``: best paths in drawn graphs and for real titles."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from benchmarks.frame.bench import Bench, Measurement
from benchmarks.ordering.comparisons import colour_lines, drawn_lines, hard_lines, program_lines, title_lines
from gapless_models.titles.corpus import FOLDER
from gapless_models.titles.graph import title_problems
from gapless_tasks.run_options import add_data_option, add_number, add_time_limit

SEEDS = 100
SECONDS = 10.0


def measure(arguments: argparse.Namespace, bench: Bench) -> Iterator[Measurement]:
    """Measure drawn graphs, titles, and integer programs."""
    yield from bench.groups(drawn_lines, hard_lines, colour_lines)
    with bench.group("titles"):
        titles = title_problems(arguments.data)[: arguments.limit]
        yield from title_lines(bench, titles, judged=arguments.data is not None)
    with bench.group("integer programs"):
        yield from program_lines(bench)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the benchmark."""
    add_data_option(parser, FOLDER, "embedded essays")
    add_number(parser, "--seeds", "drawn instances of each kind", SEEDS)
    add_number(parser, "--limit", "only the first N titles")
    add_time_limit(parser, "for each instance and method", SECONDS)
