"""``python -m benchmarks scale``: the speed-up by several workers, and the cost of sharing."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import gapless as gl
from benchmarks.frame.bench import Bench
from benchmarks.frame.marks import ALONE, FROM_ARRAYS, UNJUDGED, BenchmarkLine, line
from benchmarks.scale.kinds import KINDS
from benchmarks.scale.measurement import Shared, measure_sharing
from gapless_tasks.run_options import add_number

WORTH_SHARING = 1.0
"""Milliseconds that a problem must take for the marks to hold: sending it costs some 0.05."""
TWICE = (1.8, 1.95)
"""Must and aim for two workers; for more, the same share of what is possible."""
REMARKS = ("clock ratios hold on a machine with nothing else to do",)


def measure(arguments: argparse.Namespace, bench: Bench) -> Iterator[BenchmarkLine]:
    """Measure every chosen kind by one worker and by several."""
    kinds = [kind for kind in KINDS if all(word in kind.name for word in arguments.only)]
    if not kinds:
        raise gl.UnknownName(
            f"--only {' '.join(arguments.only)}: there is {', '.join(kind.name for kind in KINDS)}"
        )
    for kind in kinds:
        with bench.group(kind.name):
            shared = measure_sharing(kind, arguments.jobs, arguments.seconds, arguments.rounds)
            if not shared.agree:
                bench.wrong.append(f"{kind.name}: {shared.jobs} workers give other values than one")
            yield from _judged(shared)


def _judged(shared: Shared) -> Iterator[BenchmarkLine]:
    marks = UNJUDGED
    if shared.milliseconds(FROM_ARRAYS) >= WORTH_SHARING:
        marks = (TWICE[0] * shared.jobs / 2, TWICE[1] * shared.jobs / 2)
    for how in (FROM_ARRAYS, ALONE):
        yield line(f"each problem, one worker, {how}", shared.name, shared.milliseconds(how), "ms")
        for what, several in (("one worker", False), (f"{shared.jobs} workers", True)):
            clock = [cost.clock for cost in shared.rounds[how, several]]
            yield line(f"{shared.count:,} problems, {what}, {how}", shared.name, clock, "s by the clock")
        sooner, more = zip(*shared.ratios(how), strict=True)
        yield line(f"times sooner by the clock, {how}", shared.name, sooner, "x", marks, more=True)
        yield line(f"times the CPU time, {how}", shared.name, more, "x")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the benchmark."""
    add_number(parser, "--jobs", "workers", 2, metavar=None)
    parser.add_argument(
        "--seconds", type=float, default=10.0, help="approximate seconds for one worker and kind (default 10)"
    )
    add_number(parser, "--rounds", "turns of each measurement", 3, metavar=None)
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD", help="kinds whose names hold these words")
