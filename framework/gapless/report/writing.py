"""Reports on a record, a file or a folder."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gapless.arrays.serial import require_folder, write_aside
from gapless.errors import InvalidProblem
from gapless.problems.problem import Problem
from gapless.report.answer import answer_of
from gapless.report.comparison import comparison_of
from gapless.report.page import render
from gapless.report.run import CHECKED, Progress, run_of
from gapless.results.record import Record, read_values
from gapless.results.result import Result
from gapless.runs import TABLES
from gapless.runs.reading import record_files


@contextlib.contextmanager
def _silent(title: str, total: int) -> Iterator[Callable[[int], None]]:
    del title, total
    yield lambda steps: None


def report_of(record: Record, *, again: Mapping[str, Any] | None = None, verify: bool = True) -> str:
    """Make the report on one answer as a self-contained HTML page.

    Raises `MissingDependency`: jinja2 is not installed (extra ``report``).

    Parameters
    ----------
    record : Record
        Has a trace if it was solved with ``trace=True``.
    again : mapping of str to value, optional
        Options for a second solve when the record has no events; {} for the defaults, None for no second solve.
    verify : bool
        Whether to check the certificate.
    """
    verdict = record.verify() if verify else None
    return render(record.name or "An answer", answer=answer_of(record, verdict, again), run=None, comparison=None)


def write_report(
    source: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    problem: Problem[Any] | None = None,
    again: Mapping[str, Any] | None = None,
    verify: bool = True,
    details: int = 5,
    progress: Progress = _silent,
    checks: int | None = CHECKED,
    against: str | os.PathLike[str] | None = None,
) -> None:
    """Write the report on a stored answer, a file of answers, or the folder of a run.

    Raises `InvalidProblem`: the source is missing or contains no answer; the message names the location.
    `MissingDependency`: jinja2 is not installed (extra ``report``). `FileNotFoundError`: the folder of `out` does
    not exist.

    Parameters
    ----------
    source : path
        A record or a result (``.json``), records (``.jsonl``), both also gzipped; or a folder of ``gapless run``.
    out : path
        The HTML file, written atomically.
    problem : Problem, optional
        Needed for a bare result.
    again, verify
        As in `report_of`; in the report on a run, `again` is for the answers shown in full.
    details : int
        Limit on the most laborious and on the least certain answers of a run that are shown in full.
    progress : callable
        As `Console.progress`.
    checks : int or None
        Limit on the certificates of a run that are checked, spread evenly over its answers; those of the answers
        shown in full are checked in any case. None checks all.
    against : path, optional
        Another run, or another file of records: the page is then about where the two differ.
    """
    require_folder(out)
    path = Path(source)
    if against is not None:
        if not Path(against).exists():
            raise InvalidProblem(f"{against}: no such file or folder")
        both = comparison_of((path, Path(against)), verify=verify, checks=checks, progress=progress)
        write_aside(out, render(" and ".join(both.names), answer=None, run=None, comparison=both))
        return
    if path.is_dir():
        try:
            files = record_files(path)
        except InvalidProblem:  # a task without records still has its tables
            if not (path / TABLES).is_file():
                raise
            files = ()
        run = run_of(files, path, again=again, verify=verify, details=details, progress=progress, checks=checks)
        title = str(run.about.get("task", path.resolve().name))
        write_aside(out, render(title, answer=None, run=run, comparison=None))
        return
    if ".jsonl" in path.suffixes and path.exists():
        run = run_of([path], None, again=again, verify=verify, details=details, progress=progress, checks=checks)
        if not run.counts["records"]:
            raise InvalidProblem(f"{path}: holds no record")
        write_aside(out, render(path.name, answer=None, run=run, comparison=None))
        return
    (value,) = read_values(path)
    if isinstance(value, Result):
        if problem is None:
            raise InvalidProblem(f"{path}: a result without its problem; add the problem (--problem FILE)")
        value = Record(problem, value, path.stem)
    if not isinstance(value, Record):
        kind = type(value).__name__
        raise InvalidProblem(f"{path}: holds a {kind}, expected a record as written by `gapless solve --out`")
    write_aside(out, report_of(value, again=again, verify=verify))
