"""Answers of a run in a few characters each, from which the page's script draws the list."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from gapless.arrays import serial
from gapless.certificates.certificate import Verdict
from gapless.report.gold_comparison import GoldComparison, compared
from gapless.report.page import plain
from gapless.results.record import Record

_DIGITS = 7
_LETTERS, _BRIEF = 2_500_000, 150
"""Limit on the characters of the list, and of an answer that is shortened to its first words to respect it."""
_FIRST = 12
"""Number of words of a shortened answer."""


@attrs.frozen
class Row:
    """Answer in the list.

    Parameters
    ----------
    value, gap : float or None
        None where there is none, or an infinite one.
    check : str
        Outcome of the check in words.
    size : int
        Words; where there are none, decisions of the problem.
    compared : Compared
    margin : float or None
        Loss of the second best; None where only one is known.
    posteriors : sequence of float
        Probability of each part, as far as it was stored.
    file : str
        File that holds it, where a run has several.
    decided : str
        Tells structures apart whose parts no plug-in names.
    problem : str
        Digest of the problem, where a run has several files: methods that answer the same problem share it.
    """

    name: str
    status: str
    value: float | None
    gap: float | None
    seconds: float
    nodes: int
    check: str
    size: int
    compared: GoldComparison
    margin: float | None = None
    posteriors: Sequence[float] = ()
    file: str = ""
    decided: str = ""
    problem: str = ""


def row_of(record: Record, verdict: Verdict | None, file: str = "", problem: str = "") -> Row:
    """Make the row of a record; `verdict` is None when it was not checked, `problem` is the digest of a `Row`."""
    result = record.result
    several = len(result.solutions) > 1
    found = compared(record)
    known = record.measurements.get("posteriors", ())
    return Row(
        record.name,
        result.status.value,
        _finite(result.value) if result.solutions else None,
        _finite(result.gap),
        seconds_of(record),
        result.stats.nodes,
        check_words(record, verdict),
        len(record.words) or record.problem.decisions.count,
        found,
        abs(result.solutions[0].value - result.solutions[1].value) if several else None,
        [float(p) for p in known] if isinstance(known, list | tuple) and _are_shares(known) else (),
        file,
        "" if found.kind or not result.solutions else _decided(record),
        problem,
    )


def _decided(record: Record) -> str:
    return _digest(",".join(map(str, sorted(int(d) for d in record.problem.encode(record.result.best)))))


def problem_digest(record: Record) -> str:
    """Identify a problem by its data: two files of a run may use one name for different problems."""
    return _digest(serial.dumps(record.problem))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def distinct_answers(rows: Sequence[Row]) -> list[Row]:
    """Drop each answer to a problem that another file answers, too."""
    held: dict[object, Row] = {}
    for place, row in enumerate(rows):
        answer = (row.problem, row.status, tuple(row.compared.tokens), row.decided)
        held.setdefault(answer if row.problem else place, row)
    return list(held.values())


def check_words(record: Record, verdict: Verdict | None) -> str:
    """Describe the outcome of a check."""
    if not record.result.certified and (verdict is None or verdict.missing):
        return record.result.proof
    return "not checked" if verdict is None else "holds" if verdict else plain(f"fails: {verdict.reason}")


def unreadable_row(name: str, reason: str, file: str = "") -> Row:
    """Make the row of a record that contradicts itself."""
    check = plain(f"fails: {reason}")
    return Row(name, "unreadable", None, None, 0.0, 0, check, 0, GoldComparison("", ()), file=file)


def seconds_of(record: Record) -> float:
    """Return the seconds of the solver; for answers decoded in one call, the share that the run measured."""
    candidates = record.result.stats.seconds, record.measurements.get("seconds")
    return next(
        (float(seconds) for seconds in candidates if isinstance(seconds, int | float) and 0 < seconds < math.inf),
        0.0,
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _are_shares(values: Iterable[Any]) -> bool:
    return all(isinstance(p, int | float) and 0 <= p <= 1 for p in values)


class Strings:
    """Table of strings, each stored once and referred to by its number."""

    def __init__(self) -> None:
        self.held: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        """Return the number of a string."""
        return self.held.setdefault(text, len(self.held))


def encoded(
    rows: Sequence[Row], anchors: Sequence[str], more: Sequence[Row | None] | None = None
) -> dict[str, Any]:
    """Encode the list as JSON data.

    An answer is ``[name, status, value, gap, seconds, nodes, check, anchor, errors, cut, words, found, gold,
    right, file]``, strings by their numbers in ``strings``; ``gold`` holds pairs (place, string) for the wrong
    parts, and ``right`` the right sequence, if it is another. Of two runs an answer goes on with the same of the
    other run.

    Parameters
    ----------
    anchors : sequence of str
        Of the answers that the page shows in full; empty for the others.
    more : sequence of Row or None, optional
        Answers of another run to compare with these.
    """
    data = _encoded(rows, anchors, more, None)
    fits = len(json.dumps(data, separators=(",", ":"))) <= _LETTERS
    return data if fits else _encoded(rows, anchors, more, _LETTERS)


def _encoded(
    rows: Sequence[Row], anchors: Sequence[str], more: Sequence[Row | None] | None, letters: int | None
) -> dict[str, Any]:
    """Encode the list within a limit of characters by shortening answers to first words; None for no limit."""
    number = Strings()
    used = 0
    brief = _BRIEF if more is None else 2 * _BRIEF
    listed = []
    for place, row in enumerate(rows):
        whole = letters is None or used + brief * (len(rows) - place) < letters
        mine = _line(row, anchors[place], number, whole)
        if more is not None:
            other = more[place]
            mine.append(None if other is None else _line(other, "", number, whole))
        if letters is not None:
            used += len(json.dumps(mine, separators=(",", ":")))
        listed.append(mine)
    return {"strings": list(number.held), "rows": listed}


def _line(row: Row, anchor: str, number: Strings, whole: bool) -> list[Any]:
    tokens = row.compared.tokens if whole else row.compared.tokens[:_FIRST]
    gold = [x for place, one in enumerate(tokens) if one.gold for x in (place, number(one.gold))]
    found = [number(one.found) for one in tokens] if row.compared.kind not in ("", "sequence") else []
    return [
        row.name,
        number(row.status),
        _short(row.value),
        _short(row.gap),
        _short(row.seconds, 3),
        row.nodes,
        number(row.check),
        anchor,
        row.compared.wrong,
        int(len(tokens) < len(row.compared.tokens)),
        [number(one.word) for one in tokens],
        found,
        gold,
        [number(name) for name in row.compared.gold] if whole else [],
        number(row.file),
    ]


def _short(value: float | None, digits: int = _DIGITS) -> float | int | None:
    """Round a number for display."""
    if value is None:
        return None
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded
