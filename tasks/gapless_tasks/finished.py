"""Answers that an earlier start of a run has finished."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import gapless as gl
from gapless.cli import Console
from gapless.runs import Answer, AnswerLog


def finished_before(
    log: AnswerLog | None, names: Sequence[str], what: str, title: str, console: Console
) -> Sequence[int]:
    """The places of those names that a log has answers for; says how many there are.

    Parameters
    ----------
    log : AnswerLog or None
    names : sequence of str
        All that the run is to answer.
    what : str
        What is named: "sentences".
    title : str
        Of the part of the run.
    console : Console
    """
    if log is None:
        return ()
    if log.cut:
        console.say(f"{title}: an answer that was not finished was cut off ({log.cut} bytes of {log.path})")
    known = [i for i, name in enumerate(names) if name in log]
    if known:
        console.say(f"{title}: {len(known)} of {len(names)} {what} were finished before")
    return known


def distinct(names: Iterable[str]) -> list[str]:
    """The names, those that stand there again with a number: a log knows an answer by its name."""
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def file_name(title: str) -> str:
    """A title, such as that of a table's row, in the name of a file."""
    return "-".join("".join(c if c.isalnum() else " " for c in title).lower().split())


def stored(
    log: AnswerLog | None, names: Sequence[str], places: Sequence[int]
) -> Iterator[tuple[int, gl.Record | Answer]]:
    """The answers of some of the names, read one by one."""
    if log is not None:
        yield from ((i, log[names[i]]) for i in places)
