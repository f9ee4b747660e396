"""``python -m benchmarks factors``: the price of factors, limits and observers, and chains with factors."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from benchmarks.factors.comparisons import skip_lines, spots_lines
from benchmarks.factors.overheads import overhead_lines
from benchmarks.frame.bench import Bench, Measurement
from benchmarks.frame.peers import HIGHS, TOULBAR2
from gapless_tasks.run_options import add_number

SEEDS = 5
PEERS = (HIGHS, TOULBAR2)


def measure(_: argparse.Namespace, bench: Bench) -> Iterator[Measurement]:
    """Measure the overheads, and both kinds of chains beside general solvers."""
    return bench.groups(overhead_lines, skip_lines, spots_lines)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the benchmark."""
    add_number(parser, "--seeds", "drawn instances of each kind", SEEDS)
