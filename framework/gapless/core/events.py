"""What happens during a solve, as data. Observers receive it; the solver never prints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs


@attrs.frozen
class Event:
    """One thing that happened.

    Parameters
    ----------
    kind : str
        ``"start"``, ``"node"``, ``"round"``, ``"step"``, ``"incumbent"``, ``"fixing"``, ``"branch"`` or ``"stop"``.
    time : float
        Seconds since the solve began.
    bound, value : float
        Best proved bound and best known score so far; scores are maximised, so a minimising problem shows
        its negated values here.
    details : dict
        Plain numbers and strings that belong to the kind (node, depth, columns, rows, ...).
    """

    kind: str
    time: float
    bound: float
    value: float
    details: dict[str, Any] = attrs.field(factory=dict)


Observer = Callable[[Event], None]
