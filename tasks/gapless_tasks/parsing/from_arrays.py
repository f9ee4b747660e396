"""Parsing timed as users pay for it: from arrays of scores to results with their certificates."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import gapless as gl
from gapless.cli import Console
from gapless.runs import RunFolder
from gapless_dependency import ParsingProblem
from gapless_tasks.parsing.sentence_arrays import SentenceArrays

SHORTEST = 1e-9
"""Least seconds of any work: a coarse clock may measure 0."""

MOST = 100
"""Sentences of a part that `certified_rate` solves, evenly spread over it."""


def certified_seconds(
    sentences: Sequence[SentenceArrays],
    method: str | None,
    console: Console,
    title: str,
    options: Mapping[str, Any] | None = None,
    limits: gl.Limits = gl.Limits(),  # noqa: B008  frozen
) -> float:
    """Measure the CPU seconds from the arrays of some sentences to their results, certificates included."""
    seconds = 0.0
    with console.progress(f"{title}, from arrays", len(sentences)) as advance:
        for arrays in sentences:
            start = time.thread_time()
            gl.solve(arrays.problem(), method, limits=limits, **(options or {}))
            seconds += time.thread_time() - start
            advance(1)
    return seconds


def certified_rate(
    problems: Sequence[ParsingProblem],
    method: str | None,
    console: Console,
    title: str,
    *,
    options: Mapping[str, Any] | None = None,
    limits: gl.Limits = gl.Limits(),  # noqa: B008  frozen
    out: RunFolder | None = None,
    key: str = "",
) -> float | None:
    """Measure words a second from arrays to certificates, on at most `MOST` sentences; None without sentences.

    Whatever ends a solve early, as a limit does, counts with the time that it took. A run folder `out` keeps the
    measurement of its first start under `key`.
    """

    def measure() -> float | None:
        some = list(problems[:: max(1, -(-len(problems) // MOST))])
        if not some:
            return None
        arrays = [SentenceArrays.of(problem) for problem in some]
        seconds = certified_seconds(arrays, method, console, title, options, limits)
        return sum(problem.length for problem in some) / max(seconds, SHORTEST)

    return measure() if out is None else out.timed(key, measure)
