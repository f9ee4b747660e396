"""A problem and its result in one file, so that a stored answer can be verified from the shell."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from gapless.core import serial
from gapless.core.certificate import Verdict
from gapless.core.errors import InvalidProblem, InvalidResult
from gapless.core.given_array import given_sequence
from gapless.core.problem import Problem
from gapless.core.result import Result
from gapless.core.results.names import Names
from gapless.core.results.notebook import html_repr
from gapless.core.serial import WRITTEN, serialisable


def _words(words: Iterable[str]) -> tuple[str, ...]:
    return given_sequence(words, "words")


def _gold(gold: Any) -> Any:
    """Names as tuples; a structure unchanged."""
    if isinstance(gold, list | tuple):
        return tuple(tuple(one) if isinstance(one, list | tuple) else one for one in gold)
    return gold


def _known_gold(record: Record) -> Any:
    """The right answer as it is written; left out where it is not known."""
    return [_plain(one) for one in record.gold] if isinstance(record.gold, tuple) else record.gold


def _are_names(gold: tuple[Any, ...]) -> bool:
    return _are_texts(gold) or all(_are_texts(one if isinstance(one, tuple) else (one,)) for one in gold)


def _are_texts(values: Iterable[Any]) -> bool:
    return all(issubclass(kind, str) for kind in set(map(type, values)))


def _plain(one: Any) -> Any:
    return one if isinstance(one, str) else list(one)


@serialisable("gapless.Record")
@attrs.frozen(eq=False)
class Record:
    """A problem with its result.

    Parameters
    ----------
    problem : Problem
    result : Result
    name : str
        Title for people: "sentence 12".
    words : sequence of str
        Subject of the structure for people, such as the words of a sentence or the mentions of a text.
    measured : mapping of str to JSON data
        Measurements taken while the result was found, such as seconds of CPU time. Reports also read
        ``"posteriors"``: for each word the probability of its part, in [0, 1].
    gold : structure or sequence, optional
        The right answer where it is known: a structure of the problem, or names, such as labels that the model
        lacks. One name for each word, or a sequence of names of which each is right.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> record = gl.Record(problem, gl.solve(problem), words=["time", "flies"])
    >>> again = gl.loads(gl.dumps(record))
    >>> again.result.verify(again.problem).holds
    True
    """

    problem: Problem[Any]
    result: Result[Any]
    name: str = ""
    words: Sequence[str] = attrs.field(default=(), converter=_words)
    measured: Mapping[str, Any] = attrs.field(factory=dict)
    gold: Any = attrs.field(default=None, converter=_gold, metadata={WRITTEN: _known_gold})
    _repr_html_ = html_repr

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.problem, Problem) or not isinstance(self.result, Result):
            raise InvalidProblem("a record holds a problem and a result")
        if not isinstance(self.name, str) or not _are_texts(self.words):
            raise InvalidProblem("the name and the words of a record are text")
        if isinstance(self.gold, tuple) and not _are_names(self.gold):
            raise InvalidProblem("gold holds names, which are text, or one structure of the problem")

    def named(self) -> Names:
        """The best structure in names, with the `words`; see `Result.named`."""
        return self.result.named(self.problem, self.words)

    def verify(self, *, work: float | None = None) -> Verdict:
        """Verify the result against the problem; `work` is the limit of `Result.verify`."""
        return self.result.verify(self.problem, work=work)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one JSON document, atomically."""
        serial.write_aside(path, serial.dumps(self) + "\n")


def read_values(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Values of a ``.json`` (one document) or ``.jsonl`` (one a line) file, also with ``.gz``; lazily.

    Raises
    ------
    InvalidProblem
        The file is missing, truncated or unreadable, or holds a result that contradicts itself; the message names
        file and line.
    """
    for place, text in read_documents(path):
        try:
            value = serial.loads(text)
        except (InvalidProblem, InvalidResult) as error:
            raise InvalidProblem(f"{place}: {error}") from error
        yield value


def read_documents(path: str | os.PathLike[str]) -> Iterator[tuple[str, str]]:
    """JSON documents of a file for `read_values`, each with its place: file, and line if there are lines.

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
