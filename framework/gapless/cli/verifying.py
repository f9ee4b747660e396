"""``gapless verify``: every record of a file, or of the files of a folder."""

from __future__ import annotations

import argparse
import contextlib
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import attrs

from gapless.arrays import serial
from gapless.certificates.certificate import UNREADABLE, Verdict
from gapless.cli import exit_codes
from gapless.cli.console import Console
from gapless.cli.documents import STDIN, Documents, once
from gapless.cli.reading import read_problem
from gapless.errors import InvalidLimits, InvalidProblem, InvalidResult
from gapless.limits.work import DEFAULT_WORK, in_seconds
from gapless.plugins.manager import Plugins
from gapless.problems.problem import Problem
from gapless.results.record import Record
from gapless.results.result import Result
from gapless.runs.reading import record_documents, record_files

ADVICE = "; allow more"
"""Beginning of the advice in an undecided verdict, which is printed once for many records."""

ANNOUNCED = 1.0
"""Estimated seconds from which a verification is announced."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``gapless verify``."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a record (.json) or records (.jsonl), also .gz; a folder of .jsonl files; or a result with "
        "--problem; - for standard input",
    )
    parser.add_argument("--problem", help="the problem, when FILE holds a bare result")
    parser.add_argument("--time", type=float, metavar="S", help="seconds for each record; it fails as undecided")
    parser.add_argument(
        "--work",
        type=float,
        metavar="STEPS",
        help=f"steps for each record, about a second for 1e9; it fails as undecided (default {DEFAULT_WORK:g})",
    )


class TimeLimitReached(BaseException):
    """End of the time limit, raised anywhere; no `Exception`, so that no handler of errors catches it."""


@contextlib.contextmanager
def alarm(seconds: float | None) -> Iterator[None]:
    """Raise `TimeLimitReached` inside the block after `seconds`; None sets no limit.

    Raises `InvalidLimits`: `seconds` is not positive, or this is not the main thread of a Unix process, the only
    one that gets the signal.
    """
    if seconds is None:
        yield
        return
    if not 0 < seconds < 1e8:
        raise InvalidLimits(f"--time is {seconds}, expected a positive number of seconds")
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        raise InvalidLimits("--time needs a Unix system: leave it out, or end the process from outside")

    def ring(_: int, __: FrameType | None) -> None:
        raise TimeLimitReached

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@attrs.frozen
class Failure:
    """Answer that does not hold.

    Parameters
    ----------
    record : str
        The record's name or number; empty when a file holds none.
    place : str
        The part of the record; or file and line, when it contradicts itself and so could not even be read.
    undecided : bool
        Whether the check was stopped before its end.
    """

    record: str
    place: str
    reason: str
    undecided: bool = False

    def __str__(self) -> str:
        said, _, _ = self.reason.partition(ADVICE) if self.undecided else (self.reason, "", "")
        message = ": ".join(part for part in (self.record, self.place, said) if part)
        return f"{'UNDECIDED' if self.undecided else 'FAILED'} {message}"


def run(parsed: argparse.Namespace, console: Console, _: Plugins) -> int:
    """Run ``gapless verify FILE [FILE ...]``."""
    once(*parsed.files, parsed.problem)
    problem = read_problem(parsed.problem) if parsed.problem else None
    files = [file for path in parsed.files for file in ([path] if path == STDIN else record_files(path))]
    checked = failed = 0
    failures: list[dict[str, Any]] = []
    for file in files:
        count, found = verify_records(file, problem, console, parsed.time, parsed.work)
        wrong = len(found) if count else 0
        console.info(f"{f'{file}: ' if len(files) > 1 else ''}{count - wrong} of {count} verified")
        checked, failed = checked + count, failed + wrong
        failures += [
            {**({"file": str(file)} if len(files) > 1 else {}), **attrs.asdict(failure)} for failure in found
        ]
    if len(files) > 1:
        console.info(f"{checked - failed} of {checked} verified in {len(files)} files")
    console.data({"checked": checked, "verified": checked - failed, "failures": failures})
    return exit_codes.FAILED if failures else exit_codes.PROVED


def verify_records(
    file: Path | str,
    problem: Problem[Any] | None,
    console: Console,
    seconds: float | None = None,
    work: float | None = None,
) -> tuple[int, list[Failure]]:
    """Verify the records of one file, or of standard input for ``-``, and print the failures.

    A record that takes more than `seconds`, or more steps than `work`, is undecided, and counts as failed: what is
    not verified does not hold. What will take longer than a second is announced on standard error. Raises
    `InvalidProblem`: a document cannot be read, or is no record; the message names file and line.

    Returns
    -------
    int
        Their number.
    list of Failure
        Also has an entry when there are none.
    """
    checked = 0
    failures: list[Failure] = []
    for checked, failure in enumerate(_verdicts(file, problem, console, seconds, work), 1):  # noqa: B007  used after the loop
        if failure is not None:
            failures.append(failure)
            console.result(str(failure))
    if any(failure.undecided for failure in failures):
        console.info("undecided is not verified: allow more by --work STEPS or --time S")
    if not checked:
        failures.append(Failure("", str(file), "holds no record, so nothing was verified"))
        console.result(str(failures[-1]))
    return checked, failures


def _verdicts(
    file: Path | str, problem: Problem[Any] | None, console: Console, seconds: float | None, work: float | None
) -> Iterator[Failure | None]:
    documents = Documents(str(file))
    for number, (place, text) in enumerate(documents if documents.piped else record_documents(Path(file)), 1):
        try:
            value = serial.loads(text)
        except InvalidResult as error:  # an altered record fails, but the others are still checked
            yield Failure(f"record {number}", place, str(error))
            continue
        except InvalidProblem as error:
            raise InvalidProblem(f"{place}: {error}") from error
        record = Record(problem, value) if isinstance(value, Result) and problem is not None else value
        if not isinstance(record, Record):
            raise InvalidProblem(
                f"{place}: holds {type(value).__name__}; a record is needed (or a result, with --problem)"
            )
        called = record.name or f"record {number}"
        expected = expected_seconds(record)
        if expected > ANNOUNCED:
            console.notice(f"gapless: {called} takes about {expected:.2g} s to verify")
        try:
            with alarm(seconds):
                verdict = record.verify(work=work)
        except TimeLimitReached:
            said = f"undecided: not verified within {seconds:g} s; allow more by --time"
            verdict = Verdict(False, said, "certificate", undecided=True)
        if not documents.many:
            console.info(f"claimed: {record.result.status.value}; {record.result.proof}")
        if not documents.many and verdict:
            console.info(f"holds: {verdict.reason}{f'; {verdict.assumptions}' if verdict.assumptions else ''}")
            console.info(f"checked in {verdict.seconds:.3g} s")
        reason = record.result.proof if verdict.missing else verdict.reason
        yield None if verdict else Failure(called, verdict.location, reason, verdict.undecided)


def expected_seconds(record: Record) -> float:
    """Estimate the duration of the check from the sizes of the record; 0 if they cannot be read."""
    try:
        steps = float(record.result.certificate.work_to_verify(record.problem))
    except UNREADABLE:  # the verification will report the same error
        return 0.0
    return in_seconds(steps) if steps > 0 else 0.0
