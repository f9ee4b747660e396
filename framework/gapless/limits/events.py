"""Events of a solve, as data. Observers receive them; the solver never prints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

from gapless.sense import Sense

SCORED = ("node_bound", "restricted", "attained")
"""Details that are scores: the bound of the node, that of the restricted master, and the score of its solution."""


@attrs.frozen
class Event:
    """One event of a solve.

    Parameters
    ----------
    kind : str
        ``"start"``, ``"node"``, ``"round"``, ``"step"``, ``"incumbent"``, ``"fixing"``, ``"branch"`` or ``"stop"``.
    time : float
        Seconds since the solve began.
    bound, value : float
        Best proved bound and best known value so far, in the problem's own sense.
    details : dict
        Plain numbers and strings specific to the kind (node, depth, columns, rows, ...). Those of `SCORED` are
        also in the problem's own sense.
    sense : Sense
        Sense of the problem. Traces stored before this field existed hold scores, which are maximised.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> seen = []
    >>> result = gl.solve(problem, "column-generation", observers=[seen.append])
    >>> seen[-1].kind, seen[-1].bound
    ('round', 2.0)
    """

    kind: str
    time: float
    bound: float
    value: float
    details: dict[str, Any] = attrs.field(factory=dict)
    sense: Sense = Sense.MAXIMISE

    @classmethod
    def of_scores(
        cls, kind: str, time: float, bound: float, value: float, details: dict[str, Any], sense: Sense
    ) -> Event:
        """Make the event of an engine, which maximises scores, in the problem's own sense."""
        if sense is Sense.MINIMISE:
            details = {name: sense.turn(detail) if name in SCORED else detail for name, detail in details.items()}
        return cls(kind, time, sense.turn(bound), sense.turn(value), details, sense)


Observer = Callable[[Event], None]
