"""``gapless verify``: every record of a file, or of the files of a folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs

from gapless.cli.alarm import TimeIsUp, alarm
from gapless.cli.console import Console
from gapless.core import serial
from gapless.core.certificate import Verdict
from gapless.core.errors import InvalidProblem, InvalidResult
from gapless.core.problem import Problem
from gapless.core.record import Record
from gapless.core.result import Result
from gapless.runs.reading import record_documents


@attrs.frozen
class Failure:
    """An answer that does not hold.

    Parameters
    ----------
    record : str
        The record's name or number; empty when a file holds none.
    place : str
        The part of the record; or file and line, when it contradicts itself and so could not even be read.
    reason : str
    """

    record: str
    place: str
    reason: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.record, self.place, self.reason) if part)


def verify_records(
    file: Path, problem: Problem[Any] | None, console: Console, seconds: float | None = None
) -> tuple[int, list[Failure]]:
    """Verify the records of one file and say what fails.

    A record that takes more than `seconds` is undecided, and counts as failed: what is not verified does not hold.

    Returns
    -------
    int
        How many there are.
    list of Failure
        Also has an entry when there are none.

    Raises
    ------
    InvalidProblem
        A document cannot be read, or is no record; the message names file and line.
    """
    checked = 0
    failures: list[Failure] = []
    for checked, failure in enumerate(_verdicts(file, problem, console, seconds), 1):  # noqa: B007  used after the loop
        if failure is not None:
            failures.append(failure)
            console.say(f"FAILED {failure}")
    if not checked:
        failures.append(Failure("", str(file), "holds no record, so nothing was verified"))
        console.say(f"FAILED {failures[-1]}")
    return checked, failures


def _verdicts(
    file: Path, problem: Problem[Any] | None, console: Console, seconds: float | None
) -> Iterator[Failure | None]:
    for number, (place, text) in enumerate(record_documents(file), 1):
        try:
            value = serial.loads(text)
        except InvalidResult as error:  # changed by somebody: fails, but the others are still checked
            yield Failure(f"record {number}", place, str(error))
            continue
        except InvalidProblem as error:
            raise InvalidProblem(f"{place}: {error}") from error
        record = Record(problem, value) if isinstance(value, Result) and problem is not None else value
        if not isinstance(record, Record):
            raise InvalidProblem(
                f"{place}: holds a {type(value).__name__}; a record is needed (or a result, with --problem)"
            )
        try:
            with alarm(seconds):
                verdict = record.verify()
        except TimeIsUp:
            verdict = Verdict(False, f"undecided: not verified within {seconds:g} s", "certificate")
        if ".jsonl" not in file.suffixes:
            console.say(f"claimed: {record.result.status.value}; {record.result.proof}")
        if ".jsonl" not in file.suffixes and verdict:
            console.say(f"holds: {verdict.reason}")
            console.say(f"checked in {verdict.seconds:.3g} s")
        reason = record.result.proof if verdict.missing else verdict.reason
        yield None if verdict else Failure(record.name or f"record {number}", verdict.place, reason)
