"""One run of a benchmark: groups of measurements, faults, and the report."""

from __future__ import annotations

import os
import platform
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import attrs

import gapless as gl
from benchmarks.frame.marks import ALONE, FROM_ARRAYS, BenchmarkLine
from benchmarks.frame.solving import Anew, AnyProblem, Solved, Way, contradictions, solve_interleaved
from benchmarks.frame.turns import Compared
from gapless.cli import Console, exit_codes
from gapless_kernels import INSTRUCTION_SET

T = TypeVar("T")
Measurement = BenchmarkLine | Compared


@attrs.define(kw_only=True)
class Bench:
    """State of a running benchmark.

    Parameters
    ----------
    limits : Limits
        For each problem and method.
    seeds : int
        Drawn problems of each kind.
    judged : bool
        Whether numbers are compared with their marks.
    wrong : list of str
        Faults: values that cannot be true together, certificates that do not hold, methods that raised.
    remarks : list of str
        Peers that were left out, and other reservations.
    more : dict
        Further parts of the document of ``--json``.
    """

    console: Console
    limits: gl.Limits = attrs.field(factory=gl.Limits)
    seeds: int = 1
    judged: bool = True
    wrong: list[str] = attrs.field(factory=list)
    remarks: list[str] = attrs.field(factory=list)
    more: dict[str, Any] = attrs.field(factory=dict)

    @contextmanager
    def group(self, name: str) -> Iterator[None]:
        """Record an error inside a group of measurements as a fault, so that it ends only this group."""
        try:
            yield
        except Exception as error:
            self.wrong.append(f"{name}: {type(error).__name__}: {error}")
            self.console.error(traceback.format_exc())

    def groups(self, *measures: Callable[[Bench], Iterator[Measurement]]) -> Iterator[Measurement]:
        """Yield the measurements of some functions, each a group of its name."""
        for measure in measures:
            with self.group(measure.__name__):
                yield from measure(self)

    def each(self, title: str, items: Sequence[T]) -> Iterator[T]:
        """Yield items, and show the progress."""
        with self.console.progress(title, len(items)) as advance:
            for item in items:
                yield item
                advance(1)

    def solve_interleaved(
        self,
        scores: str,
        problems: Sequence[AnyProblem],
        ways: Mapping[str, Way],
        small: AnyProblem,
        limits: gl.Limits | None = None,
        anew: Anew = attrs.evolve,
    ) -> dict[str, Solved]:
        """Solve each problem in every way, and record contradictions; see `solving.solve_interleaved`."""
        found = solve_interleaved(ways, problems, self.console, scores, limits or self.limits, small, anew)
        self.wrong.extend(contradictions(scores, found))
        return found

    def report(self, found: Iterable[Measurement]) -> int:
        """Measure, print each number as it comes, then the tables; Ctrl-C keeps the finished numbers.

        Parameters
        ----------
        found : iterable of BenchmarkLine or Compared
            Iterating over it measures.

        Returns
        -------
        int
            The exit code.
        """
        lines: list[BenchmarkLine] = []
        compared: list[Compared] = []
        interrupted = False
        try:
            for measured in found:
                compared += [measured] if isinstance(measured, Compared) else []
                for one in measured.lines() if isinstance(measured, Compared) else (measured,):
                    lines.append(one)
                    self.console.info(f"{one.scores}, {one.what}: {one}")
        except KeyboardInterrupt:
            interrupted = True
            self.console.error("interrupted: the table shows the finished part")
        if self.judged:
            show_lines(lines, self.console)
        show_compared(compared, self.console)
        for sentence in (*self.remarks, *self.wrong):
            self.console.error(sentence)
        processor = platform.processor() or platform.machine()
        self.console.data(
            {
                "machine": {"processor": processor, "cores": os.cpu_count(), "instruction_set": INSTRUCTION_SET},
                **self.more,
                "compared": [_sides(pair) for pair in compared],
                "lines": [{**attrs.asdict(one), "verdict": one.verdict if self.judged else ""} for one in lines],
                "disagreements": self.wrong,
            }
        )
        if interrupted:
            return exit_codes.INTERRUPTED
        return exit_codes.FAILED if self.wrong else exit_codes.PROVED


def show_lines(lines: Sequence[BenchmarkLine], console: Console) -> None:
    """Print the numbers with their marks."""
    console.info("must: the mark to reach; aim: a better one; CPU time of one core, median (range)")
    caches = any(one.caches for one in lines)
    if caches:
        console.info("cold: scores come from memory, as in a long text; warm: from the caches, decoded repeatedly")
    console.table(
        "Targets",
        ("what", "scores", *(["caches"] if caches else []), "value", "must", "aim", "reached"),
        [
            (
                one.what,
                one.scores,
                *([one.caches] if caches else []),
                str(one),
                *("" if mark is None else f"{mark:,.10g}" for mark in (one.must, one.aim)),
                one.verdict,
            )
            for one in lines
        ],
    )
    missed = sum(one.verdict == "missed" for one in lines)
    console.info(f"{missed} of {sum(bool(one.verdict) for one in lines)} marks missed")


def show_compared(compared: Sequence[Compared], console: Console) -> None:
    """Print the times of both sides of each comparison, from arrays and of the search."""
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
                *(pair.ours, pair.peer, pair.what, pair.scores),
                *(str(both.from_arrays.milliseconds) for both in pair.times),
                *(str(both.alone.milliseconds) for both in pair.times),
            )
            for pair in compared
        ],
    )
    console.info("from arrays: both sides build their model; on ours a certificate can be asked for")


def _sides(pair: Compared) -> dict[str, Any]:
    times = {
        f"{side}_{how}_ms": attrs.asdict(timed.milliseconds)
        for side, both in zip(("ours", "peer"), pair.times, strict=True)
        for how, timed in (("from_arrays", both.from_arrays), ("alone", both.alone))
    }
    return {**{name: getattr(pair, name) for name in ("ours", "peer", "what", "scores")}, **times}
