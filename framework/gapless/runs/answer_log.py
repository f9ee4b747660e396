"""Append-only file of answers, one per line, which survive the process (decision 015)."""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any

from gapless.arrays import serial
from gapless.errors import InvalidProblem, InvalidResult
from gapless.problems.problem import Problem
from gapless.results.record import Record
from gapless.results.result import Result
from gapless.runs.answer import LoggedAnswer
from gapless.runs.lines import LogLine, damaged, decoded, encoded, whole_lines

SYNC_SECONDS = 1.0
"""Seconds between flushes to disk, and so the most that a power failure loses."""


class AnswerLog:
    """Answers by name, in order of completion, including those of previous starts.

    A torn last line is cut off. The object stores only the offsets of answers, which are read on access. Raises
    `InvalidProblem`: another line is damaged, or contains no named value; the message states file and line.

    Parameters
    ----------
    path : Path
        ``NAME.jsonl``, or ``NAME.jsonl.gz`` with one gzip member per line.
    records : bool
        If True, `keep` writes a `gapless.Record`, with problem and evidence; otherwise a `LoggedAnswer`.

    Attributes
    ----------
    cut : int
        Number of bytes of an unfinished answer that were cut off.
    """

    def __init__(self, path: Path, *, records: bool = True) -> None:
        self.path, self.records = path, records
        self._lines: dict[str, LogLine] = {}
        self._end = self.cut = 0
        # Opened at the first answer, so that a run without answers leaves no empty file.
        self._file: Any = None
        self._synced = time.monotonic()
        if path.exists():
            for line in whole_lines(path):
                self._enter(_name(line, path), line)
            self.cut = path.stat().st_size - self._end
            if self.cut:
                os.truncate(path, self._end)

    def __len__(self) -> int:
        return len(self._lines)

    def __contains__(self, name: str) -> bool:
        return name in self._lines

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __getitem__(self, name: str) -> Record | LoggedAnswer:
        """Read the answer with this name from the file."""
        line = self._lines[name]
        with self.path.open("rb") as file:
            file.seek(line.offset)
            content = file.read(line.size)
        try:
            answer = serial.loads(decoded(content, self.path).decode())
        except (InvalidProblem, InvalidResult) as error:
            raise InvalidProblem(f"{self.path}, line {line.number}: {error}") from error
        if not isinstance(answer, Record | LoggedAnswer):
            raise damaged(self.path, line.number, f"it holds a {type(answer).__name__}")
        return answer

    def keep(
        self,
        name: str,
        problem: Problem[Any],
        result: Result[Any],
        words: Iterable[str] = (),
        measured: Mapping[str, Any] = MappingProxyType({}),
        gold: Any = None,
    ) -> int:
        """Append an answer, with its problem and the right answer if the log holds records; see `append`."""
        if self.records:
            return self.append(Record(problem, result, name, words, dict(measured), gold))
        return self.append(LoggedAnswer(name, result, dict(measured)))

    def append(self, answer: Record | LoggedAnswer) -> int:
        """Write an answer under its name; once written, it survives the process.

        Returns the bytes written. Raises `OSError`: the disk is full, or a similar failure; the file then ends
        with the previous answer.
        """
        if answer.name in self._lines:
            raise InvalidProblem(f"{self.path}: there is an answer for {answer.name!r} already")
        content = encoded(serial.dumps(answer), self.path)
        try:
            if self._file is None:
                self._file = self.path.open("ab", buffering=0)
            # An unbuffered file may write less than it is given.
            remaining = memoryview(content)
            while remaining:
                remaining = remaining[self._file.write(remaining) :]
            self._enter(answer.name, LogLine(len(self) + 1, self._end, len(content), b""))
        except OSError as error:
            self._cut_unfinished()
            message = f"{error.strerror}; the {len(self)} earlier answers are kept; repeat the command to continue"
            raise OSError(error.errno or errno.EIO, message, str(self.path)) from error
        except BaseException:  # Ctrl-C, after which the caller may append other answers
            if answer.name not in self._lines:
                self._cut_unfinished()
            raise
        if time.monotonic() - self._synced >= SYNC_SECONDS:
            self._sync()
        return len(content)

    def close(self) -> None:
        """Flush everything to disk."""
        if self._file is not None:
            self._sync()
            self._file.close()
            self._file = None

    def __enter__(self) -> AnswerLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _enter(self, name: str, line: LogLine) -> None:
        if name in self._lines:
            raise damaged(self.path, line.number, f"{name!r} was answered in line {self._lines[name].number}")
        self._end = line.offset + line.size
        # Without the text: a log may be larger than memory.
        self._lines[name] = LogLine(line.number, line.offset, line.size, b"")

    def _cut_unfinished(self) -> None:
        """Cut off an answer that was not written completely."""
        if self._file is not None:
            os.ftruncate(self._file.fileno(), self._end)

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()


def read_log(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the documents of a log with their locations (file and line), even during a run; skip a torn end.

    Raises `InvalidProblem`: a line before the end is damaged; the message names file and line.
    """
    for line in whole_lines(path):
        try:
            yield f"{path}, line {line.number}", line.text.decode()
        except UnicodeDecodeError as error:
            raise damaged(path, line.number, error) from error


def _name(line: LogLine, path: Path) -> str:
    try:
        name = json.loads(line.text)["name"]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise damaged(path, line.number, f"{type(error).__name__}: {error}") from error
    if not isinstance(name, str):
        raise damaged(path, line.number, f"its name is {name!r}")
    return name
