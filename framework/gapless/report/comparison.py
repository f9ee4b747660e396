"""Comparison of two runs on one page: their tables side by side, and the answers in which they differ."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from gapless.arrays.tolerance import score_tolerance
from gapless.errors import InvalidProblem
from gapless.report import documents
from gapless.report.listing import Row, encoded
from gapless.report.run import Progress, RunRows, read_rows
from gapless.runs import Manifest
from gapless.runs.reading import record_files

_NAMED = 5


class Difference(enum.IntFlag):
    """Aspects in which two answers for one problem differ; the page's script uses their numbers."""

    NOTHING = 0
    ANSWER = 1
    VALUE = 2
    STATUS = 4
    ERRORS = 8


@attrs.frozen
class TablePair:
    """Table of each run with the same title; None if a run has none.

    `changed`: rows and columns of the cells of the second table that differ from the first.
    """

    title: str
    first: Mapping[str, Any] | None
    second: Mapping[str, Any] | None
    changed: frozenset[tuple[int, int]]


@attrs.frozen
class Comparison:
    """Data of two runs for display.

    Parameters
    ----------
    names : (str, str)
    facts : sequence of (str, sequence of (str, value, value))
        Facts about the first and the second run; then, where they have several files, about each, under its name.
    tables : sequence of TablePair
    listing : mapping
        See `encoded`; an answer ends with that of the second run and its `Difference`; the most different come
        first.
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
    """Compare two runs; match answers by name, and those of one name by their order.

    Raises `InvalidProblem`: a file contains something other than records, or no name is in both runs.
    """
    folders = [source if source.is_dir() else None for source in sources]
    first, second = (
        read_rows(record_files(source), _nothing, verify=verify, checks=checks, progress=progress)
        for source in sources
    )
    others = dict(_rows_by_name(second.held))
    pairs = [(row, others[key]) for key, row in _rows_by_name(first.held) if key in others]
    if not pairs:
        raise InvalidProblem(
            f"{sources[0]} and {sources[1]} have no answer of the same name: nothing can be compared"
        )
    compared = _most_different_first(pairs)
    listing = encoded([row for _, row, _ in compared], [""] * len(pairs), [other for _, _, other in compared])
    for line, (aspect, _, _) in zip(listing["rows"], compared, strict=True):
        line.append(int(aspect))
    differing = {
        aspect: {_problem(row) for one, row, _ in compared if aspect in one} for aspect in Difference if aspect
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


def _rows_by_name(rows: Sequence[Row]) -> Iterator[tuple[tuple[str, int], Row]]:
    """Yield rows by name and index among those of the same name."""
    before = Counter[str]()
    for row in rows:
        yield (row.name, before[row.name]), row
        before[row.name] += 1


def _problem(row: Row) -> object:
    """Identify a problem of the first run; without data about it, every answer counts as another problem."""
    return row.problem or id(row)


_RANKED = (Difference.ANSWER, Difference.ERRORS, Difference.STATUS, Difference.VALUE)
"""Order of differences in the list, the most informative first."""


def _most_different_first(pairs: Sequence[tuple[Row, Row]]) -> list[tuple[Difference, Row, Row]]:
    """Sort pairs by their differences, with the answers for one problem below each other."""
    compared = [(difference(row, other), row, other) for row, other in pairs]
    most: dict[object, list[bool]] = {}
    for aspect, row, _ in compared:
        ranks = [one in aspect for one in _RANKED]
        most[_problem(row)] = max(ranks, most.get(_problem(row), ranks))
    ordered = sorted(most, key=lambda problem: most[problem], reverse=True)
    places = {problem: index for index, problem in enumerate(ordered)}
    return sorted(compared, key=lambda one: places[_problem(one[1])])


def _nothing(*_: object) -> None:
    """Ignore the record: only its row is needed."""


def difference(row: Row, other: Row) -> Difference:
    """Return the aspects in which two answers differ; values must differ by more than rounding."""
    difference = Difference.NOTHING
    if [t.found or t.word for t in row.compared.tokens] != [t.found or t.word for t in other.compared.tokens]:
        difference |= Difference.ANSWER
    if row.decided != other.decided:
        difference |= Difference.ANSWER
    if row.value is None or other.value is None:
        difference |= Difference.NOTHING if row.value is other.value else Difference.VALUE
    elif abs(row.value - other.value) > score_tolerance(row.value):
        difference |= Difference.VALUE
    if row.status != other.status:
        difference |= Difference.STATUS
    if row.compared.wrong != other.compared.wrong:
        difference |= Difference.ERRORS
    return difference


def _names(sources: tuple[Path, Path]) -> tuple[str, str]:
    """Name two runs by the last parts of their paths, with the folders if these are the same."""
    first, second = (source.resolve() for source in sources)
    if first.name != second.name:
        return first.name, second.name
    return f"{first.parent.name}/{first.name}", f"{second.parent.name}/{second.name}"


def _settings(folders: Sequence[Path | None]) -> list[tuple[str, Any, Any]]:
    """Describe the settings that differ; for two tasks, their names only."""
    manifests = [None if folder is None else Manifest.load(folder) for folder in folders]
    first, second = ({} if one is None else {"task": one.task, **one.settings} for one in manifests)
    differing = [key for key in {**first, **second} if first.get(key) != second.get(key)]
    return [(key, first.get(key), second.get(key)) for key in (differing if "task" not in differing else ["task"])]


_Facts = list[tuple[str, Any, Any]]
_IF_ANY = ("not checked", "seconds", "nodes")


def _facts(settings: _Facts, first: RunRows, second: RunRows) -> list[tuple[str, _Facts]]:
    """Collect facts about both runs, and about each of their files."""
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
    """Pair the facts of two runs, without those that neither run has."""
    pairs = [(name, one, second[name]) for name, one in first.items() if (one, second[name]) != (None, None)]
    return [(name, one, other) for name, one, other in pairs if one or other or name not in _IF_ANY]


def _whole(read: RunRows) -> dict[str, Any]:
    """Collect facts about all answers of a run, each of which has its own certificate."""
    counts = read.counts
    return {
        "certificates that hold": counts["verified"],
        "checks that fail": counts["failed"],
        "not checked": counts["unchecked"],
    }


def _part(read: RunRows, file: str) -> dict[str, Any]:
    """Collect facts about the answers of one file."""
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
    by_title = {str(table["title"]): table for table in second}
    pairs = [
        TablePair(str(t["title"]), t, by_title.get(str(t["title"])), _changed(t, by_title.get(str(t["title"]))))
        for t in first
    ]
    known = {pair.title for pair in pairs}
    return pairs + [
        TablePair(title, None, table, frozenset()) for title, table in by_title.items() if title not in known
    ]


def _changed(first: Mapping[str, Any], second: Mapping[str, Any] | None) -> frozenset[tuple[int, int]]:
    """Return the cells of the second table that differ, if the columns are the same; match rows by first cells."""
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


def _remarks(names: tuple[str, str], first: RunRows, second: RunRows, both: set[int]) -> list[str]:
    said = []
    for name, read in zip(names, (first, second), strict=True):
        unmatched = [row.name for row in read.held if id(row) not in both]
        if unmatched:
            more = f" and {len(unmatched) - _NAMED} more" if len(unmatched) > _NAMED else ""
            said.append(f"Only in {name}: {', '.join(unmatched[:_NAMED])}{more}.")
    return said
