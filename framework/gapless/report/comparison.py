"""The view of two runs on one page: their tables side by side, and the answers in which they differ."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from gapless.core.errors import InvalidProblem
from gapless.core.tolerance import margin
from gapless.report import documents
from gapless.report.listing import Row, encoded
from gapless.report.run import Progress, Rows, read_rows
from gapless.runs import Manifest
from gapless.runs.reading import record_files

_NAMED = 5


class Differs(enum.IntFlag):
    """Aspects in which two answers for one problem differ; the page's script knows them by number."""

    NOTHING = 0
    ANSWER = 1
    VALUE = 2
    STATUS = 4
    ERRORS = 8


@attrs.frozen
class TablePair:
    """A table of each run with the same title; None where a run has none.

    `changed`: rows and columns of the cells of the second table that differ from the first.
    """

    title: str
    first: Mapping[str, Any] | None
    second: Mapping[str, Any] | None
    changed: frozenset[tuple[int, int]]


@attrs.frozen
class Comparison:
    """Two runs, prepared for display.

    Parameters
    ----------
    names : (str, str)
    facts : sequence of (str, sequence of (str, value, value))
        Facts about the first and the second run; then, where they have several files, about each, under its name.
    tables : sequence of TablePair
    listing : mapping
        See `encoded`; an answer ends with that of the second run and its `Differs`; the most different come first.
    problems : int
        Number of different problems that both runs answer: answers by several methods count once.
    differing : mapping of str to int
        Numbers of problems by the aspect in which answers differ.
    remarks : sequence of str
        Sentences about answers that only one run has.
    judged : bool
        Whether something is known of what is right.
    failed, unchecked : int
        Checks that fail, and certificates that were not checked, of both runs.
    """

    names: tuple[str, str]
    facts: Sequence[tuple[str, Sequence[tuple[str, Any, Any]]]]
    tables: Sequence[TablePair]
    listing: Mapping[str, Any]
    problems: int
    differing: Mapping[str, int]
    remarks: Sequence[str]
    judged: bool
    failed: int
    unchecked: int


def comparison_of(
    sources: tuple[Path, Path], *, verify: bool, checks: int | None, progress: Progress
) -> Comparison:
    """Compare two runs; answers are matched by name, those of one name in their order.

    Raises `InvalidProblem`: a file contains something other than records, or no name is in both runs.
    """
    folders = [source if source.is_dir() else None for source in sources]
    first, second = (
        read_rows(record_files(source), _nothing, verify=verify, checks=checks, progress=progress)
        for source in sources
    )
    others = dict(_told_apart(second.held))
    pairs = [(row, others[key]) for key, row in _told_apart(first.held) if key in others]
    if not pairs:
        raise InvalidProblem(
            f"{sources[0]} and {sources[1]} have no answer of the same name: nothing can be compared"
        )
    compared = _most_different_first(pairs)
    listing = encoded([row for _, row, _ in compared], [""] * len(pairs), [other for _, _, other in compared])
    for line, (aspect, _, _) in zip(listing["rows"], compared, strict=True):
        line.append(int(aspect))
    differing = {
        aspect: {_problem(row) for one, row, _ in compared if aspect in one} for aspect in Differs if aspect
    }
    names = _names(sources)
    return Comparison(
        names,
        _facts(_settings(folders), first, second),
        _tables(documents.tables(folders[0]), documents.tables(folders[1])),
        listing,
        len({_problem(row) for row, _ in pairs}),
        {str(aspect.name).lower(): len(problems) for aspect, problems in differing.items()},
        _remarks(names, first, second, {id(row) for pair in pairs for row in pair}),
        any(row.compared.known or other.compared.known for row, other in pairs),
        first.counts["failed"] + second.counts["failed"],
        first.counts["unchecked"] + second.counts["unchecked"],
    )


def _told_apart(rows: Sequence[Row]) -> Iterator[tuple[tuple[str, int], Row]]:
    """Rows by name, and by their place among those of the same name."""
    before = Counter[str]()
    for row in rows:
        yield (row.name, before[row.name]), row
        before[row.name] += 1


def _problem(row: Row) -> object:
    """Identify a problem of the first run: every answer is to another one where nothing else is known."""
    return row.problem or id(row)


_RANKED = (Differs.ANSWER, Differs.ERRORS, Differs.STATUS, Differs.VALUE)
"""The more telling a difference is, the earlier it stands in the list."""


def _most_different_first(pairs: Sequence[tuple[Row, Row]]) -> list[tuple[Differs, Row, Row]]:
    """Order pairs by how they differ, the answers to one problem below each other."""
    compared = [(difference(row, other), row, other) for row, other in pairs]
    most: dict[object, list[bool]] = {}
    for aspect, row, _ in compared:
        ranks = [one in aspect for one in _RANKED]
        most[_problem(row)] = max(ranks, most.get(_problem(row), ranks))
    ordered = sorted(most, key=lambda problem: most[problem], reverse=True)
    places = {problem: place for place, problem in enumerate(ordered)}
    return sorted(compared, key=lambda one: places[_problem(one[1])])


def _nothing(*_: object) -> None:
    """Records are read for their rows only."""


