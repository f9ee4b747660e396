"""``gapless run scale-benchmark``: how much sooner several workers are done, and what sharing costs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import gapless as gl
from gapless.cli import Console
from gapless_tasks.asked import positive
from gapless_tasks.chain_benchmark.stopwatch import Spread
from gapless_tasks.chain_benchmark.targets import Line
from gapless_tasks.parsing_benchmark.lines import UNJUDGED, failures, line, one, report
from gapless_tasks.scale_benchmark.kinds import KINDS, Kind
from gapless_tasks.scale_benchmark.measurement import Shared, measure, overhead, ratios
from gapless_tasks.sides import ALONE, FROM_ARRAYS

WORTH_SHARING = 1.0
"""Milliseconds that a problem must take for the marks to hold: sending it costs some 0.05."""
TWICE = (1.8, 1.95)
"""Must and aim for two workers; for more, the same share of what is possible."""


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Do the job."""
    wrong: list[str] = []
    kinds = [kind for kind in KINDS if all(word in kind.name for word in arguments.only)]
    if not kinds:
        raise gl.UnknownName(
            f"--only {' '.join(arguments.only)}: there is {', '.join(kind.name for kind in KINDS)}"
        )
    remarks = ["clock ratios hold on a machine with nothing else to do"]
    return report(_lines(kinds, arguments, console, wrong), wrong, remarks, console)


def _lines(kinds: list[Kind], arguments: argparse.Namespace, console: Console, wrong: list[str]) -> Iterator[Line]:
    for kind in kinds:
        with failures(kind.name, console, wrong):
            shared = measure(kind, arguments.jobs, arguments.seconds, arguments.rounds)
            if not shared.agree:
                wrong.append(f"{kind.name}: {shared.jobs} workers give other values than one")
            yield from _judged(shared)


def _judged(shared: Shared) -> Iterator[Line]:
    marks = UNJUDGED
    if shared.milliseconds(shared.alone) >= WORTH_SHARING:
        marks = (TWICE[0] * shared.jobs / 2, TWICE[1] * shared.jobs / 2)
    for how, alone, together in (
        (FROM_ARRAYS, shared.alone, shared.together),
        (ALONE, shared.alone_searching, shared.together_searching),
    ):
        each = one(shared.milliseconds(alone))
        yield line(f"each problem, one worker, {how}", shared.name, each, "ms", UNJUDGED, False)
        for what, numbers in (("one worker", alone), (f"{shared.jobs} workers", together)):
            clock = Spread.of([spent.clock for spent in numbers])
            named = f"{shared.count:,} problems, {what}, {how}"
            yield line(named, shared.name, clock, "s by the clock", UNJUDGED, False)
        sooner, more = Spread.of(ratios(alone, together)), Spread.of(overhead(alone, together))
        yield line(f"times sooner by the clock, {how}", shared.name, sooner, "x", marks, True)
        yield line(f"times the CPU time, {how}", shared.name, more, "x", UNJUDGED, False)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the task."""
    parser.add_argument("--jobs", type=positive, default=2, help="workers (default 2)")
    parser.add_argument(
        "--seconds", type=float, default=10.0, help="about so long for one worker and kind (default 10)"
    )
    parser.add_argument("--rounds", type=positive, default=3, help="how often each is measured (default 3)")
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD", help="kinds whose names hold these words")


TASK = gl.Task(
    "scale-benchmark",
    "How much sooner several workers solve many problems than one, and what sharing costs.",
    add_arguments,
    run,
)
