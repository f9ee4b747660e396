"""Resident memory of this process while it decodes on and on."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from gapless.cli import Console
from gapless_dependency import ParsingProblem

_STATM = Path("/proc/self/statm")


def has_statm() -> bool:
    """Return whether the system tells how much memory a process holds."""
    return _STATM.exists()


def resident_megabytes() -> float:
    """Measure the memory of this process, after a garbage collection."""
    gc.collect()
    pages = int(_STATM.read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def growth(
    fresh: Sequence[Callable[[], ParsingProblem]],
    solve: Callable[[ParsingProblem], object],
    count: int,
    console: Console,
    title: str,
) -> float:
    """Measure megabytes more after `count` sentences than before.

    Every sentence is scored anew, so that problems are among what must not stay. All of them are decoded once
    before, at most `count`: allocators keep what the longest one needed.

    Parameters
    ----------
    fresh : sequence of callable
        Each makes the problem of one sentence; they are repeated as often as needed.
    """
    warm = fresh[:count]
    before = 0.0
    with console.progress(title, len(warm) + count) as advance:
        for number in range(len(warm) + count):
            if number == len(warm):
                before = resident_megabytes()
            solve(fresh[number % len(warm)]())
            advance(1)
        return resident_megabytes() - before
