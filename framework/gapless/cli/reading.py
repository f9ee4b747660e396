"""Problems that commands read from files: bare, or inside records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs

from gapless.core import serial
from gapless.core.errors import InvalidProblem, InvalidResult
from gapless.core.problem import Problem
from gapless.core.record import Record, read_documents, read_values


@attrs.frozen(eq=False)
class Stored:
    """A problem of a file.

    `place`: the file, and the line if it has lines. `name`: its name in the record.
    """

    problem: Problem[Any]
    place: str
    name: str = ""
    words: Sequence[str] = ()


def read_problem(path: str) -> Problem[Any]:
    """The one problem of a file; see `read_stored`."""
    return read_stored(path).problem


def read_stored(path: str) -> Stored:
    """The one problem of a file, with the name and the words that a record has for it.

    Raises `InvalidProblem`: the file cannot be read, or holds something else.
    """
    values = list(read_values(path))
    if len(values) != 1:
        raise InvalidProblem(f"{path}: expected one problem, found {len(values)} values")
    (value,) = values
    if isinstance(value, Record):
        return Stored(value.problem, path, value.name, value.words)
    if not isinstance(value, Problem):
        raise InvalidProblem(f"{path}: expected a problem, found a {type(value).__name__}")
    return Stored(value, path)


def holds_many(path: str) -> bool:
    """Whether a file holds a problem on each line: ``.jsonl`` or ``.jsonl.gz``."""
    return ".jsonl" in Path(path).suffixes


def read_problems(path: str) -> Iterator[Stored]:
    """The problems of a file with one on each line, lazily.

    Raises `InvalidProblem`: a line cannot be read, or holds something else; the message names file and line.
    """
    for place, text in read_documents(path):
        try:
            value = serial.loads(text)
        except (InvalidProblem, InvalidResult) as error:
            raise InvalidProblem(f"{place}: {error}") from error
        if isinstance(value, Record):
            yield Stored(value.problem, place, value.name, value.words)
        elif isinstance(value, Problem):
            yield Stored(value, place)
        else:
            raise InvalidProblem(f"{place}: expected a problem or a record, found a {type(value).__name__}")
