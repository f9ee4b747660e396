"""The benchmarks by name.

A module ``benchmarks.NAME.benchmark`` declares one: `add_arguments`, ``measure(arguments, bench)``, which yields
numbers and comparisons, the `PEERS` that may be missing, and `REMARKS`. The frame does the rest.
"""

from __future__ import annotations

import argparse
import importlib
from functools import partial
from typing import Any

import gapless as gl
from benchmarks.frame.bench import Bench
from gapless.cli import Console
from gapless.roles import Task

SUMMARIES = {
    "chains": "Chain decoders beside numba, hmmlearn and the physical floor.",
    "colouring": "Graphs coloured by branch and price, in both trees.",
    "factors": "Factors, limits and observers beside none, and chains with factors beside HiGHS and toulbar2.",
    "labelling": "Resource-constrained shortest paths beside cspy and PathWyse.",
    "linking": "Entity links and graph distances beside toulbar2 and networkit.",
    "ordering": "Best paths beside beams, colour coding and integer programs.",
    "parsing": "Dependency trees beside the paper's variant and ufal.chu-liu-edmonds.",
    "price-and-cut": "Grandparent trees beside HiGHS, AD3 and the paper's variant.",
    "pricing": "Rounds of column generation with smoothing over without, and the cost of a round.",
    "report": "The page about many answers beside reading their file.",
    "scale": "Several workers beside one, and the cost of sharing.",
}


def benchmark(name: str) -> Task:
    """Load a benchmark as a task with its options."""
    module = importlib.import_module(f"benchmarks.{name.replace('-', '_')}.benchmark")
    return Task(name, SUMMARIES[name], module.add_arguments, partial(run, module))


def run(module: Any, arguments: argparse.Namespace, console: Console) -> int:
    """Measure what a module declares, and report."""
    absent = [peer.absent for peer in getattr(module, "PEERS", ()) if not peer.installed]
    limits = gl.Limits(time=getattr(arguments, "limit_seconds", None))
    bench = Bench(
        console=console,
        limits=limits,
        seeds=getattr(arguments, "seeds", 1),
        remarks=[*absent, *getattr(module, "REMARKS", ())],
    )
    return bench.report(module.measure(arguments, bench))
