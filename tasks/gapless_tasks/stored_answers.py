"""Answers that an earlier start of a run has stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import gapless as gl
from gapless.cli import Console
from gapless.runs import Answer, AnswerLog


def stored_places(
    log: AnswerLog | None, names: Sequence[str], nouns: str, title: str, console: Console
) -> Sequence[int]:
    """Places of the names whose answers a log holds; prints their number.

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
        console.say(f"{title}: an answer that was not finished was cut off ({log.cut} bytes of {log.path})")
    known = [i for i, name in enumerate(names) if name in log]
    if known:
        console.say(f"{title}: {len(known)} of {len(names)} {nouns} were finished before")
    return known


def unique_names(names: Iterable[str]) -> list[str]:
    """The names, repeated ones with a number: a log finds an answer by its name."""
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def file_name(title: str) -> str:
    """A title, such as that of a table's row, as a file name."""
    return "-".join("".join(c if c.isalnum() else " " for c in title).lower().split())


def read_stored(
    log: AnswerLog | None, names: Sequence[str], places: Sequence[int]
) -> Iterator[tuple[int, gl.Record | Answer]]:
    """The stored answers of some names, read one by one."""
    if log is not None:
        yield from ((i, log[names[i]]) for i in places)
