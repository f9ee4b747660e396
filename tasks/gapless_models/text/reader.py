"""Sentences of a file or of standard input: raw text, one sentence a line, or CoNLL-U; words by NLTK's rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import gapless as gl
from gapless_models.parsing.conllu_reader import ConlluError, Entry, entries_of
from gapless_models.text.sentence import TextSentence
from gapless_models.text_lines import numbered_lines, said

_SPACED = re.compile(r"\S+")

Span = tuple[int, int]
"""First character of a word, and the one after its last."""


def tokenise(line: str, *, spaced: bool = False) -> list[Span]:
    """Split one sentence into words.

    Parameters
    ----------
    line : str
    spaced : bool
        The words are separated by spaces already.

    Returns
    -------
    list of (int, int)
        Words as they stand in the line: quotation marks are not replaced. None is empty or holds a space.

    Raises
    ------
    MissingDependency
        NLTK is not installed, and `spaced` is not set.
    """
    if not spaced:
        try:
            return list(_treebank().span_tokenize(line))
        except ValueError:  # quotation marks of several kinds, which its rules cannot find again
            pass
    return [match.span() for match in _SPACED.finditer(line)]


@cache
def _treebank() -> Any:
    try:
        from nltk.tokenize.destructive import NLTKWordTokenizer  # noqa: PLC0415  an extra, slow to load
    except ImportError as error:
        raise gl.MissingDependency(
            "words are found by nltk: pip install 'gapless[tasks]'; or separate them by spaces and give --tokens"
        ) from error
    return NLTKWordTokenizer()


Kind = Literal["auto", "text", "conllu"]
_ROW = re.compile(r"\d+(?:[-.]\d+)?\t.*\t")
_NEWDOC = re.compile(r"#\s*newdoc\b")


class TextFileError(ValueError):
    """A text that cannot be read; the message names the file, the line and the fix."""


def read_text(path: str | Path, kind: Kind = "auto", *, spaced: bool = False) -> Iterator[TextSentence]:
    """Read sentences one by one, as they arrive.

    Parameters
    ----------
    path : str or Path
        UTF-8, with or without a byte order mark, lines ended by LF or CRLF; gzip-compressed if its name ends in
        ``.gz``. ``-`` is standard input.
    kind : {"auto", "text", "conllu"}
        ``auto``: the suffix ``.conllu`` decides, else the first line that is neither empty nor a comment.
    spaced : bool
        The words of raw text are separated by spaces already.

    Yields
    ------
    TextSentence
        Empty lines of raw text are passed over: they separate texts.

    Raises
    ------
    FileNotFoundError
    TextFileError, ConlluError
        Not UTF-8, damaged, a line that is no sentence; the message names file, line and fix.
    MissingDependency
        A package that reads it is not installed.
    """
    location = Path(path)
    numbered = numbered_lines(location, ConlluError if kind == "conllu" else TextFileError, ".txt")
    if kind == "auto":
        kind, numbered = _kind(location, numbered)
    if kind == "conllu":
        return _of_conllu(numbered, said(location))
    return _of_lines(numbered, said(location), spaced)


def _kind(place: Path, numbered: Iterator[tuple[int, str]]) -> tuple[Kind, Iterator[tuple[int, str]]]:
    """Detect the kind of a text, and return all of its lines."""
    if ".conllu" in place.suffixes:
        return "conllu", numbered
    buffer: list[tuple[int, str]] = []
    for number, line in numbered:
        buffer.append((number, line))
        if line.strip() and not line.startswith("#"):
            return ("conllu" if _ROW.match(line) else "text"), chain(buffer, numbered)
    return "text", iter(buffer)


def _of_lines(numbered: Iterator[tuple[int, str]], place: str, spaced: bool) -> Iterator[TextSentence]:
    starts = True
    for number, line in numbered:
        spans = tokenise(line, spaced=spaced)
        if not spans:
            starts = True
            continue
        glued = frozenset(i for i in range(len(spans) - 1) if spans[i][1] == spans[i + 1][0])
        words = tuple(line[first:end] for first, end in spans)
        yield TextSentence(f"{place}, line {number}", words, glued=glued, starts=starts)
        starts = False


def _of_conllu(numbered: Iterator[tuple[int, str]], place: str) -> Iterator[TextSentence]:
    last = [0]

    def counted() -> Iterator[tuple[int, str]]:
        for number, line in numbered:
            last[0] = number
            yield number, line
        last[0] += 1  # the end of the file ends the last sentence, as a blank line does

    for number, entry in enumerate(entries_of(counted(), place, gold=None)):
        starts = number == 0 or any(_NEWDOC.match(line) for line in entry.lines)
        yield of_entry(entry, f"{place}, line {last[0] - len(entry.lines)}", starts=starts)


def of_entry(entry: Entry, place: str = "", *, starts: bool = False) -> TextSentence:
    """Build the sentence of lines of CoNLL-U; it has tags only if every word has one."""
    rows = [fields for fields in (line.split("\t") for line in entry.lines) if fields[0].isdigit()]
    tags = [tuple(row[column] for row in rows) for column in (3, 4)]
    upos, xpos = (() if "_" in column else column for column in tags)
    glued = frozenset(i for i, row in enumerate(rows) if "SpaceAfter=No" in row[9].split("|"))
    return TextSentence(place, entry.sentence.words, upos, xpos, glued, entry, starts)
