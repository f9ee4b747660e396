"""Rounding frequency: the nodes of a tree search at which a rounding heuristic is called."""

from __future__ import annotations

from typing import Any

import numpy as np

from gapless.errors import InvalidProblem


def checked_frequency(value: Any) -> int:
    """Convert a rounding frequency to an integer; raises `InvalidProblem` if it is invalid."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise InvalidProblem(
            f"rounding_frequency is {value!r}, expected an integer: 1 for every node, n for every n-th, 0 for the "
            "root only"
        )
    return int(value)


def rounds_at(frequency: int, number: int) -> bool:
    """Return whether rounding is called at the node after `number` nodes."""
    return number % frequency == 0 if frequency else number == 0
