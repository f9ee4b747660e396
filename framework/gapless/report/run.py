"""The view of a run on a page: tables and figures, plots, a list of all records, and some of them in full."""

from __future__ import annotations

import contextlib
import gc
import heapq
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import count
from pathlib import Path
from typing import Any

import attrs

from gapless.core import serial
from gapless.core.certificate import UNREADABLE, Verdict
from gapless.core.errors import GaplessError, InvalidProblem, InvalidResult
from gapless.core.record import Record
from gapless.report import documents
from gapless.report.answer import Answer, answer_of
from gapless.report.confusion import Confusion, confusion_of
from gapless.report.listing import Row, check_words, encoded, problem_digest, row_of, seconds_of, torn_row
from gapless.report.page import number
from gapless.report.plots import Plot, plots_of
from gapless.runs.reading import record_documents
from gapless.svg import cut

_LISTED = 50_000
"""Limit on the records in the list of a page."""
_FIRST_LETTERS = 120
"""Characters of a sentence above its answer in full."""
CHECKED = 500
"""Certificates of a run that are checked by default, spread evenly over its answers."""

Progress = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]


@attrs.frozen
class Detail:
    """An answer shown in full, its first words, and the reason."""

    anchor: str
    words: str
    why: str
    answer: Answer


@attrs.frozen
class Run:
    """A run, prepared for display.

    Parameters
    ----------
    about : mapping
        About the task: name, arguments, version, start, seconds.
    documents : sequence of (str, str)
        Names and contents of the JSON documents in the folder.
    figures : sequence of (str, str)
        Names, and SVG as data URIs.
    listing : mapping
        See `encoded`.
    unlisted : int
        Number of records that are counted but not listed.
    counts : mapping of str to int
        Numbers of records in total, proved, proved without a certificate, verified, failed, not checked.
    files : sequence of (str, int, int)
        For each file of a run of several: name, records, and how many of them are proved.
    problems, proved, certain : int
        Number of different problems; of those that some answer proves; of those of which such a proof was checked.
    plots : sequence of Plot
    confusion : Confusion or None
        None where nothing is known of what is right.
    remarks, advice : sequence of str
        Sentences about all answers; and about what is not drawn, with what would store it.
    """

    about: Mapping[str, Any]
    tables: Sequence[Mapping[str, Any]]
    documents: Sequence[tuple[str, str]]
    figures: Sequence[tuple[str, str]]
    figures_left_out: int
    listing: Mapping[str, Any]
    unlisted: int
    counts: Mapping[str, int]
    files: Sequence[tuple[str, int, int]]
    problems: int
    proved: int
    certain: int
    details: Sequence[Detail]
    plots: Sequence[Plot]
    confusion: Confusion | None
    remarks: Sequence[str]
    advice: Sequence[str]


_Entry = tuple[float, int, Record, Verdict | None, int]
"""Key, sequence number, record, verdict, and number of the row in the list."""


class _Top:
    """The records with the largest keys; the others are dropped."""

    def __init__(self, most: int, why: str) -> None:
        self.most, self.why = most, why
        self.held: list[_Entry] = []
        self._ties = count(0, -1)

    def offer(self, key: float, record: Record, verdict: Verdict | None, row: int) -> None:
        if self.most and key > 0:
            entry = (key, next(self._ties), record, verdict, row)
            if len(self.held) < self.most:
                heapq.heappush(self.held, entry)
            else:
                heapq.heappushpop(self.held, entry)

    def best_first(self) -> list[_Entry]:
        return sorted(self.held, key=lambda entry: entry[:2], reverse=True)


COUNTED = ("records", "proved", "uncertified", "verified", "failed", "unchecked")


@attrs.define
class Rows:
    """Rows of the records that were read, and counts of all of them.

    `origins` holds file and problem of every record; `proved` the problems that some answer proves, `certain` those
    of which such a proof was checked.
    """

    held: list[Row] = attrs.field(factory=list)
    files: dict[str, Counter[str]] = attrs.field(factory=dict)
    origins: list[tuple[str, str]] = attrs.field(factory=list)
    proved: set[str] = attrs.field(factory=set)
    certain: set[str] = attrs.field(factory=set)

    @property
    def counts(self) -> dict[str, int]:
        """Numbers of records of all files."""
        return {name: sum(counts[name] for counts in self.files.values()) for name in COUNTED}

    @property
    def problems(self) -> int:
        """Number of different problems."""
        return len({problem for _, problem in self.origins})

    def add(self, row: Row) -> int:
        """Keep a row, if there are not too many, and count it; return its number."""
        place = len(self.origins)
        self.origins.append((row.file, row.problem or f"{row.file}#{place}"))
        self.files.setdefault(row.file, Counter())["records"] += 1
        if place < _LISTED:
            self.held.append(row)
        return place

    def judge(self, record: Record, verdict: Verdict | None, row: int, *, again: bool = False) -> None:
        """Count the verdict on a row; `again`: the row was counted before, as not checked."""
        file, problem = self.origins[row]
        counts, proved = self.files[file], record.result.proved
        if again:
            counts["unchecked"] -= 1
            if row < len(self.held):
                self.held[row] = attrs.evolve(self.held[row], check=check_words(record, verdict))
        else:
            counts["proved"] += proved
            counts["uncertified"] += proved and not record.result.certified
        counts["unchecked"] += verdict is None
        counts["verified"] += verdict is not None and bool(verdict)
        counts["failed"] += verdict is not None and not verdict and not verdict.missing
        if proved:
            self.proved.add(problem)
            if verdict:
                self.certain.add(problem)


Visit = Callable[[Record, Verdict | None, int], object]
"""``visit(record, verdict, number of its row)``."""


def run_of(
    files: Sequence[Path],
    folder: Path | None,
    *,
    again: Mapping[str, Any] | None,
    verify: bool,
    details: int,
    progress: Progress,
    checks: int | None = CHECKED,
) -> Run:
    """Gather the information on a run; records are read one by one and not kept.

    Raises `InvalidProblem`: a file contains something other than records, or cannot be read; the message names the
    line.

    Parameters
    ----------
    folder : Path or None
        Folder of the tables, documents and figures.
    again : mapping or None
        As in `answer_of`; for the answers shown in full.
    details : int
        Limit on the most laborious and on the least certain answers shown in full.
    checks : int or None
        Limit on the certificates that are checked, those of the answers shown in full apart; None checks all.
    """
    sure = _Top(details, "least sure")
    laborious = _Top(details, "hardest")

    def visit(record: Record, verdict: Verdict | None, row: int) -> None:
        sure.offer(_doubt(record, verdict), record, verdict, row)
        laborious.offer(_labour(record), record, verdict, row)

    read = read_rows(files, visit, verify=verify, checks=checks, progress=progress)
    anchors = [""] * len(read.held)
    shown = _details((laborious, sure), read, anchors, again, progress, verify=verify)
    return Run(
        documents.about(folder),
        documents.tables(folder),
        documents.documents(folder),
        *documents.figures(folder),
        encoded(read.held, anchors),
        len(read.origins) - len(read.held),
        read.counts,
        [(file, counts["records"], counts["proved"]) for file, counts in read.files.items() if file],
        read.problems,
        len(read.proved),
        len(read.certain),
        shown,
        plots_of(read.held),
        confusion_of(read.held),
        _remarks(read.held),
        _advice(read.held),
    )


def read_rows(files: Sequence[Path], visit: Visit, *, verify: bool, checks: int | None, progress: Progress) -> Rows:
    """Read all records of some files, and check certificates spread evenly over them."""
    total = sum(file.stat().st_size for file in files)
    count = sum(1 for file in files for _ in record_documents(file)) if verify and checks is not None else 0
    read = Rows()
    with progress("checking records" if verify else "reading records", total) as advance, _no_collector():
        for file in files:
            before, size = 0, file.stat().st_size
            for line, (place, text) in enumerate(record_documents(file), 1):
                wanted = verify and _is_chosen(len(read.origins), count, checks)
                _read_one(text, place, line, file if len(files) > 1 else None, wanted, read, visit)
                before = _tell(advance, size, before, len(read.origins))
            advance(max(0, size - before))
    return read


