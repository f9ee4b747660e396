"""``gapless solve FILE.jsonl``: one problem after another, as they come; nothing is held but what is on its way."""

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

from gapless.cli import exit_codes
from gapless.cli.console import STDOUT, Console
from gapless.cli.documents import STDIN, Documents
from gapless.cli.outputs import check_output, check_output_folder, is_record
from gapless.cli.reading import Stored, read_problems
from gapless.cli.running import made_folder
from gapless.core import serial
from gapless.core.errors import InvalidProblem, SolveError, UnknownOption, VerificationFailed
from gapless.core.limits import Limits, Stop
from gapless.core.problem import Problem
from gapless.core.record import Record
from gapless.core.result import Result, Status
from gapless.core.results.names import one_line
from gapless.runs import Fingerprint, RunFolder
from gapless.streaming import solve_stream

UNFINISHED = ".part"
"""Ends the name of a file of records that is still being written, or that Ctrl-C left behind."""
ANSWERS = "answers.jsonl"
"""The log of records in a run folder."""
_TOLD = 3
"""The notes that most answers share, told at the end."""
LOOKED_AT = 1 << 20
"""Bytes at either end of a corpus by which a run that goes on knows it again."""


class _Records:
    """Store of the finished records; also holds those of an earlier run."""

    def finished(self, name: str, stored: Stored) -> Result[Any] | None:
        """The result that an earlier run has kept under a name, for the same problem."""
        return None

    def write(self, record: Record) -> None:
        """Keep a record."""


class _Printed(_Records):
    """Standard output, a record on each line."""

    def write(self, record: Record) -> None:
        print(serial.dumps(record), flush=True)


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

    def take(self, stored: Stored, outcome: Result[Any] | SolveError) -> None:
        if isinstance(outcome, SolveError):
            self.failures.append({"place": stored.place, "reason": str(outcome)})
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
        """As for one problem; the first of these that befell any of them."""
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
    on_their_way: deque[tuple[Stored, str]] = deque()

    def problems(records: _Records, advance: Callable[[int], None]) -> Iterator[Problem[Any]]:
        names: set[str] = set()
        for stored in read_problems(documents):
            # The file may lie elsewhere when a run goes on.
            place = stored.place.replace(documents.name, Path(documents.name).name, 1)
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
                at_once=parsed.at_once,
                verify=parsed.verify,
                **options,
            )
            for outcome in outcomes:
                stored, name = on_their_way.popleft()
                result = outcome.result if isinstance(outcome, SolveError) else outcome
                if result is not None:  # written first: Ctrl-C must not leave one counted that is not kept
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
        console.say(f"{tally.finished_before} of them were finished before")
    shown = "" if not tally.uncertified else f" ({tally.uncertified.total()} without a certificate)"
    console.say(f"{tally.solved} solved, {tally.proved} proved{shown}{failed} in {seconds:.3g} s{early}")
    for why, count in tally.uncertified.most_common(_TOLD):
        console.say(f"no certificate, {count} of {tally.solved}: {why}")
    for note, count in tally.notes.most_common(_TOLD):
        console.say(f"note, {count} of {tally.solved}: {note}")
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


def _show(stored: Stored, outcome: Result[Any] | SolveError, console: Console, *, briefly: bool) -> None:
    if isinstance(outcome, SolveError):
        console.complain(f"gapless: {stored.place}: {outcome}")
    elif not briefly:
        found, *others = [
            f"value {one.value:.12g}: {one_line(stored.problem.named(one.structure, stored.words))}"
            for one in outcome.solutions
        ] or ["no solution"]
        sure = "" if outcome.proved else f", gap {outcome.gap:.3g}"
        if outcome.proved and not outcome.certified:
            sure = " (no certificate)"
        console.result(f"{stored.name or stored.place}: {outcome.status.value}{sure}, {found}")
        for number, other in enumerate(others, 2):
            console.result(f"    {number}. {other}")


@contextlib.contextmanager
def _records(parsed: argparse.Namespace, console: Console) -> Iterator[_Records]:
    out: str | None = parsed.out
    if parsed.anew and (out is None or out.endswith(".jsonl")):
        raise UnknownOption("--anew forgets the run of a folder: give --out FOLDER")
    if out is None:
        yield _Records()
    elif out == STDOUT:
        yield _Printed()
    elif out.endswith(".jsonl"):
        check_output(out, is_record, overwrite=parsed.overwrite, reads=[parsed.file])
        with _records_file(out, console) as records:
            yield records
    else:
        with _run_folder(Path(out), parsed) as records:
            yield records


@contextlib.contextmanager
def _records_file(out: str, console: Console) -> Iterator[_Records]:
    """Records go to a file beside `out`, each whole and at once; it takes the place of `out` in the end."""
    aside = Path(out + UNFINISHED)
    if aside.exists():
        raise InvalidProblem(
            f"{aside}: holds the records of a run that did not end; move it away, or give --out FOLDER: there a "
            "run goes on"
        )
    with aside.open("w", encoding="utf-8") as file:

        class _File(_Records):
            def write(self, record: Record) -> None:
                file.write(serial.dumps(record) + "\n")
                file.flush()

        try:
            yield _File()
        except BaseException:
            console.complain(f"gapless: the records that were finished are in {aside}")
            raise
    aside.replace(out)


@contextlib.contextmanager
def _run_folder(out: Path, parsed: argparse.Namespace) -> Iterator[_Records]:
    """Records go to the log of a folder; what it holds of the same run is not solved again."""
    if parsed.file == STDIN:
        raise UnknownOption(
            f"--out {out}: a folder goes on with a file, not with standard input; give a .jsonl file"
        )
    if out.suffix and not out.is_dir():
        raise UnknownOption(f"--out {out}: records of many problems go to a .jsonl file, or into a folder")
    check_output_folder(out, overwrite=parsed.overwrite, reads=[parsed.file])
    corpus = _fingerprint(Path(parsed.file))  # first: a file that is not there leaves no folder behind
    deciding = ("method", "option", "time", "nodes", "gap", "iterations", "target", "seed")
    settings = {name: getattr(parsed, name) for name in deciding}
    if parsed.verify:  # runs that began before there was this option go on
        settings["verify"] = True
    if parsed.k != 1:  # folders of earlier versions do not name it
        settings["k"] = parsed.k
    with made_folder(str(out)), RunFolder(out, "solve", settings, anew=parsed.anew) as folder:
        folder.about("the problems of", corpus)
        log = folder.log(ANSWERS)

        class _Log(_Records):
            def finished(self, name: str, stored: Stored) -> Result[Any] | None:
                if name not in log:
                    return None
                kept = log[name]
                # A corpus that was changed in its middle looks the same at both its ends.
                if not isinstance(kept, Record) or serial.dumps(kept.problem) != serial.dumps(stored.problem):
                    raise InvalidProblem(
                        f"{stored.place}: {out} holds an answer for {name!r} to another problem; give another "
                        "folder, or --anew to start again"
                    )
                return kept.result

            def write(self, record: Record) -> None:
                if record.result.stop not in (Stop.INTERRUPTED, Stop.ERROR):  # those are tried again
                    log.append(record)

        yield _Log()


def _fingerprint(file: Path) -> Fingerprint:
    """Of the name, after which problems are called, length and both ends: it may be too long to be read twice."""
    try:
        with file.open("rb") as stream:
            head = stream.read(LOOKED_AT)
            length = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, length - LOOKED_AT))
            return Fingerprint.of(file.name, [file.name, length, head, stream.read()])
    except OSError as error:
        raise InvalidProblem(f"{file}: cannot be read ({error.strerror})") from error
