"""Effort of a solve."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import attrs

from gapless.arrays.serial import serialisable
from gapless.errors import InvalidResult


@serialisable("gapless.Stats")
@attrs.frozen
class Stats:
    """Effort of a solve; ``dict(stats)`` converts it.

    Parameters
    ----------
    seconds : float
        Wall clock.
    nodes, iterations, oracle_calls, columns, rows : int
    scopes_scored, scopes_added, scopes_total : int
        Scopes of conjunctive factors: scored, added to the optimisation, and in total.
    warm_start_used : bool
        Whether the `start` structure became the first incumbent.
    extra : dict
        Further numbers of the method.

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
    scopes_scored: int = 0
    scopes_added: int = 0
    scopes_total: int = 0
    warm_start_used: bool = False
    extra: dict[str, Any] = attrs.field(factory=dict)

    def __attrs_post_init__(self) -> None:
        for name in _NUMBERS:
            value = getattr(self, name)
            if not isinstance(value, Real) or not float(value) >= 0:
                raise InvalidResult(f"Stats: {name} is {value!r}, expected a number of 0 or more")

    def keys(self) -> Sequence[str]:
        """Return the names of the fields, for ``dict(stats)``."""
        return [field.name for field in attrs.fields(Stats)]

    def __getitem__(self, name: str) -> Any:
        """Return the field with this name; raise `KeyError` if there is none."""
        # Only fields: `getattr` alone would also return methods.
        if name not in self.keys():
            raise KeyError(name)
        return getattr(self, name)


_NUMBERS = [field.name for field in attrs.fields(Stats) if field.name not in ("warm_start_used", "extra")]
