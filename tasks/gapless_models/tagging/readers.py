"""Reading tagged sentences: tab-separated files, IOB2 with numbered words, and the embedded corpora."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.resources import as_file, files
from pathlib import Path
from typing import Literal

from gapless_models.tagging.sentence import TaggedSentence
from gapless_models.text_lines import numbered_lines

JOINT = "|"
"""Stands between the parts of a joint label."""


class TaggedFileError(ValueError):
    """A tagged file that cannot be read; the message names the file, the line and the fix."""


def read_tagged(path: str | Path, columns: Sequence[int] | None = None) -> list[TaggedSentence]:
    """Read every sentence of a tagged file.

    Parameters
    ----------
    path : str or Path
        A UTF-8 file, gzip-compressed if its name ends in ``.gz``: one word a line followed by one or more
        label columns, separated by tabs, and a blank line after each sentence.
    columns : sequence of int, optional
        The label columns to keep, counted from 1 (column 0 is the word). All of them if not given. Several
        columns make one joint label, joined by ``|`` in the order given.

    Returns
    -------
    list of TaggedSentence
        At least one sentence.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    TaggedFileError
        If the file is empty, truncated, not UTF-8, or a line has the wrong number of columns.
    ValueError
        If `columns` is empty or holds a number below 1.
    """
    sentences = list(iter_tagged(path, columns))
    if not sentences:
        raise TaggedFileError(
            f"{path}, line 1: no sentence in the file; expected 'word<TAB>label' lines with a "
            "blank line after each sentence"
        )
    return sentences


def iter_tagged(path: str | Path, columns: Sequence[int] | None = None) -> Iterator[TaggedSentence]:
    """Yield the sentences of a tagged file one by one; parameters and errors as for :func:`read_tagged`.

    An empty file yields nothing.
    """
    path = Path(path)
    if columns is not None and (len(columns) == 0 or min(columns) < 1):
        raise ValueError(f"columns={list(columns)}: name one label column or more, counted from 1")
    words: list[str] = []
    labels: list[str] = []
    width = 0
    for number, line in numbered_lines(path, TaggedFileError, ".tsv"):
        if not line:
            if words:
                yield TaggedSentence(tuple(words), tuple(labels))
                words, labels = [], []
            continue
        fields = line.split("\t")
        width = width or len(fields)
        _check_fields(path, number, fields, width, columns)
        texts = fields[1:] if columns is None else [fields[column] for column in columns]
        if len(texts) > 1 and any(JOINT in label for label in texts):
            raise TaggedFileError(
                f"{path}, line {number}: a label in {texts} contains '{JOINT}', which joins label columns; "
                "rename the label or select one column"
            )
        words.append(fields[0])
        labels.append(JOINT.join(texts))
    if words:
        yield TaggedSentence(tuple(words), tuple(labels))


def _check_fields(path: Path, number: int, fields: list[str], width: int, columns: Sequence[int] | None) -> None:
    if len(fields) < 2:
        raise TaggedFileError(
            f"{path}, line {number}: only one column in {fields[0]!r}; write the word, a tab, and its label"
        )
    if len(fields) != width:
        raise TaggedFileError(
            f"{path}, line {number}: {len(fields)} columns where the lines before have {width}; "
            "use the same number of tabs on every line"
        )
    if columns is not None and max(columns) >= width:
        raise TaggedFileError(
            f"{path}, line {number}: label column {max(columns)} was asked for, but there are {width - 1}; "
            "select fewer columns or check the file"
        )
    if "" in fields:
        raise TaggedFileError(
            f"{path}, line {number}: column {fields.index('')} is empty; fill it in, or leave the whole line "
            "blank to end the sentence"
        )


def read_iob2(path: str | Path) -> list[TaggedSentence]:
    """Read every sentence of an ``.iob2`` file.

    Parameters
    ----------
    path : str or Path
        A UTF-8 file, gzip-compressed if its name ends in ``.gz``: the number of a word in its sentence, the word,
        its tag, and whatever follows, separated by tabs; a blank line after each sentence; comments begin with
        ``#``.

    Returns
    -------
    list of TaggedSentence
        At least one sentence.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    TaggedFileError
        If the file is empty or damaged; the message names the line.
    """
    sentences = list(_sentences(Path(path)))
    if not sentences:
        raise TaggedFileError(f"{path}, line 1: no sentence in the file; expected 'number<TAB>word<TAB>tag' lines")
    return sentences


def _sentences(path: Path) -> Iterator[TaggedSentence]:
    words: list[str] = []
    tags: list[str] = []
    for number, line in numbered_lines(path, TaggedFileError, ".iob2"):
        if line.startswith("#"):
            continue
        if line.strip():
            fields = line.split("\t")
            if len(fields) < 3 or fields[0] != str(len(words) + 1) or not (fields[1] and fields[2]):
                raise TaggedFileError(
                    f"{path}, line {number}: {line!r:.60}: expected the number {len(words) + 1}, a word and its "
                    "tag, separated by tabs"
                )
            words.append(fields[1])
            tags.append(fields[2])
        elif words:
            yield TaggedSentence(tuple(words), tuple(tags))
            words, tags = [], []
    if words:
        yield TaggedSentence(tuple(words), tuple(tags))


def embedded_corpus(part: Literal["train", "test"]) -> list[TaggedSentence]:
    """Read a part of the embedded corpus.

    English sentences written for this project (news, science, cooking, travel, dialogue, daily life), tagged
    with the 17 universal part-of-speech tags; every fifth sentence is in the test part.
    """
    return _read(part)


def embedded_entities(part: Literal["train", "test"]) -> list[TaggedSentence]:
    """Read a part of the embedded sentences with entities.

    English sentences written for this project, rich in names; joint labels ``TAG|ENTITY`` of universal
    part-of-speech tags and persons, places and organisations in IOB2. The names of the test part are in the
    training part, most in other combinations.
    """
    return _read(f"entities_{part}")


def _read(name: str) -> list[TaggedSentence]:
    with as_file(files("gapless_models.tagging") / "data" / f"{name}.tsv") as path:
        return read_tagged(path)
