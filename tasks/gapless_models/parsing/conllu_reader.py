"""Reading dependency trees from CoNLL-U files, plain or gzip-compressed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless_dependency.tree import cycle
from gapless_models.parsing import Sentence
from gapless_models.text_lines import numbered_lines, said

try:
    import conllu
except ImportError:  # the extra `tasks` brings it
    conllu = None  # type: ignore[assignment]

_FIELDS = 10
_OF_THE_TREE = slice(6, 9)
"""HEAD, DEPREL and DEPS: the columns of a gold tree."""
_PREFIX = 2
"""Letters of a fine tag that stand for the coarse one where a treebank has none."""


class ConlluError(ValueError):
    """A CoNLL-U file that cannot be read; the message names the file, the line and the fault."""


class MissingBlankLine(UserWarning):
    """Warning about a CoNLL-U file whose last sentence no blank line ends; the file may have been cut short."""


@attrs.frozen
class Entry:
    """Sentence and its lines in a file.

    Parameters
    ----------
    lines : tuple of str
        Its lines without line breaks, comments, multiword tokens and empty nodes included.
    """

    sentence: Sentence
    lines: tuple[str, ...]

    def with_heads(self, heads: Sequence[int] | None) -> str:
        """Return the lines with other heads, ``_`` where there is no tree, and a blank line.

        Relations and enhanced dependencies (DEPREL, DEPS) are ``_``, and empty nodes are left out: they belong to
        the gold tree, and the parser predicts none. Every other column stays as it was.
        """
        written, above = [], None if heads is None else iter(heads)
        for line in self.lines:
            fields = line.split("\t")
            if len(fields) == _FIELDS and not line.startswith("#"):
                number = fields[0]
                if "." in number:  # an empty node
                    continue
                if number.isdigit():  # a word; else a multiword token
                    fields[_OF_THE_TREE] = ["_" if above is None else str(next(above)), "_", "_"]
            written.append("\t".join(fields) + "\n")
        return "".join(written) + "\n"

    def with_columns(self, columns: Mapping[int, Sequence[str]], comments: Sequence[str] = ()) -> str:
        """Return the lines with other columns of the words, and a blank line.

        Parameters
        ----------
        columns : mapping of int to sequence of n str
            Of each column, counted from 0, what the `n` words have there.
        comments : sequence of str
            Lines to begin with, those that are there already excepted.
        """
        written = [line for line in comments if line not in self.lines]
        word = 0
        for line in self.lines:
            fields = line.split("\t")
            if len(fields) == _FIELDS and fields[0].isdigit():
                for column, values in columns.items():
                    fields[column] = values[word]
                word += 1
            written.append("\t".join(fields))
        return "\n".join(written) + "\n\n"


def read_conllu(path: str | Path, *, gold: bool = True) -> list[Sentence]:
    """Read every sentence of a CoNLL-U file with its tree.

    Multiword tokens (``3-4``) and empty nodes (``5.1``) are left out. Where the column UPOS is empty, the first two
    letters of XPOS stand for it; where XPOS is empty, UPOS does.

    Parameters
    ----------
    path : str or Path
        A UTF-8 file, gzip-compressed if its name ends in ``.gz``.
    gold : bool
        Whether every sentence needs a tree; else one whose heads are all ``_`` is read without.

    Returns
    -------
    list of Sentence
        At least one.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ConlluError
        If the file is empty, ends inside a row, is damaged, or holds what is no tree: wrong columns or
        numbers, a head outside the sentence, no word headed by the root, heads that run in a circle.
    MissingDependency
        If the package conllu is not installed.

    Warns
    -----
    MissingBlankLine
        If the file ends after a complete row, without the blank line that ends a sentence.
    """
    return [entry.sentence for entry in read_entries(path, gold=gold)]


def read_entries(path: str | Path, *, gold: bool = True) -> list[Entry]:
    """Read as `read_conllu` does, and keep the lines of each sentence."""
    entries = list(iter_entries(path, gold=gold))
    if not entries:
        raise ConlluError(f"{path}, line 1: no sentence in the file; expected CoNLL-U, ten columns a word")
    return entries


def iter_conllu(path: str | Path, *, gold: bool = True) -> Iterator[Sentence]:
    """Yield the sentences of a CoNLL-U file one by one, like `read_conllu`; an empty file yields nothing."""
    return (entry.sentence for entry in iter_entries(path, gold=gold))


def iter_entries(path: str | Path, *, gold: bool | None = True) -> Iterator[Entry]:
    """Yield as `iter_conllu` does, with the lines of each sentence."""
    return entries_of(numbered_lines(Path(path), ConlluError, ".conllu"), said(Path(path)), gold=gold)


def entries_of(numbered: Iterator[tuple[int, str]], path: str, *, gold: bool | None = True) -> Iterator[Entry]:
    """Yield the entries of lines as they are read; `path` is their source in messages.

    With ``gold=None`` the heads need not be those of a tree, and no sentence has any.
    """
    if conllu is None:
        raise gl.MissingDependency("CoNLL-U files need the package conllu: pip install 'gapless[tasks]'")
    numbers: list[int] = []
    lines: list[str] = []
    entry_lines: list[str] = []
    number = 0
    for number, line in numbered:
        if line.strip():
            entry_lines.append(line)
            if line.startswith("#"):
                continue
            numbers.append(number)
            lines.append(line)
        elif lines:
            yield Entry(_sentence(path, numbers, lines, gold), tuple(entry_lines))
            numbers, lines, entry_lines = [], [], []
    if lines:
        if lines[-1].endswith("\t"):  # no column is empty: the line was cut
            raise ConlluError(f"{path}, line {numbers[-1]}: the file ends inside a row; it may have been cut short")
        last = Entry(_sentence(path, numbers, lines, gold), tuple(entry_lines))
        warnings.warn(
            f"{path}, line {number}: no blank line after the last sentence; it was read with {len(last.sentence)} "
            "words, and lacks some if the file was cut short",
            MissingBlankLine,
            stacklevel=2,
        )
        yield last


def _sentence(path: str, numbers: Sequence[int], lines: Sequence[str], gold: bool | None) -> Sentence:
    """Parse the lines of a sentence; `numbers` are their line numbers in the file."""
    kept: list[tuple[int, Mapping[str, Any]]] = []
    for number, line in zip(numbers, lines, strict=True):
        token = _token(path, number, line)
        if isinstance(token["id"], int):  # the others are multiword tokens and empty nodes
            if token["id"] != len(kept) + 1:
                raise ConlluError(f"{path}, line {number}: word number {token['id']}, expected {len(kept) + 1}")
            kept.append((number, token))
    if not kept:
        raise ConlluError(f"{path}, line {numbers[0]}: a sentence without words")
    bare = gold is None or (not gold and all(token["head"] is None for _, token in kept))
    heads = [] if bare else _heads(path, kept)
    tokens = [token for _, token in kept]
    tags = tuple(token["xpos"] or token["upos"] or "_" for token in tokens)
    return Sentence(
        words=tuple(token["form"] for token in tokens),
        tags=tags,
        coarse=tuple(token["upos"] or tag[:_PREFIX] for token, tag in zip(tokens, tags, strict=True)),
        heads=tuple(heads),
        labels=tuple(token["deprel"] or "_" for token in tokens),
        features=tuple(token["feats"] or "_" for token in tokens),
    )


def _heads(path: str, kept: Sequence[tuple[int, Mapping[str, Any]]]) -> list[int]:
    """Return the heads of the words, which must form a tree."""
    heads: list[int] = []
    for position, (number, token) in enumerate(kept, start=1):
        head = token["head"]
        if head is None:
            raise ConlluError(
                f"{path}, line {number}: word {position} ({token['form']}) has no head (column 7); only a file "
                "that is parsed with a stored model may do without, and then for whole sentences"
            )
        if not 0 <= head <= len(kept):
            raise ConlluError(
                f"{path}, line {number}: word {position} ({token['form']}) has head {head}, but the sentence "
                f"has words 1..{len(kept)}"
            )
        heads.append(head)
    if 0 not in heads:
        raise ConlluError(f"{path}, line {kept[0][0]}: no word of this sentence is headed by the root (head 0)")
    loop = cycle(np.array(heads))
    if loop:
        raise ConlluError(
            f"{path}, line {kept[loop[0] - 1][0]}: the heads run in a circle: {' -> '.join(map(str, loop))}"
        )
    return heads


def _token(path: str, number: int, line: str) -> Mapping[str, Any]:
    """Parse one line."""
    fields = line.split("\t")
    if len(fields) == 1:
        raise ConlluError(
            f"{path}, line {number}: no tab in the line; columns must be separated by tabs, not by spaces "
            f"({_FIELDS} columns a word)"
        )
    if len(fields) != _FIELDS:
        raise ConlluError(
            f"{path}, line {number}: {len(fields)} columns, expected {_FIELDS}, separated by tabs; the file may "
            "have been cut short"
        )
    if fields[6] != "_" and not fields[6].isdecimal():
        raise ConlluError(f"{path}, line {number}: the head (column 7) is {fields[6]!r}, expected a number or _")
    try:
        (sentence,) = conllu.parse(line, field_parsers=_PARSERS)
        token: Mapping[str, Any] = sentence[0]
    except (conllu.exceptions.ParseException, ValueError) as error:
        raise ConlluError(f"{path}, line {number}: {error}") from error
    if not token["form"]:
        raise ConlluError(f"{path}, line {number}: the word itself (column 2) is empty")
    return token


_PARSERS: dict[str, Callable[[list[str], int], Any]] = dict.fromkeys(
    ("upos", "xpos", "feats", "deps", "misc"), lambda line, i: None if line[i] == "_" else line[i]
)
"""The library keeps the underscore of an empty UPOS, and takes columns apart whose damage need not stop parsing."""
