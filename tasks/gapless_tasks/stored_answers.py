"""Answers that an earlier start of a run has stored, and checks of all answers of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import gapless as gl
from gapless.arrays.tolerance import meets
from gapless.cli import Console
from gapless.runs import AnswerLog, LoggedAnswer


def stored_places(
    log: AnswerLog | None, names: Sequence[str], nouns: str, title: str, console: Console
) -> Sequence[int]:
    """List the indices of the names whose answers a log holds, and print their number.

    Parameters
    ----------
    names : sequence of str
        All that the run is to answer.
    nouns : str
        For the message: "sentences".
    title : str
        Of the part of the run.
    """
    if log is None:
        return ()
    if log.cut:
        console.info(f"{title}: an answer that was not finished was cut off ({log.cut} bytes of {log.path})")
    known = [i for i, name in enumerate(names) if name in log]
    if known:
        console.info(f"{title}: {len(known)} of {len(names)} {nouns} were finished before")
    return known


def unique_names(names: Iterable[str]) -> list[str]:
    """Number repeated names, because a log finds an answer by its name."""
    counts: Counter[str] = Counter()
    unique = []
    for name in names:
        counts[name] += 1
        unique.append(name if counts[name] == 1 else f"{name} ({counts[name]})")
    return unique


def file_name(title: str) -> str:
    """Convert a title, such as that of a table's row, to a file name."""
    return "-".join("".join(c if c.isalnum() else " " for c in title).lower().split())


def read_stored(
    log: AnswerLog | None, names: Sequence[str], places: Sequence[int]
) -> Iterator[tuple[int, gl.Record | LoggedAnswer]]:
    """Yield the stored answers of some names, read one by one."""
    if log is not None:
        yield from ((i, log[names[i]]) for i in places)


def refused_certificates(answers: Iterable[tuple[str, gl.Result[Any], gl.Problem[Any]]]) -> list[str]:
    """Verify the certificate of each answer; describe those that do not hold.

    Parameters
    ----------
    answers : iterable of (str, Result, Problem)
        The name for the message, the answer, and its problem.
    """
    verdicts = ((name, result.verify(problem)) for name, result, problem in answers)
    return [f"{name}: {verdict.location}: {verdict.reason}" for name, verdict in verdicts if not verdict]


def contradicted_optimum(name: str, result: gl.Result[Any], problem: gl.Problem[Any], optimum: float) -> str | None:
    """Describe a value better than the proved optimum, or a second proved optimum; None if there is neither."""
    sign = problem.sense.sign
    proved = result.status is gl.Status.OPTIMAL
    if meets(sign * result.value, sign * optimum) and (not proved or meets(sign * optimum, sign * result.value)):
        return None
    return f"{name} {'proved' if proved else 'found'} {result.value!r}, the proved optimum is {optimum!r}"