@contextlib.contextmanager
def _no_collector() -> Iterator[None]:
    """Keep the garbage collector from walking through the rows again and again: documents hold no cycles."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _is_chosen(place: int, count: int, checks: int | None) -> bool:
    """Whether the record at a place is one of `checks` that are spread evenly over `count`."""
    if checks is None or count <= checks:
        return True
    return place * checks // count != (place - 1) * checks // count


def _read_one(
    text: str, place: str, number: int, file: Path | None, wanted: bool, read: Rows, visit: Visit
) -> None:
    name = file.name.partition(".jsonl")[0] if file else ""
    try:
        record = _record(text, place, number, file)
    except InvalidResult as error:  # altered: this one fails, and the others are still shown
        read.add(torn_row(f"record {number}", str(error), name))
        read.files[name]["failed"] += 1
        return
    try:
        verdict = record.verify() if wanted else None
        row = read.add(row_of(record, verdict, name, problem_digest(record) if file else ""))
        read.judge(record, verdict, row)
        visit(record, verdict, row)
    except GaplessError:
        raise
    except UNREADABLE as error:  # a number where a text belongs, and the like
        raise InvalidProblem(f"{place}: the record cannot be shown ({type(error).__name__}: {error})") from error


def _record(text: str, place: str, number: int, file: Path | None) -> Record:
    """The record of a line, with a name; for a run of several files the name includes the file."""
    try:
        value = serial.loads(text)
    except InvalidProblem as error:
        raise InvalidProblem(f"{place}: {error}") from error
    if not isinstance(value, Record):
        raise InvalidProblem(f"{place}: a {type(value).__name__}, expected a record")
    name = value.name or f"record {number}"
    if file is None and value.name:
        return value
    return attrs.evolve(value, name=name if file is None else f"{name} · {file.name.partition('.jsonl')[0]}")


def _tell(advance: Callable[[int], None], size: int, before: int, done: int) -> int:
    """Estimated progress in bytes: a reader does not tell its position."""
    step = size // 200
    if done % 8 == 0 and before + step < size:
        advance(step)
        return before + step
    return before


def _doubt(record: Record, verdict: Verdict | None) -> float:
    """Degree of doubt: 0 for a proved answer whose evidence holds."""
    result = record.result
    if verdict is not None and not verdict:
        return math.inf
    if result.proved:
        return 0.0
    return min(result.gap / max(1.0, abs(result.value)), 1e300) if result.solutions else 1e300


def _labour(record: Record) -> float:
    """Effort: seconds, then iterations; of answers that took the same, as in a batch, the size of the problem."""
    stats = record.result.stats
    effort = seconds_of(record) + 1e-9 * (stats.nodes + stats.iterations)
    return effort + 1e-15 * record.problem.decisions.count


def _details(
    tops: Sequence[_Top],
    read: Rows,
    anchors: list[str],
    again: Mapping[str, Any] | None,
    progress: Progress,
    *,
    verify: bool,
) -> list[Detail]:
    """Answers shown in full, each once and checked; their rows of the list get anchors."""
    held: dict[int, tuple[Record, Verdict | None, list[str]]] = {}
    for top in tops:
        for _, _, record, verdict, row in top.best_first():
            held.setdefault(row, (record, verdict, []))[-1].append(top.why)
    found = []
    with progress("drawing answers" if again is None else "solving answers again", len(held)) as advance:
        for rank, (row, (record, verdict, why)) in enumerate(held.items(), 1):
            checked = record.verify() if verdict is None and verify else verdict
            if checked is not verdict:
                read.judge(record, checked, row, again=True)
            anchor = f"answer-{rank}"
            if row < len(anchors):
                anchors[row] = anchor
            words = cut(" ".join(map(str, record.words)), _FIRST_LETTERS)
            found.append(Detail(anchor, words, " and ".join(why), answer_of(record, checked, again)))
            advance(1)
    return found


def _remarks(rows: Sequence[Row]) -> list[str]:
    """Sentences about what all answers have in common."""
    said = []
    if len(rows) > 1 and len(gaps := {row.gap for row in rows}) == 1 and None not in gaps:
        said.append(f"The gap of every answer is {number(gaps.pop())}.")
    if len(rows) > 1 and len(nodes := {row.nodes for row in rows}) == 1:
        said.append(f"Nodes of every search: {number(nodes.pop())}.")
    return said


def _advice(rows: Sequence[Row]) -> list[str]:
    """Sentences about what the page cannot show, and what would store it."""
    said = []
    if rows and not any(row.compared.known for row in rows):
        said.append(
            "Nothing says what is right: records with `gold` get errors, confusions and reliability. "
            "Tasks that have gold data store it with `--out`."
        )
    elif rows and not any(row.posteriors or row.margin is not None for row in rows):
        said.append(
            "A reliability diagram needs the second best of each answer (solve with k=2), or "
            'posteriors (Record(..., measured={"posteriors": [...]})).'
        )
    return said
