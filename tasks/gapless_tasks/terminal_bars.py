"""Bars of block characters, for terminals: files, pipes and pages have numbers and drawings."""

from __future__ import annotations

from collections.abc import Sequence

from gapless.cli import Console


def show_bars(bars: Sequence[tuple[str, str]], console: Console) -> None:
    """Print bars, each behind its name, if standard output is a terminal."""
    if console.as_json or not console.out.isatty():
        return
    width = max((len(name) for name, _ in bars), default=0)
    for name, bar in bars:
        console.info(f"{name.rjust(width)}  {bar}".rstrip())
