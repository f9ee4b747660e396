"""One call of a method: the arguments of `gapless.solve`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from gapless.core.limits import Budget


@attrs.define
class Solve:
    """One call of a method: everything that `gapless.solve` was given, except the method's own options.

    Parameters
    ----------
    budget : Budget
        Limits, observers and trace.
    k : int
    start : sequence
        Structures to begin with.
    seed : int
    method : str
        The name to write into the result.
    first : int
        For `Method.run_many`: the number that messages give to the first problem, when others are solved elsewhere.
    every_result : bool
        For `Method.run_many`: every `Result` will be asked for, so a method that would solve again to make one
        keeps them.

    Examples
    --------
    >>> from gapless.roles import Solve
    >>> Solve(k=3).k
    3
    """

    budget: Budget = attrs.field(factory=Budget)
    k: int = 1
    start: Sequence[Any] = ()
    seed: int = 0
    method: str = ""
    first: int = 0
    every_result: bool = False
