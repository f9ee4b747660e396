"""The view of a run on a page: tables and figures, a list of all records, and some of them in full."""

from __future__ import annotations

import base64
import heapq
import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import count
from pathlib import Path
from typing import Any

import attrs

from gapless.core import serial
from gapless.core.certificate import Verdict
from gapless.core.errors import InvalidProblem, InvalidResult
from gapless.core.record import Record
from gapless.report.answer import Answer, answer_of
from gapless.runs import TABLES, Manifest
from gapless.runs.reading import record_documents

_LISTED = 50_000
"""Limit on the records in the list of a page."""
_FIGURES, _FIGURE_BYTES = 24, 4_000_000
_DOCUMENT_LETTERS = 60_000
"""Limit on the characters of a JSON document that is shown."""

Progress = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]


@attrs.frozen
class Detail:
    """An answer shown in full, and the reason."""

    anchor: str
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
    records : sequence of sequences
        Name, status, value, gap, seconds, nodes, verdict, anchor; for each record.
    unlisted : int
        Number of records that are counted but not listed.
    counts : mapping of str to int
        Numbers of records in total, proved, proved without a certificate, verified, failed.
    """

    about: Mapping[str, Any]
    tables: Sequence[Mapping[str, Any]]
    documents: Sequence[tuple[str, str]]
    figures: Sequence[tuple[str, str]]
    figures_left_out: int
    records: Sequence[Sequence[Any]]
    unlisted: int
    counts: Mapping[str, int]
    details: Sequence[Detail]


_Entry = tuple[float, int, Record, Verdict | None, list[Any]]
"""Key, sequence number, record, verdict, and row of the list."""


class _Top:
    """The records with the largest keys; the others are dropped."""

    def __init__(self, most: int, why: str) -> None:
        self.most, self.why = most, why
        self.held: list[_Entry] = []
        self._ties = count(0, -1)

    def offer(self, key: float, record: Record, verdict: Verdict | None, row: list[Any]) -> None:
        if self.most and key > 0:
            entry = (key, next(self._ties), record, verdict, row)
            if len(self.held) < self.most:
                heapq.heappush(self.held, entry)
            else:
                heapq.heappushpop(self.held, entry)

    def best_first(self) -> list[_Entry]:
        return sorted(self.held, key=lambda entry: entry[:2], reverse=True)


def run_of(
    files: Sequence[Path],
    folder: Path | None,
    *,
    again: Mapping[str, Any] | None,
    verify: bool,
    details: int,
    progress: Progress,
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
    """
    sure = _Top(details, "least sure")
    laborious = _Top(details, "most laborious")
    records: list[list[Any]] = []
    counts = {"records": 0, "proved": 0, "uncertified": 0, "verified": 0, "failed": 0}
    total = sum(file.stat().st_size for file in files)
    with progress("checking records" if verify else "reading records", total) as advance:
        for file in files:
            before = 0
            for number, (place, text) in enumerate(record_documents(file), 1):
                counts["records"] += 1
                try:
                    record = _record(text, place, number, file if len(files) > 1 else None)
                except InvalidResult as error:  # altered: this one fails, and the others are still shown
                    counts["failed"] += 1
                    torn = [f"record {number}", "unreadable", None, None, None, None, f"fails: {error}", ""]
                    if len(records) < _LISTED:
                        records.append(torn)
                    continue
                verdict = record.verify() if verify else None
                counts["proved"] += record.result.proved
                counts["verified"] += verdict is not None and bool(verdict)
                counts["uncertified"] += record.result.proved and not record.result.certified
                counts["failed"] += verdict is not None and not verdict and not verdict.missing
                row = _row(record, verdict)
                if len(records) < _LISTED:
                    records.append(row)
                sure.offer(_doubt(record, verdict), record, verdict, row)
                laborious.offer(_labour(record), record, verdict, row)
                before = _tell(advance, file, before, counts["records"])
            advance(max(0, file.stat().st_size - before))
    shown = _details((laborious, sure), again, progress)
    return Run(
        _about(folder),
        _tables(folder),
        _documents(folder),
        *_figures(folder),
        records,
        counts["records"] - len(records),
        counts,
        shown,
    )


def _record(text: str, place: str, number: int, file: Path | None) -> Record:
    """The record of a line, with a name; for a run of several files the name includes the file."""
    try:
        value = serial.loads(text)
    except InvalidProblem as error:
        raise InvalidProblem(f"{place}: {error}") from error
    if not isinstance(value, Record):
        raise InvalidProblem(f"{place}: a {type(value).__name__}, expected a record")
    name = value.name or f"record {number}"
    return attrs.evolve(value, name=name if file is None else f"{name} · {file.name.partition('.jsonl')[0]}")


def _tell(advance: Callable[[int], None], file: Path, before: int, done: int) -> int:
    """Estimated progress in bytes: a reader does not tell its position."""
    step = file.stat().st_size // 200
    if done % 8 == 0 and before + step < file.stat().st_size:
        advance(step)
        return before + step
    return before


