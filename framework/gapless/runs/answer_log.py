"""An append-only file of answers, one per line: an answer in it survives the process."""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any

from gapless.core import serial
from gapless.core.errors import InvalidProblem, InvalidResult
from gapless.core.problem import Problem
from gapless.core.record import Record
from gapless.core.result import Result
from gapless.runs.answer import Answer
from gapless.runs.lines import Line, damaged, decoded, encoded, whole_lines

SYNC_SECONDS = 1.0
"""Seconds between flushes to disk; a power failure loses no more."""


class AnswerLog:
    """Answers by name, in order of completion, those of earlier runs included.

    A torn end is cut off. The log holds only the places of answers, which are read back on access. Raises
    `InvalidProblem`: a line before the end is damaged, or holds no named value; the message names file and line.

    Parameters
    ----------
    path : Path
        ``NAME.jsonl``, or ``NAME.jsonl.gz`` with one gzip member per line.
    records : bool
        Whether `keep` writes a `gapless.Record`, problem and evidence included; else an `Answer`.

    Attributes
    ----------
    cut : int
        Bytes of an unfinished answer that were cut off.
    """

    def __init__(self, path: Path, *, records: bool = True) -> None:
        self.path, self.records = path, records
        self._places: dict[str, Line] = {}
        self._end = self.cut = 0
        # The file is opened at the first answer: a run without answers leaves no empty file behind.
        self._file: Any = None
        self._synced = time.monotonic()
        if path.exists():
            for line in whole_lines(path):
                self._enter(_name(line, path), line)
            self.cut = path.stat().st_size - self._end
            if self.cut:
                os.truncate(path, self._end)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, name: str) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __getitem__(self, name: str) -> Record | Answer:
        """The answer with this name, read from the file."""
        place = self._places[name]
        with self.path.open("rb") as file:
            file.seek(place.offset)
            content = file.read(place.size)
        try:
            answer = serial.loads(decoded(content, self.path).decode())
        except (InvalidProblem, InvalidResult) as error:
            raise InvalidProblem(f"{self.path}, line {place.number}: {error}") from error
        if not isinstance(answer, Record | Answer):
            raise damaged(self.path, place.number, f"it holds a {type(answer).__name__}")
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
        return self.append(Answer(name, result, dict(measured)))

    def append(self, answer: Record | Answer) -> int:
        """Write an answer under its name; from here on it survives the process.

        Returns the bytes written. Raises `OSError`: the disk is full, or a similar failure; the file then ends
        with the previous answer.
        """
        if answer.name in self._places:
            raise InvalidProblem(f"{self.path}: there is an answer for {answer.name!r} already")
        content = encoded(serial.dumps(answer), self.path)
        try:
            if self._file is None:
                self._file = self.path.open("ab", buffering=0)
            rest = memoryview(content)
            while rest:
                rest = rest[self._file.write(rest) :]
            self._enter(answer.name, Line(len(self) + 1, self._end, len(content), b""))
        except OSError as error:
            self._take_back()
            message = f"{error.strerror}; the {len(self)} earlier answers are kept; repeat the command to continue"
            raise OSError(error.errno or errno.EIO, message, str(self.path)) from error
        except BaseException:  # Ctrl-C, after which the log may go on
            if answer.name not in self._places:
                self._take_back()
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

    def _enter(self, name: str, line: Line) -> None:
        if name in self._places:
            raise damaged(self.path, line.number, f"{name!r} was answered in line {self._places[name].number}")
        self._end = line.offset + line.size
        self._places[name] = Line(line.number, line.offset, line.size, b"")

    def _take_back(self) -> None:
        """Cut off a half-written answer."""
        if self._file is not None:
            os.ftruncate(self._file.fileno(), self._end)

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()


def read_log(path: Path) -> Iterator[tuple[str, str]]:
    """The documents of a log and their places (file and line), even during a run; a torn end is skipped.

    Raises `InvalidProblem`: a line before the end is damaged; the message names file and line.
    """
    for line in whole_lines(path):
        try:
            yield f"{path}, line {line.number}", line.text.decode()
        except UnicodeDecodeError as error:
            raise damaged(path, line.number, error) from error


def _name(line: Line, path: Path) -> str:
    try:
        name = json.loads(line.text)["name"]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise damaged(path, line.number, f"{type(error).__name__}: {error}") from error
    if not isinstance(name, str):
        raise damaged(path, line.number, f"its name is {name!r}")
    return name