def difference(row: Row, other: Row) -> Differs:
    """Aspects in which two answers differ; values by more than rounding."""
    found = Differs.NOTHING
    if [one.found or one.word for one in row.compared.tokens] != [o.found or o.word for o in other.compared.tokens]:
        found |= Differs.ANSWER
    if row.decided != other.decided:
        found |= Differs.ANSWER
    if row.value is None or other.value is None:
        found |= Differs.NOTHING if row.value is other.value else Differs.VALUE
    elif abs(row.value - other.value) > margin(row.value):
        found |= Differs.VALUE
    if row.status != other.status:
        found |= Differs.STATUS
    if row.compared.wrong != other.compared.wrong:
        found |= Differs.ERRORS
    return found


def _names(sources: tuple[Path, Path]) -> tuple[str, str]:
    """Names that tell the runs apart: with their folders where the last parts are the same."""
    first, second = (source.resolve() for source in sources)
    if first.name != second.name:
        return first.name, second.name
    return f"{first.parent.name}/{first.name}", f"{second.parent.name}/{second.name}"


def _settings(folders: Sequence[Path | None]) -> list[tuple[str, Any, Any]]:
    """The settings that differ; of two tasks, their names alone."""
    manifests = [None if folder is None else Manifest.load(folder) for folder in folders]
    first, second = ({} if one is None else {"task": one.task, **one.settings} for one in manifests)
    differing = [key for key in {**first, **second} if first.get(key) != second.get(key)]
    return [(key, first.get(key), second.get(key)) for key in (differing if "task" not in differing else ["task"])]


_Facts = list[tuple[str, Any, Any]]
_IF_ANY = ("not checked", "seconds", "nodes")


def _facts(settings: _Facts, first: Rows, second: Rows) -> list[tuple[str, _Facts]]:
    """Facts about both runs, and about each of their files."""
    files = list(dict.fromkeys([*first.files, *second.files]))
    if len(files) < 2:
        return [
            ("", settings + _beside(_whole(first) | _part(first, *files), _whole(second) | _part(second, *files)))
        ]
    problems = [("problems", first.problems, second.problems)]
    return [
        ("", settings + problems + _beside(_whole(first), _whole(second))),
        *((file, _beside(_part(first, file), _part(second, file))) for file in files),
    ]


def _beside(first: Mapping[str, Any], second: Mapping[str, Any]) -> _Facts:
    """Pair the facts of two runs; what neither has is left out, and so is what was not measured or needed."""
    pairs = [(name, one, second[name]) for name, one in first.items() if (one, second[name]) != (None, None)]
    return [(name, one, other) for name, one, other in pairs if one or other or name not in _IF_ANY]


def _whole(read: Rows) -> dict[str, Any]:
    """Facts about all answers of a run: each has its own certificate."""
    counts = read.counts
    return {
        "certificates that hold": counts["verified"],
        "checks that fail": counts["failed"],
        "not checked": counts["unchecked"],
    }


def _part(read: Rows, file: str) -> dict[str, Any]:
    """Facts about the answers of one file."""
    rows = [row for row in read.held if row.file == file]
    counts = read.files.get(file, Counter())
    judged = [row.compared for row in rows if row.compared.known]
    return {
        "answers": counts["records"],
        "proved": counts["proved"],
        "wrong parts": sum(one.right.count(False) for one in judged) if judged else None,
        "answers with errors": sum(bool(one.wrong) for one in judged) if judged else None,
        "seconds": sum(row.seconds for row in rows),
        "nodes": sum(row.nodes for row in rows),
    }


def _tables(first: Sequence[Mapping[str, Any]], second: Sequence[Mapping[str, Any]]) -> list[TablePair]:
    held = {str(table["title"]): table for table in second}
    pairs = [
        TablePair(str(t["title"]), t, held.get(str(t["title"])), _changed(t, held.get(str(t["title"]))))
        for t in first
    ]
    known = {pair.title for pair in pairs}
    return pairs + [
        TablePair(title, None, table, frozenset()) for title, table in held.items() if title not in known
    ]


def _changed(first: Mapping[str, Any], second: Mapping[str, Any] | None) -> frozenset[tuple[int, int]]:
    """Cells of the second table that differ, if both have the same columns; rows go by their first cell."""
    if second is None or first["columns"] != second["columns"]:
        return frozenset()
    rows = {str(row[0]): row for row in first["rows"] if row}
    return frozenset(
        (number, column)
        for number, row in enumerate(second["rows"])
        for column, cell in enumerate(row)
        if row
        and (str(row[0]) not in rows or column >= len(rows[str(row[0])]) or rows[str(row[0])][column] != cell)
    )


def _remarks(names: tuple[str, str], first: Rows, second: Rows, both: set[int]) -> list[str]:
    said = []
    for name, read in zip(names, (first, second), strict=True):
        alone = [row.name for row in read.held if id(row) not in both]
        if alone:
            more = f" and {len(alone) - _NAMED} more" if len(alone) > _NAMED else ""
            said.append(f"Only in {name}: {', '.join(alone[:_NAMED])}{more}.")
    return said
