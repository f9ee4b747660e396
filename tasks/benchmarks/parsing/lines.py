"""Numbers beside what they are to be: how benchmarks of single instances print and hand them on."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import attrs

from benchmarks.chains.stopwatch import Spread
from benchmarks.chains.targets import Line
from benchmarks.machine import machine
from benchmarks.sides import ALONE, FROM_ARRAYS, UNJUDGED, Compared, Marks
from gapless.cli import Console, exit_codes

__all__ = ["UNJUDGED", "Marks", "failures", "line", "one", "percent", "report", "show_lines", "value_of"]


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
    return "not measured" if judged.value is None else f"{_spread(judged.value)} {judged.unit}".rstrip()


def _spread(value: Spread) -> str:
    numbers = f"{_short(value.median)}"
    return numbers if value.least == value.most else f"{numbers} ({_short(value.least)}-{_short(value.most)})"


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


def show_compared(compared: Sequence[Compared], console: Console) -> None:
    """Both sides of each comparison, from arrays to the certified answer and the search alone."""
    if not compared:
        return
    console.table(
        "Both sides, milliseconds: from arrays to the answer, and the search alone",
        (
            "ours",
            "peer",
            "what",
            "scores",
            *(f"{side}, {how}" for how in (FROM_ARRAYS, ALONE) for side in ("ours", "peer")),
        ),
        [
            (
                one_pair.ours,
                one_pair.peer,
                one_pair.what,
                one_pair.scores,
                *(_spread(both.from_arrays.milliseconds) for both in one_pair.times),
                *(_spread(both.alone.milliseconds) for both in one_pair.times),
            )
            for one_pair in compared
        ],
    )
    console.say(
        "from arrays: building the model is timed on both sides, and on ours a certificate can be asked for"
    )


def document(
    judged: Sequence[Line], disagreements: Sequence[str], compared: Sequence[Compared] = ()
) -> dict[str, Any]:
    """The whole outcome for programs."""
    return {
        "machine": machine(),
        "compared": [
            {
                **{name: getattr(pair, name) for name in ("ours", "peer", "what", "scores")},
                **{
                    f"{side}_{how}_ms": attrs.asdict(times.milliseconds)
                    for side, both in zip(("ours", "peer"), pair.times, strict=True)
                    for how, times in (("from_arrays", both.from_arrays), ("alone", both.alone))
                },
            }
            for pair in compared
        ],
        "lines": [{**attrs.asdict(one_line), "verdict": one_line.verdict} for one_line in judged],
        "disagreements": list(disagreements),
    }


def report(found: Iterable[Line | Compared], wrong: Sequence[str], remarks: Sequence[str], console: Console) -> int:
    """Measure, saying each number as it comes; Ctrl-C leaves those that there are.

    Parameters
    ----------
    found : iterable of Line or Compared
        Measures while it is walked through.
    wrong : sequence of str
        What may not be, as long as it is by then.
    remarks : sequence of str
        What was left out, and why.
    console : Console

    Returns
    -------
    int
        The exit code.
    """
    judged: list[Line] = []
    compared: list[Compared] = []
    interrupted = False
    try:
        for measured in found:
            compared += [measured] if isinstance(measured, Compared) else []
            for one_line in measured.lines() if isinstance(measured, Compared) else (measured,):
                judged.append(one_line)
                console.say(f"{one_line.scores}, {one_line.what}: {value_of(one_line)}")
    except KeyboardInterrupt:
        interrupted = True
        console.complain("interrupted: the table shows what was measured")
    show_lines(judged, console)
    show_compared(compared, console)
    for what in (*remarks, *wrong):
        console.complain(what)
    console.data(document(judged, wrong, compared))
    if interrupted:
        return exit_codes.INTERRUPTED
    return exit_codes.FAILED if wrong else exit_codes.PROVED


@contextmanager
def failures(name: str, console: Console, wrong: list[str]) -> Iterator[None]:
    """Whatever a method raises ends one group of lines: the others were waited for, and are shown."""
    try:
        yield
    except Exception as error:
        wrong.append(f"{name}: {type(error).__name__}: {error}")
        console.complain(traceback.format_exc())
