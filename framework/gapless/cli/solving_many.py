"""``gapless solve FILE.jsonl``: solve a stream of problems, of which only those in progress are in memory."""

from __future__ import annotations

import argparse
import contextlib
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from gapless.arrays import serial
from gapless.cli import exit_codes
from gapless.cli.console import STDOUT, Console
from gapless.cli.documents import STDIN, Documents
from gapless.cli.outputs import check_output, check_output_folder, is_record
from gapless.cli.reading import StoredProblem, read_problems
from gapless.cli.running import made_folder
from gapless.errors import InvalidProblem, SolveError, UnknownOption, VerificationFailed
from gapless.limits.limits import Limits, Stop
from gapless.problems.names import one_line
from gapless.problems.problem import Problem
from gapless.results.record import Record
from gapless.results.result import Result, Status
from gapless.runs import Fingerprint, RunFolder
from gapless.streaming import solve_stream

UNFINISHED = ".part"
"""Suffix of a file of records that is being written, or that Ctrl-C left unfinished."""
ANSWERS = "answers.jsonl"
"""Log of records in a run folder."""
_TOLD = 3
"""Limit on the notes printed at the end: those that most answers share."""
LOOKED_AT = 1 << 20
"""Number of bytes at either end of a corpus by which a continued run recognises it."""


@attrs.frozen
class _Records:
    """Store of the finished records; also holds those of an earlier run.

    `write`: stores a record. `finished`: returns the result that an earlier run stored under a name, for the same
    problem.
    """

    write: Callable[[Record], object] = lambda record: None
    finished: Callable[[str, StoredProblem], Result[Any] | None] = lambda name, stored: None


@attrs.define
class _Tally:
    """Tally of the answers so far."""

    statuses: Counter[Status] = attrs.field(factory=Counter)
    proved: int = 0
    uncertified: Counter[str] = attrs.field(factory=Counter)
    notes: Counter[str] = attrs.field(factory=Counter)
    unverified: bool = False
    failures: list[dict[str, str]] = attrs.field(factory=list)
    interrupted: bool = False
    finished_before: int = 0

    def take(self, stored: StoredProblem, outcome: Result[Any] | SolveError) -> None:
        if isinstance(outcome, SolveError):
            self.failures.append({"location": stored.location, "reason": str(outcome)})
            self.unverified |= isinstance(outcome, VerificationFailed)
            return
        self.statuses[outcome.status] += 1
        self.proved += outcome.proved
        if outcome.proved and not outcome.certified:
            self.uncertified[outcome.certificate.missing] += 1
        self.notes.update(outcome.explanation)

    @property
    def solved(self) -> int:
        return self.statuses.total()

    @property
    def exit_code(self) -> int:
        """Exit code as for one problem: the first of these cases that any problem had."""
        if self.interrupted:
            return exit_codes.INTERRUPTED
        if self.unverified:
            return exit_codes.FAILED
        if self.failures:
            return exit_codes.USAGE
        if self.proved < self.solved:
            return exit_codes.STOPPED_EARLY
        return exit_codes.INFEASIBLE if self.statuses[Status.INFEASIBLE] else exit_codes.PROVED


def solve_lines(
    documents: Documents,
    parsed: argparse.Namespace,
    limits: Limits,
    options: Mapping[str, Any],
    console: Console,
) -> int:
    """Solve every problem of a file or of standard input; with ``--out``, write each record when it is finished."""
    began = time.perf_counter()
    tally = _Tally()
    on_their_way: deque[tuple[StoredProblem, str]] = deque()

    def problems(records: _Records, advance: Callable[[int], None]) -> Iterator[Problem[Any]]:
        names: set[str] = set()
        for stored in read_problems(documents):
            # Not a setting: the file may have moved when a run continues.
            place = stored.location.replace(documents.name, Path(documents.name).name, 1)
            name = stored.name if stored.name and stored.name not in names else place
            names.add(name)
            result = records.finished(name, stored)
            if result is None:
                on_their_way.append((stored, name))
                yield stored.problem
            else:
                tally.take(stored, result)
                tally.finished_before += 1
                advance(1)

    jobs = parsed.jobs if parsed.jobs is not None else 1 if parsed.backend is None else -1
    counted = console.draws_progress and not documents.piped
    total = sum(1 for _ in documents) if counted else 0
    try:
        with _records(parsed, console) as records, console.progress("solving", total) as advance:
            outcomes = solve_stream(
                problems(records, advance),
                parsed.method,
                jobs=jobs,
                limits=limits,
                k=parsed.k,
                seed=parsed.seed,
                chunk_size=parsed.chunk_size,
                verify=parsed.verify,
                **options,
            )
            for outcome in outcomes:
                stored, name = on_their_way.popleft()
                result = outcome.result if isinstance(outcome, SolveError) else outcome
                if result is not None:  # before counting: Ctrl-C must not leave a counted answer that is not stored
                    records.write(Record(stored.problem, result, name, stored.words, gold=stored.gold))
                tally.take(stored, outcome)
                _show(stored, outcome, console, briefly=parsed.out is not None)
                advance(1)
    except KeyboardInterrupt:
        tally.interrupted = True
    seconds = time.perf_counter() - began
    failed = f", {len(tally.failures)} failed" if tally.failures else ""
    early = ", stopped by Ctrl-C" if tally.interrupted else ""
    if tally.finished_before:
        console.info(f"{tally.finished_before} of them were finished before")
    shown = "" if not tally.uncertified else f" ({tally.uncertified.total()} without a certificate)"
    console.info(f"{tally.solved} solved, {tally.proved} proved{shown}{failed} in {seconds:.3g} s{early}")
    for why, count in tally.uncertified.most_common(_TOLD):
        console.info(f"no certificate, {count} of {tally.solved}: {why}")
    for note, count in tally.notes.most_common(_TOLD):
        console.info(f"note, {count} of {tally.solved}: {note}")
    console.data(
        {
            "file": parsed.file,
            "solved": tally.solved,
            "proved": tally.proved,
            "uncertified": dict(tally.uncertified),
            "notes": dict(tally.notes.most_common(_TOLD)),
            "statuses": {status.value: count for status, count in tally.statuses.items()},
            "failures": tally.failures,
            "interrupted": tally.interrupted,
            "finished_before": tally.finished_before,
            "seconds": seconds,
            "out": parsed.out,
        }
    )
    return tally.exit_code