def _row(record: Record, verdict: Verdict | None) -> list[Any]:
    result = record.result
    said = "not checked" if verdict is None else "holds" if verdict else f"fails: {verdict.reason}"
    if not result.certified and (verdict is None or verdict.missing):
        said = result.proof
    return [
        record.name,
        result.status.value,
        _finite(result.value) if result.solutions else None,
        _finite(result.gap),
        _seconds(record),
        result.stats.nodes,
        said,
        "",
    ]


def _seconds(record: Record) -> float:
    """Seconds of the solver; for answers decoded in one call, the share that the run measured."""
    share = record.measured.get("seconds")
    measured = float(share) if isinstance(share, int | float) and math.isfinite(share) else 0.0
    return record.result.stats.seconds or measured


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _doubt(record: Record, verdict: Verdict | None) -> float:
    """Degree of doubt: 0 for a proved answer whose evidence holds."""
    result = record.result
    if verdict is not None and not verdict:
        return math.inf
    if result.proved:
        return 0.0
    return min(result.gap / max(1.0, abs(result.value)), 1e300) if result.solutions else 1e300


def _labour(record: Record) -> float:
    """Effort: seconds; where not measured, iterations, then the size of the problem."""
    stats = record.result.stats
    return _seconds(record) + 1e-9 * (stats.nodes + stats.iterations) + 1e-15 * record.problem.decisions.count


def _details(tops: Sequence[_Top], again: Mapping[str, Any] | None, progress: Progress) -> list[Detail]:
    """Answers shown in full, each once; their rows of the list get anchors."""
    held: dict[int, tuple[Record, Verdict | None, list[Any], list[str]]] = {}
    for top in tops:
        for _, _, record, verdict, row in top.best_first():
            held.setdefault(id(record), (record, verdict, row, []))[-1].append(top.why)
    found = []
    with progress("drawing answers" if again is None else "solving answers again", len(held)) as advance:
        for number, (record, verdict, row, why) in enumerate(held.values(), 1):
            row[-1] = f"answer-{number}"
            found.append(Detail(row[-1], " and ".join(why), answer_of(record, verdict, again)))
            advance(1)
    return found


def _load(file: Path) -> Any:
    try:
        return json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidProblem(f"{file}: cannot be read as JSON ({error})") from error


def _stored_tables(folder: Path | None) -> Mapping[str, Any]:
    file = None if folder is None else folder / TABLES
    document = _load(file) if file is not None and file.is_file() else {}
    if not isinstance(document, dict) or not isinstance(document.get("tables", []), list):
        raise InvalidProblem(f"{file}: expected the tables of a run, as `gapless run --out` writes them")
    return document


def _about(folder: Path | None) -> Mapping[str, Any]:
    manifest = None if folder is None else Manifest.load(folder)
    about: dict[str, Any] = {}
    if manifest is not None:
        about = {"task": manifest.task, "state": manifest.state.value, "starts": manifest.starts}
        about |= {"began": manifest.began, "version": manifest.version}
    about |= {key: value for key, value in _stored_tables(folder).items() if key != "tables"}
    if isinstance(about.get("arguments"), list):
        about["arguments"] = " ".join(["gapless", *map(str, about["arguments"])])
    return about


def _tables(folder: Path | None) -> Sequence[Mapping[str, Any]]:
    tables = _stored_tables(folder).get("tables", [])
    for table in tables:
        if not _is_table(table):
            raise InvalidProblem(f"{folder}/{TABLES}: a table has no title, columns or rows")
    return list(tables)


def _is_table(table: Any) -> bool:
    if not isinstance(table, dict) or "title" not in table:
        return False
    listed = [table.get("columns"), table.get("rows")]
    return all(isinstance(one, list) for one in listed) and all(isinstance(row, list) for row in table["rows"])


def _documents(folder: Path | None) -> list[tuple[str, str]]:
    if folder is None:
        return []
    found = []
    for file in sorted(folder.glob("*.json")):
        if file.name != TABLES:
            text = json.dumps(_load(file), indent=2, ensure_ascii=False)
            cut = len(text) > _DOCUMENT_LETTERS
            found.append((file.name, text[:_DOCUMENT_LETTERS] + ("\n… (cut)" if cut else "")))
    return found


def _figures(folder: Path | None) -> tuple[list[tuple[str, str]], int]:
    """SVG files of the folder, as images: their content can neither run nor load anything."""
    files = [] if folder is None else sorted(folder.glob("*.svg"))
    found: list[tuple[str, str]] = []
    size = 0
    for file in files:
        content = file.read_bytes()
        size += len(content)
        if len(found) < _FIGURES and size <= _FIGURE_BYTES:
            found.append((file.stem, f"data:image/svg+xml;base64,{base64.b64encode(content).decode()}"))
    return found, len(files) - len(found)
