"""Problems that commands read from files: bare, or inside records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from gapless.arrays import serial
from gapless.cli.documents import Documents
from gapless.errors import InvalidProblem, InvalidResult
from gapless.problems.problem import Problem
from gapless.results.record import Record
from gapless.results.result import Result


@attrs.frozen(eq=False)
class StoredProblem:
    """Problem of a file.

    `location`: the file, and the line if it has lines. `name`: its name in the record.
    """

    problem: Problem[Any]
    location: str
    name: str = ""
    words: Sequence[str] = ()
    gold: Any = None

    def answered(self, result: Result[Any]) -> Record:
        """Make the record of a result, with the name and the words of the problem."""
        return Record(self.problem, result, self.name, self.words, gold=self.gold)


def read_first(path: str) -> Any:
    """Read the first value of a file, or of standard input for ``-``.

    Raises `InvalidProblem`: it cannot be read.
    """
    return _value(*next(iter(Documents(path))))


def read_problem(path: str) -> Problem[Any]:
    """Read the only problem of a file; see `read_stored`."""
    return read_stored(Documents(path)).problem


def read_stored(documents: Documents) -> StoredProblem:
    """Read the only problem of a file, with the name and the words of its record.

    Raises `InvalidProblem`: the file cannot be read, or holds something else.
    """
    values = [_value(place, text) for place, text in documents]
    if len(values) != 1:
        raise InvalidProblem(f"{documents.name}: expected one problem, found {len(values)} values")
    (value,) = values
    if isinstance(value, Record):
        return StoredProblem(value.problem, documents.name, value.name, value.words, value.gold)
    if not isinstance(value, Problem):
        raise InvalidProblem(f"{documents.name}: expected a problem, found a {type(value).__name__}")
    return StoredProblem(value, documents.name)


def read_problems(documents: Documents) -> Iterator[StoredProblem]:
    """Yield the problems of a file with one on each line.

    Raises `InvalidProblem`: a line cannot be read, or holds something else; the message names file and line.
    """
    for place, text in documents:
        value = _value(place, text)
        if isinstance(value, Record):
            yield StoredProblem(value.problem, place, value.name, value.words, value.gold)
        elif isinstance(value, Problem):
            yield StoredProblem(value, place)
        else:
            raise InvalidProblem(f"{place}: expected a problem or a record, found a {type(value).__name__}")


def _value(place: str, text: str) -> Any:
    try:
        return serial.loads(text)
    except (InvalidProblem, InvalidResult) as error:
        raise InvalidProblem(f"{place}: {error}") from error
