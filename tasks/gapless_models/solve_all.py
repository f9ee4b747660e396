"""Solving for those who need every answer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import gapless as gl

S = TypeVar("S")


def solve_all(problems: Iterable[gl.Problem[S]], method: str | None, **how: Any) -> gl.BatchResult[S]:
    """The answers to all problems: a prediction or a figure of which a part is missing would be a wrong one.

    Arguments are those of `gapless.solve_many`.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C came; `gapless.solve_many` by itself returns what is finished.
    SolveError
        That of the first problem that failed.
    """
    found = gl.solve_many(problems, method, **how)
    if not found.reached:
        raise KeyboardInterrupt
    if found.errors:
        raise found.errors[min(found.errors)]
    return found
