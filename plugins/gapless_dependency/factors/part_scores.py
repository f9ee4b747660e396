"""Scores of parts: a dense array over word positions, or a callable that scores the parts it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gapless import InvalidProblem
from gapless.core.sparse import FloatArray, IntArray

Scorer = Callable[..., Any]


class PartScores:
    """``lookup(a, b, c)`` for arrays of word positions, from an array (n + 1, ...) or a callable.

    Parameters
    ----------
    name : str
        What messages call the scores.
    given : array-like of `order` dimensions, or callable
        A callable gets `order` int64 arrays (m,) and returns scores (m,).
    order : int
        How many positions make a part.
    """

    def __init__(self, name: str, given: Any, order: int) -> None:
        self.name, self.order = name, order
        self.given: Scorer | FloatArray
        if callable(given):
            self.given = given
            return
        array = np.asarray(given, np.float64)
        if array.ndim != order or len(set(array.shape)) > 1:
            raise InvalidProblem(
                f"{name}: scores have shape {array.shape}, expected {order} axes of n + 1 positions each"
            )
        self.given = array

    def check_length(self, length: int) -> None:
        """Raise `InvalidProblem` when a dense array is for sentences of another length."""
        if isinstance(self.given, np.ndarray) and self.given.shape[0] != length + 1:
            raise InvalidProblem(
                f"{self.name}: scores have shape {self.given.shape}, expected {length + 1} on each axis "
                f"because the sentence has {length} words"
            )

    def lookup(self, *positions: IntArray) -> FloatArray:
        """Scores of parts, one position array for each axis."""
        if isinstance(self.given, np.ndarray):
            return self.given[positions]
        return np.asarray(self.given(*positions), np.float64)
