"""``gapless solve FILE.jsonl``: one problem after another, as they come; nothing is held but what is on its way."""

from __future__ import annotations

import argparse
import contextlib
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from gapless.cli import exit_codes
from gapless.cli.console import Console, in_one_line
from gapless.cli.reading import Stored, read_problems
from gapless.core import serial
from gapless.core.errors import SolveError, UnknownOption
from gapless.core.limits import Limits
from gapless.core.problem import Problem
from gapless.core.record import Record, read_documents
from gapless.core.result import Result, Status
from gapless.streaming import solve_stream

UNFINISHED = ".part"
"""Ends the name of a file of records that is still being written, or that Ctrl-C left behind."""


@attrs.define
class _Tally:
    """What came of the problems so far."""

    statuses: Counter[Status] = attrs.field(factory=Counter)
    proved: int = 0
    failures: list[dict[str, str]] = attrs.field(factory=list)
    interrupted: bool = False

    def take(self, stored: Stored, outcome: Result[Any] | SolveError) -> None:
        if isinstance(outcome, SolveError):
            self.failures.append({"place": stored.place, "reason": str(outcome)})
            return
        self.statuses[outcome.status] += 1
        self.proved += outcome.proved

    @property
    def solved(self) -> int:
        return self.statuses.total()

    @property
    def exit_code(self) -> int:
        """As for one problem; the first of these that befell any of them."""
        if self.interrupted:
            return exit_codes.INTERRUPTED
        if self.failures:
            return exit_codes.USAGE
        if self.proved < self.solved:
            return exit_codes.STOPPED_EARLY
        return exit_codes.INFEASIBLE if self.statuses[Status.INFEASIBLE] else exit_codes.PROVED


def solve_lines(parsed: argparse.Namespace, limits: Limits, options: Mapping[str, Any], console: Console) -> int:
    """Solve every problem of ``parsed.file``; with ``--out``, write each record when it is finished."""
    began = time.perf_counter()
    tally = _Tally()
    on_their_way: deque[Stored] = deque()

    def problems() -> Iterator[Problem[Any]]:
        for stored in read_problems(parsed.file):
            on_their_way.append(stored)
            yield stored.problem

    jobs = parsed.jobs if parsed.jobs is not None else 1 if parsed.backend is None else -1
    outcomes = solve_stream(
        problems(), parsed.method, jobs=jobs, limits=limits, seed=parsed.seed, at_once=parsed.at_once, **options
    )
    total = sum(1 for _ in read_documents(parsed.file)) if console.draws_progress else 0
    try:
        with _records_file(parsed.out, console) as write, console.progress("solving", total) as advance:
            for outcome in outcomes:
                stored = on_their_way.popleft()
                tally.take(stored, outcome)
                _show(stored, outcome, console, briefly=parsed.out is not None)
                result = outcome.result if isinstance(outcome, SolveError) else outcome
                if result is not None:
                    write(Record(stored.problem, result, stored.name or stored.place, stored.words))
                advance(1)
    except KeyboardInterrupt:
        tally.interrupted = True
    seconds = time.perf_counter() - began
    failed = f", {len(tally.failures)} failed" if tally.failures else ""
    early = ", stopped by Ctrl-C" if tally.interrupted else ""
    console.say(f"{tally.solved} solved, {tally.proved} proved{failed} in {seconds:.3g} s{early}")
    console.data(
        {
            "file": parsed.file,
            "solved": tally.solved,
            "proved": tally.proved,
            "statuses": {status.value: count for status, count in tally.statuses.items()},
            "failures": tally.failures,
            "interrupted": tally.interrupted,
            "seconds": seconds,
            "out": parsed.out,
        }
    )
    return tally.exit_code


def _show(stored: Stored, outcome: Result[Any] | SolveError, console: Console, *, briefly: bool) -> None:
    if isinstance(outcome, SolveError):
        console.complain(f"gapless: {stored.place}: {outcome}")
    elif not briefly:
        found = f"value {outcome.value:.12g}: {in_one_line(outcome.best)}" if outcome.solutions else "no solution"
        gap = "" if outcome.proved else f", gap {outcome.gap:.3g}"
        console.say(f"{stored.name or stored.place}: {outcome.status.value}{gap}, {found}")


@contextlib.contextmanager
def _records_file(out: str | None, console: Console) -> Iterator[Callable[[Record], None]]:
    """Yield what writes a record, whole and at once, to a file beside `out`, which takes its place in the end."""
    if out is None:
        yield lambda record: None
        return
    if not out.endswith(".jsonl"):
        raise UnknownOption(f"--out {out}: records of many problems are stored in a .jsonl file")
    serial.require_folder(out)
    aside = Path(out + UNFINISHED)
    with aside.open("w", encoding="utf-8") as file:

        def write(record: Record) -> None:
            file.write(serial.dumps(record) + "\n")
            file.flush()

        try:
            yield write
        except BaseException:
            console.complain(f"gapless: the records that were finished are in {aside}")
            raise
    aside.replace(out)
