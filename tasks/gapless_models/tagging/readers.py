"""Reading tagged sentences from tab-separated files, plain or gzip-compressed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

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
