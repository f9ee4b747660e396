"""Data of a run for its page: tables and figures, plots, a list of all records, and some answers in full."""

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

from gapless.arrays import serial
from gapless.certificates.certificate import UNREADABLE, Verdict
from gapless.errors import GaplessError, InvalidProblem, InvalidResult
from gapless.report import documents
from gapless.report.answer import AnswerView, answer_of
from gapless.report.confusion import Confusion, confusion_of
from gapless.report.listing import Row, check_words, encoded, problem_digest, row_of, seconds_of, unreadable_row
from gapless.report.page import number
from gapless.report.plots import Plot, plots_of
from gapless.results.record import Record
from gapless.runs.reading import record_documents
from gapless.svg import cut

_LISTED = 50_000
"""Limit on the records in the list of a page."""
_FIRST_LETTERS = 120
"""Limit on the characters of a sentence above its answer."""
CHECKED = 500
"""Default number of checked certificates, spread evenly over the answers of a run."""

Progress = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]


@attrs.frozen
class Detail:
    """Answer shown in full, with its first words and the reason."""

    anchor: str
    words: str
    why: str
    answer: AnswerView


@attrs.frozen
class RunView:
    """Data of a run for display.

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
    """Records with the largest keys, for a reason to show them; the others are dropped."""

    def __init__(self, size: int, reason: str) -> None:
        self.size, self.reason = size, reason
        self._heap: list[_Entry] = []
        # Falling numbers: of equal keys the first record wins, and entries never compare records.
        self._ties = count(0, -1)

    def offer(self, key: float, record: Record, verdict: Verdict | None, row: int) -> None:
        if self.size and key > 0:
            entry = (key, next(self._ties), record, verdict, row)
            if len(self._heap) < self.size:
                heapq.heappush(self._heap, entry)
            else:
                heapq.heappushpop(self._heap, entry)

    def best_first(self) -> list[_Entry]:
        return sorted(self._heap, key=lambda entry: entry[:2], reverse=True)


COUNTED = ("records", "proved", "uncertified", "verified", "failed", "unchecked")


@attrs.define
class RunRows:
    """Rows of the first records, and counts of all records.

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
        """Counts over the records of all files."""
        return {name: sum(counts[name] for counts in self.files.values()) for name in COUNTED}

    @property
    def problems(self) -> int:
        """Number of different problems."""
        return len({problem for _, problem in self.origins})

    def add(self, row: Row) -> int:
        """Count a row, store it unless there are too many, and return its number."""
        number = len(self.origins)
        self.origins.append((row.file, row.problem or f"{row.file}#{number}"))
        self.files.setdefault(row.file, Counter())["records"] += 1
        if number < _LISTED:
            self.held.append(row)
        return number

    def judge(self, record: Record, verdict: Verdict | None, row: int, *, again: bool = False) -> None:
        """Count the verdict on a row; `again`: the row was counted as unchecked before."""
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
) -> RunView:
    """Gather the data of a run; records are read one by one and not stored.

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
    return RunView(
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


def read_rows(
    files: Sequence[Path], visit: Visit, *, verify: bool, checks: int | None, progress: Progress
) -> RunRows:
    """Read all records of some files, and check certificates spread evenly over them."""
    total = sum(file.stat().st_size for file in files)
    count = sum(1 for file in files for _ in record_documents(file)) if verify and checks is not None else 0
    read = RunRows()
    with progress("checking records" if verify else "reading records", total) as advance, _no_collector():
        for file in files:
            before, size = 0, file.stat().st_size
            for line, (location, text) in enumerate(record_documents(file), 1):
                checked = verify and _is_selected(len(read.origins), count, checks)
                _read_one(text, location, line, file if len(files) > 1 else None, checked, read, visit)
                before = _tell(advance, size, before, len(read.origins))
            advance(max(0, size - before))
    return read


@contextlib.contextmanager
def _no_collector() -> Iterator[None]:
    """Switch off the garbage collector, which would traverse all rows repeatedly: documents contain no cycles."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _is_selected(index: int, count: int, checks: int | None) -> bool:
    """Return True if the record of this index is one of `checks` that are spread evenly over `count`."""
    if checks is None or count <= checks:
        return True
    return index * checks // count != (index - 1) * checks // count


