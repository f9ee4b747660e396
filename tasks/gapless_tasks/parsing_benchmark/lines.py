"""Numbers beside what they are to be: how both parsing benchmarks print and hand them on."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from typing import Any

import attrs

from gapless.cli import Console
from gapless_tasks.chain_benchmark.stopwatch import Spread
from gapless_tasks.chain_benchmark.targets import Line

Marks = tuple[float, float] | tuple[None, None]
"""What must be reached, and what to aim at."""
UNJUDGED: Marks = (None, None)


def line(what: str, scores: str, value: Spread | None, unit: str, marks: Marks, more: bool) -> Line:
    """Caches make no difference here: a sentence's search does not leave them."""
    return Line(what, scores, "", value, unit, marks[0], marks[1], more)


def one(value: float) -> Spread:
    """A number without a range."""
    return Spread.of([value])


def percent(share: float) -> Spread:
    """A share in [0, 1]."""
    return one(100 * share)


def value_of(judged: Line) -> str:
    """Median and range with the unit."""
    value = judged.value
    if value is None:
        return "not measured"
    numbers = f"{_short(value.median)}"
    if value.least != value.most:
        numbers += f" ({_short(value.least)}-{_short(value.most)})"
    return f"{numbers} {judged.unit}"


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def show_lines(judged: Sequence[Line], console: Console) -> None:
    """The numbers beside what they are to be."""
    console.say("must: the least to be reached; aim: what to strive for; CPU time of one core, median (range)")
    console.table(
        "What is to be reached",
        ("what", "scores", "value", "must", "aim", "reached"),
        [
            (
                one_line.what,
                one_line.scores,
                value_of(one_line),
                *("" if mark is None else f"{mark:g}" for mark in (one_line.must, one_line.aim)),
                one_line.verdict,
            )
            for one_line in judged
        ],
    )
    missed = sum(one_line.verdict == "missed" for one_line in judged)
    console.say(f"{missed} of {sum(bool(one_line.verdict) for one_line in judged)} marks missed")


def document(judged: Sequence[Line], disagreements: Sequence[str]) -> dict[str, Any]:
    """The whole outcome for programs."""
    return {
        "machine": {"processor": platform.processor() or platform.machine(), "cores": os.cpu_count()},
        "lines": [{**attrs.asdict(one_line), "verdict": one_line.verdict} for one_line in judged],
        "disagreements": list(disagreements),
    }
