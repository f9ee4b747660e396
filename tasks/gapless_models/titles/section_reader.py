"""Reading sections from JSON lines, plain or gzip-compressed, and lists of auxiliary words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gapless_models.text_lines import numbered_lines
from gapless_models.titles.content_words import folded, is_word
from gapless_models.titles.section import Section


class SectionFileError(ValueError):
    """A file that cannot be read; the message names the file, the line and the fix."""


def read_sections(path: str | Path) -> list[Section]:
    """Read every section of a file.

    Parameters
    ----------
    path : str or Path
        UTF-8, gzip-compressed if its name ends in ``.gz``. Each line is a JSON object with ``id``, ``title`` and
        ``body``: two strings and a list of strings, one for each sentence. Tokens are separated by single spaces;
        other fields are passed over.

    Returns
    -------
    list of Section
        At least one.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    SectionFileError
        Damaged, empty, or a line that is no section; ids that repeat.
    """
    file = Path(path)
    sections: list[Section] = []
    lines: dict[str, int] = {}
    for number, line in numbered_lines(file, SectionFileError, ".jsonl"):
        location = f"{file}, line {number}"
        section = _section(line, location)
        if section.name in lines:
            raise SectionFileError(
                f"{location}: the id {section.name!r} is that of line {lines[section.name]}, too; "
                "give it another one"
            )
        lines[section.name] = number
        sections.append(section)
    if not sections:
        raise SectionFileError(f"{file}, line 1: no section in the file; expected one JSON object a line")
    return sections


def _section(line: str, place: str) -> Section:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise SectionFileError(
            f"{place}: not JSON ({error}); write one object with id, title and body on each line"
        ) from error
    if not isinstance(record, dict):
        raise SectionFileError(f"{place}: a {type(record).__name__}, expected an object with id, title and body")
    name, title, body = (_field(record, field, kind, place) for field, kind in _FIELDS)
    for number, sentence in enumerate(body):
        if not isinstance(sentence, str):
            raise SectionFileError(
                f"{place}: body[{number}] is {sentence!r:.40}, expected a string: one sentence, tokens separated "
                "by spaces"
            )
    sentences = tuple(tokens for tokens in (tuple(sentence.split()) for sentence in body) if tokens)
    if not any(is_word(token) for tokens in sentences for token in tokens):
        raise SectionFileError(f"{place}: body has no word; leave the section out")
    return Section(name, tuple(title.split()), sentences)


_FIELDS = (("id", str), ("title", str), ("body", list))


def _field(record: dict[str, Any], field: str, kind: type, place: str) -> Any:
    if field not in record:
        raise SectionFileError(f"{place}: no field {field!r}; it has {', '.join(record) or 'none'}")
    value = record[field]
    if not isinstance(value, kind):
        expected = "a list of strings" if kind is list else "a string"
        raise SectionFileError(f"{place}: {field} is {value!r:.40}, expected {expected}")
    if not value or (isinstance(value, str) and not value.split()):
        raise SectionFileError(f"{place}: {field} is empty; fill it in, or leave the section out")
    return value


def read_auxiliary_words(path: str | Path) -> tuple[str, ...]:
    """Read auxiliary words, one a line.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    SectionFileError
        None, one twice, or a line that is not one word.
    """
    file = Path(path)
    words: list[str] = []
    for number, line in numbered_lines(file, SectionFileError, ".txt"):
        word = folded(line)
        if len(word.split()) != 1 or word != word.strip() or not is_word(word):
            raise SectionFileError(f"{file}, line {number}: {line!r} is not one word; write one a line")
        if word in words:
            raise SectionFileError(f"{file}, line {number}: {line!r} is there twice; remove one")
        words.append(word)
    if not words:
        raise SectionFileError(f"{file}, line 1: no word in the file; write one a line")
    return tuple(words)
