"""Solving for those who need every answer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import gapless as gl

S = TypeVar("S")


def solve_all(problems: Iterable[gl.Problem[S]], method: str | None, **how: Any) -> gl.BatchResult[S]:
    """Solve all problems, and raise if one fails: predictions that lack an answer would be wrong.

    Arguments are those of `gapless.solve_many`.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C came; `gapless.solve_many` by itself returns what is finished.
    SolveError
        That of the first problem that failed.
    """
    batch = gl.solve_many(problems, method, **how)
    if not batch.is_complete:
        raise KeyboardInterrupt
    if batch.errors:
        raise batch.errors[min(batch.errors)]
    return batch
