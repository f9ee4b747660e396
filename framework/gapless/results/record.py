"""Problem and result in one file, so that the shell can verify a stored answer."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from gapless.arrays import serial
from gapless.arrays.array_input import given_sequence
from gapless.arrays.serial import WRITTEN, serialisable
from gapless.certificates.certificate import Verdict
from gapless.errors import InvalidProblem, InvalidResult
from gapless.notebook import html_repr
from gapless.problems.names import Names
from gapless.problems.problem import Problem
from gapless.results.result import Result


def _words(words: Iterable[str]) -> tuple[str, ...]:
    return given_sequence(words, "words")


def _gold(gold: Any) -> Any:
    """Convert names to tuples; return a structure unchanged."""
    if isinstance(gold, list | tuple):
        return tuple(tuple(name) if isinstance(name, list | tuple) else name for name in gold)
    return gold


def _written_gold(record: Record) -> Any:
    """Return the gold answer as JSON data; None, which is not written, if it is unknown."""
    if not isinstance(record.gold, tuple):
        return record.gold
    return [name if isinstance(name, str) else list(name) for name in record.gold]


def _are_names(gold: tuple[Any, ...]) -> bool:
    return _are_texts(gold) or all(_are_texts(name if isinstance(name, tuple) else (name,)) for name in gold)


def _are_texts(values: Iterable[Any]) -> bool:
    # By type instead of by value: a long sentence has thousands of words of one type.
    return all(issubclass(kind, str) for kind in set(map(type, values)))


@serialisable("gapless.Record")
@attrs.frozen(eq=False)
class Record:
    """Problem with its result, and data about both for people.

    Parameters
    ----------
    problem : Problem
    result : Result
    name : str
        Title, such as "sentence 12".
    words : sequence of str
        Subject of the structure, such as the words of a sentence or the mentions of a text.
    measurements : mapping of str to JSON data
        Measurements of the solve, such as seconds of CPU time. Reports also read
        ``"posteriors"``: for each word the probability of its part, in [0, 1].
    gold : structure or sequence, optional
        The right answer if it is known: a structure of the problem, or names, such as labels that the model
        lacks. One name for each word, or a sequence of names of which each is right.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> record = gl.Record(problem, gl.solve(problem), words=["time", "flies"])
    >>> loaded = gl.loads(gl.dumps(record))
    >>> loaded.result.verify(loaded.problem).holds
    True
    """

    problem: Problem[Any]
    result: Result[Any]
    name: str = ""
    words: Sequence[str] = attrs.field(default=(), converter=_words)
    measurements: Mapping[str, Any] = attrs.field(factory=dict)
    gold: Any = attrs.field(default=None, converter=_gold, metadata={WRITTEN: _written_gold})
    _repr_html_ = html_repr

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.problem, Problem) or not isinstance(self.result, Result):
            raise InvalidProblem("a record holds a problem and a result")
        if not isinstance(self.name, str) or not _are_texts(self.words):
            raise InvalidProblem("the name and the words of a record are text")
        if isinstance(self.gold, tuple) and not _are_names(self.gold):
            raise InvalidProblem("gold holds names, which are text, or one structure of the problem")

    def describe(self) -> Names:
        """Describe the best structure in names, with the `words`; see `Result.describe`."""
        return self.result.describe(self.problem, self.words)

    def verify(self, *, work: float | None = None) -> Verdict:
        """Verify the result against the problem; `work` is the limit of `Result.verify`."""
        return self.result.verify(self.problem, work=work)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one JSON document, atomically."""
        serial.write_aside(path, serial.dumps(self) + "\n")


def read_values(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Yield the values of a ``.json`` (one document) or ``.jsonl`` (one per line) file, also with ``.gz``.

    Raises
    ------
    InvalidProblem
        The file is missing, truncated or unreadable, or holds a result that contradicts itself; the message names
        file and line.
    """
    for location, text in read_documents(path):
        try:
            value = serial.loads(text)
        except (InvalidProblem, InvalidResult) as error:
            raise InvalidProblem(f"{location}: {error}") from error
        yield value


def read_documents(path: str | os.PathLike[str]) -> Iterator[tuple[str, str]]:
    """Yield the JSON documents of a file, each with its location: the file, and the line of a ``.jsonl`` file.

    Raises `InvalidProblem`: the file is missing, truncated or unreadable.
    """
    file = Path(path)
    opener: Any = gzip.open if file.suffix == ".gz" else open
    try:
        with opener(file, "rt", encoding="utf-8") as stream:
            if ".jsonl" not in file.suffixes:
                yield str(file), stream.read()
                return
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield f"{file}, line {number}", line
    except FileNotFoundError as error:
        raise InvalidProblem(f"{file}: no such file") from error
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise InvalidProblem(f"{file}: cannot be read ({type(error).__name__}: {error})") from error
