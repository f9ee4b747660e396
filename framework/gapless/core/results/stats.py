"""Effort of a solve."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import attrs

from gapless.core.errors import InvalidResult
from gapless.core.serial import serialisable


@serialisable("gapless.Stats")
@attrs.frozen
class Stats:
    """Effort of a solve. ``dict(stats)`` holds all of it.

    Parameters
    ----------
    seconds : float
        Wall clock.
    nodes, iterations, oracle_calls, columns, rows : int
    parts_scored, parts_added, parts_total : int
        Scopes of conjunctive factors: scored, added to the optimisation, and in total.
    warm_start_used : bool
        Whether the `start` structure became the first incumbent.
    extra : dict
        Further plain numbers of one method.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> stats = gl.solve(problem, "column-generation").stats
    >>> stats.iterations >= 1, "seconds" in dict(stats)
    (True, True)
    """

    seconds: float = 0.0
    nodes: int = 0
    iterations: int = 0
    oracle_calls: int = 0
    columns: int = 0
    rows: int = 0
    parts_scored: int = 0
    parts_added: int = 0
    parts_total: int = 0
    warm_start_used: bool = False
    extra: dict[str, Any] = attrs.field(factory=dict)

    def __attrs_post_init__(self) -> None:
        for name in _NUMBERS:
            value = getattr(self, name)
            if not isinstance(value, Real) or not float(value) >= 0:
                raise InvalidResult(f"Stats: {name} is {value!r}, expected a number of 0 or more")

    def keys(self) -> Sequence[str]:
        """Names of the numbers, for ``dict(stats)``."""
        return [field.name for field in attrs.fields(Stats)]

    def __getitem__(self, name: str) -> Any:
        """The number with this name; `KeyError` when there is none."""
        if name not in self.keys():
            raise KeyError(name)
        return getattr(self, name)


_NUMBERS = [field.name for field in attrs.fields(Stats) if field.name not in ("warm_start_used", "extra")]