def _read_one(
    text: str, location: str, number: int, file: Path | None, checked: bool, read: RunRows, visit: Visit
) -> None:
    name = file.name.partition(".jsonl")[0] if file else ""
    try:
        record = _record(text, location, number, file)
    except InvalidResult as error:  # an altered record fails, and the others are still shown
        read.add(unreadable_row(f"record {number}", str(error), name))
        read.files[name]["failed"] += 1
        return
    try:
        verdict = record.verify() if checked else None
        row = read.add(row_of(record, verdict, name, problem_digest(record) if file else ""))
        read.judge(record, verdict, row)
        visit(record, verdict, row)
    except GaplessError:
        raise
    except UNREADABLE as error:  # fields of wrong types, such as a number in place of a string
        raise InvalidProblem(f"{location}: the record cannot be shown ({type(error).__name__}: {error})") from error


def _record(text: str, location: str, number: int, file: Path | None) -> Record:
    """Read the record of a line, with a name; for a run of several files the name includes the file."""
    try:
        value = serial.loads(text)
    except InvalidProblem as error:
        raise InvalidProblem(f"{location}: {error}") from error
    if not isinstance(value, Record):
        raise InvalidProblem(f"{location}: a {type(value).__name__}, expected a record")
    name = value.name or f"record {number}"
    if file is None and value.name:
        return value
    return attrs.evolve(value, name=name if file is None else f"{name} · {file.name.partition('.jsonl')[0]}")


def _tell(advance: Callable[[int], None], size: int, before: int, done: int) -> int:
    """Advance the progress by an estimate in bytes, because a reader hides its position."""
    step = size // 200
    if done % 8 == 0 and before + step < size:
        advance(step)
        return before + step
    return before


def _doubt(record: Record, verdict: Verdict | None) -> float:
    """Rate the doubt about an answer: 0 if it is proved and its evidence holds."""
    result = record.result
    if verdict is not None and not verdict:
        return math.inf
    if result.proved:
        return 0.0
    return min(result.gap / max(1.0, abs(result.value)), 1e300) if result.solutions else 1e300


def _labour(record: Record) -> float:
    """Rate the effort for an answer."""
    stats = record.result.stats
    # Answers of a batch share their seconds: iterations, then the size of the problem, decide ties.
    effort = seconds_of(record) + 1e-9 * (stats.nodes + stats.iterations)
    return effort + 1e-15 * record.problem.decisions.count


def _details(
    tops: Sequence[_Top],
    read: RunRows,
    anchors: list[str],
    again: Mapping[str, Any] | None,
    progress: Progress,
    *,
    verify: bool,
) -> list[Detail]:
    """Make the answers shown in full, each once and checked; set the anchors of their rows."""
    selected: dict[int, tuple[Record, Verdict | None, list[str]]] = {}
    for top in tops:
        for _, _, record, verdict, row in top.best_first():
            selected.setdefault(row, (record, verdict, []))[-1].append(top.reason)
    details = []
    with progress("drawing answers" if again is None else "solving answers again", len(selected)) as advance:
        for rank, (row, (record, verdict, reasons)) in enumerate(selected.items(), 1):
            checked = record.verify() if verdict is None and verify else verdict
            if checked is not verdict:
                read.judge(record, checked, row, again=True)
            anchor = f"answer-{rank}"
            if row < len(anchors):
                anchors[row] = anchor
            words = cut(" ".join(map(str, record.words)), _FIRST_LETTERS)
            details.append(Detail(anchor, words, " and ".join(reasons), answer_of(record, checked, again)))
            advance(1)
    return details


def _remarks(rows: Sequence[Row]) -> list[str]:
    """Describe properties that all answers share."""
    sentences = []
    if len(rows) > 1 and len(gaps := {row.gap for row in rows}) == 1 and None not in gaps:
        sentences.append(f"The gap of every answer is {number(gaps.pop())}.")
    if len(rows) > 1 and len(nodes := {row.nodes for row in rows}) == 1:
        sentences.append(f"Nodes of every search: {number(nodes.pop())}.")
    return sentences


def _advice(rows: Sequence[Row]) -> list[str]:
    """Advise on data that would let the page show more."""
    sentences = []
    if rows and not any(row.compared.known for row in rows):
        sentences.append(
            "Nothing says what is right: records with `gold` get errors, confusions and reliability. "
            "Tasks that have gold data store it with `--out`."
        )
    elif rows and not any(row.posteriors or row.margin is not None for row in rows):
        sentences.append(
            "A reliability diagram needs the second best of each answer (solve with k=2), or "
            'posteriors (Record(..., measured={"posteriors": [...]})).'
        )
    return sentences
