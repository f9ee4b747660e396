"""``python -m benchmarks factors``: the price of factors, limits and observers, and chains with factors."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from benchmarks.factors.comparisons import skip_lines, spots_lines
from benchmarks.factors.overheads import overhead_lines
from benchmarks.frame.bench import Bench, Measurement
from benchmarks.frame.peers import HIGHS, TOULBAR2
from gapless.cli import Console
from gapless_tasks.run_options import add_number

SEEDS = 5


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Measure and report."""
    absent = [peer.absent for peer in (HIGHS, TOULBAR2) if not peer.installed]
    bench = Bench(console=console, seeds=arguments.seeds, remarks=absent)
    return bench.report(_measured(bench))


def _measured(bench: Bench) -> Iterator[Measurement]:
    for measure in (overhead_lines, skip_lines, spots_lines):
        with bench.group(measure.__name__):
            yield from measure(bench)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the benchmark."""
    add_number(parser, "--seeds", "drawn instances of each kind", SEEDS)