def _show(stored: StoredProblem, outcome: Result[Any] | SolveError, console: Console, *, briefly: bool) -> None:
    if isinstance(outcome, SolveError):
        console.error(f"gapless: {stored.location}: {outcome}")
    elif not briefly:
        found, *others = [
            f"value {one.value:.12g}: {one_line(stored.problem.describe(one.structure, stored.words))}"
            for one in outcome.solutions
        ] or ["no solution"]
        sure = "" if outcome.proved else f", gap {outcome.gap:.3g}"
        if outcome.proved and not outcome.certified:
            sure = " (no certificate)"
        console.result(f"{stored.name or stored.location}: {outcome.status.value}{sure}, {found}")
        for number, other in enumerate(others, 2):
            console.result(f"    {number}. {other}")


@contextlib.contextmanager
def _records(parsed: argparse.Namespace, console: Console) -> Iterator[_Records]:
    out: str | None = parsed.out
    if out is None:
        yield _Records()
    elif out == STDOUT:
        yield _Records(lambda record: print(serial.dumps(record), flush=True))
    elif out.endswith(".jsonl"):
        check_output(out, is_record, overwrite=parsed.overwrite, reads=[parsed.file])
        with _records_file(out, console) as records:
            yield records
    else:
        with _run_folder(Path(out), parsed) as records:
            yield records


@contextlib.contextmanager
def _records_file(out: str, console: Console) -> Iterator[_Records]:
    """Write records to a file next to `out`, each at once and completely; replace `out` by it at the end."""
    aside = Path(out + UNFINISHED)
    if aside.exists():
        raise InvalidProblem(
            f"{aside}: holds the records of a run that did not end; move it away, or give --out FOLDER: there a "
            "run goes on"
        )
    with aside.open("w", encoding="utf-8") as file:

        def write(record: Record) -> None:
            file.write(serial.dumps(record) + "\n")
            file.flush()

        try:
            yield _Records(write)
        except BaseException:
            console.error(f"gapless: the records that were finished are in {aside}")
            raise
    aside.replace(out)


@contextlib.contextmanager
def _run_folder(out: Path, parsed: argparse.Namespace) -> Iterator[_Records]:
    """Write records to the log of a folder; do not solve again what it contains of the same run."""
    if parsed.file == STDIN:
        raise UnknownOption(
            f"--out {out}: a folder goes on with a file, not with standard input; give a .jsonl file"
        )
    if out.suffix and not out.is_dir():
        raise UnknownOption(f"--out {out}: records of many problems go to a .jsonl file, or into a folder")
    check_output_folder(out, reads=[parsed.file])
    corpus = _fingerprint(Path(parsed.file))  # first, so that a missing file leaves no folder
    deciding = ("method", "option", "time", "nodes", "gap", "iterations", "target", "seed", "verify", "k")
    settings = {name: getattr(parsed, name) for name in deciding}
    with made_folder(str(out)), RunFolder(out, "solve", settings, overwrite=parsed.overwrite) as folder:
        folder.about("the problems of", corpus)
        log = folder.log(ANSWERS)

        def finished(name: str, stored: StoredProblem) -> Result[Any] | None:
            if name not in log:
                return None
            kept = log[name]
            # The fingerprint reads both ends of the corpus only, so compare the problem itself.
            if not isinstance(kept, Record) or serial.dumps(kept.problem) != serial.dumps(stored.problem):
                raise InvalidProblem(
                    f"{stored.location}: {out} holds an answer for {name!r} to another problem; give another "
                    "folder, or --overwrite to start again"
                )
            return kept.result

        def write(record: Record) -> None:
            if record.result.stop not in (Stop.INTERRUPTED, Stop.ERROR):  # those are tried again
                log.append(record)

        yield _Records(write, finished)


def _fingerprint(file: Path) -> Fingerprint:
    """Fingerprint a corpus by name, after which problems are named, length and both ends: it may be very long."""
    try:
        with file.open("rb") as stream:
            head = stream.read(LOOKED_AT)
            length = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, length - LOOKED_AT))
            return Fingerprint.of(file.name, [file.name, length, head, stream.read()])
    except OSError as error:
        raise InvalidProblem(f"{file}: cannot be read ({error.strerror})") from error
