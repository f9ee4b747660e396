"""Request to a method: the arguments of `gapless.solve`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from gapless.limits.limits import SolveBudget


@attrs.define
class SolveRequest:
    """Arguments of `gapless.solve`, except the method's own options.

    Parameters
    ----------
    budget : SolveBudget
        Limits, observers and trace.
    k : int
    start : sequence
        Structures to start from.
    seed : int
    method : str
        Name for the result.
    first : int
        For `Method.run_many`: number of the first problem in messages, if other chunks are solved elsewhere.
    every_result : bool
        For `Method.run_many`: if True, every `Result` will be read, so that a method that would solve again to make
        one should store them.

    Examples
    --------
    >>> from gapless.roles import SolveRequest
    >>> SolveRequest(k=3).k
    3
    """

    budget: SolveBudget = attrs.field(factory=SolveBudget)
    k: int = 1
    start: Sequence[Any] = ()
    seed: int = 0
    method: str = ""
    first: int = 0
    every_result: bool = False
