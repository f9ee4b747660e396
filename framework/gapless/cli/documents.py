"""JSON documents that a command reads from a file, or from standard input for ``-``."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import chain
from pathlib import Path

from gapless.errors import InvalidProblem
from gapless.results.record import read_documents

STDIN = "-"
NAME = "standard input"


class Documents:
    """Documents of a file with their locations; those of standard input can be read once, as they arrive.

    Parameters
    ----------
    path : str
        A file, or ``-``.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._read = False

    @property
    def piped(self) -> bool:
        """Whether the documents come from standard input."""
        return self.path == STDIN

    @property
    def name(self) -> str:
        """Path for messages."""
        return NAME if self.piped else self.path

    @property
    def many(self) -> bool:
        """Whether each line is a document: in ``.jsonl`` files, or if two lines are documents."""
        return len(self._beginning) > 1 if self.piped else ".jsonl" in Path(self.path).suffixes

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Yield location and text of each document.

        Raises `InvalidProblem`: the file cannot be read; or standard input was read before, or holds nothing.
        """
        if not self.piped:
            yield from read_documents(self.path)
            return
        if self._read:
            raise InvalidProblem("standard input can be read once: give - for one file only")
        beginning = self._beginning
        self._read = True
        if not self.many:
            try:
                yield NAME, "".join([line for _, line in beginning] + list(sys.stdin))
            except UnicodeDecodeError as error:
                raise InvalidProblem(f"{NAME}: cannot be read ({error})") from error
            return
        for number, line in chain(beginning, self._lines(beginning[-1][0])):
            yield f"{NAME}, line {number}", line

    @cached_property
    def _beginning(self) -> list[tuple[int, str]]:
        """Return the first line with text, numbered, and the next one if the first is a complete document."""
        lines = self._lines()
        first = next(lines, None)
        if first is None:
            raise InvalidProblem(f"{NAME}: is empty, expected JSON as gapless.dumps writes it")
        try:
            json.loads(first[1])
        except (ValueError, RecursionError):  # the reader of the document reports the fault
            return [first]
        return [first, *([second] if (second := next(lines, None)) is not None else [])]

    @staticmethod
    def _lines(before: int = 0) -> Iterator[tuple[int, str]]:
        try:
            for number, line in enumerate(sys.stdin, before + 1):
                if line.strip():
                    yield number, line
        except UnicodeDecodeError as error:
            raise InvalidProblem(f"{NAME}: cannot be read ({error})") from error


def once(*paths: str | None) -> None:
    """Refuse ``-`` for more than one of several files.

    Raises `InvalidProblem`: two of them are standard input.
    """
    if paths.count(STDIN) > 1:
        raise InvalidProblem("standard input can be read once: give - for one file only")


@contextmanager
def as_file(path: str) -> Iterator[str]:
    """Yield the path of a file; for ``-`` that of a copy of standard input, removed after the block."""
    documents = Documents(path)
    if not documents.piped:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="gapless-") as folder:
        copy = Path(folder) / f"{NAME}.json{'l' if documents.many else ''}"
        with copy.open("w", encoding="utf-8") as file:
            for _, text in documents:
                file.write(text)
        yield str(copy)
