"""Scores of parts: a dense array over word positions, or a callable that scores the parts it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gapless import InvalidProblem
from gapless.core.sparse import FloatArray, IntArray
from gapless_dependency.factors.part_table import PartTable

Scorer = Callable[..., Any]


class PartScores:
    """``lookup(a, b, c)`` for arrays of word positions, from an array (n + 1, ...) or a callable.

    Parameters
    ----------
    name : str
        What messages call the scores.
    given : array-like with one axis for each place of `places`, or callable
        A callable gets as many int64 arrays (m,) and returns scores (m,).
    places : sequence of str
        What messages call the positions that make a part.
    """

    def __init__(self, name: str, given: Any, places: str) -> None:
        self.name, self.places = name, tuple(places)
        self.given: Scorer | FloatArray
        if callable(given):
            self.given = given
            return
        if isinstance(given, np.ma.MaskedArray):
            raise InvalidProblem(f"{name}: scores are a masked array; fill with -inf what is forbidden")
        order = len(self.places)
        try:
            array = np.array(given, np.float64)  # a copy: whoever gave it may change it
        except (TypeError, ValueError) as error:
            raise InvalidProblem(f"{name}: scores are not an array of numbers: {error}") from error
        if array.ndim != order or len(set(array.shape)) > 1:
            raise InvalidProblem(
                f"{name}: scores have shape {array.shape}, expected {order} axes of n + 1 positions each"
            )
        array.flags.writeable = False
        self.given = array

    def check_length(self, length: int) -> None:
        """Raise `InvalidProblem` when a dense array is for sentences of another length."""
        if isinstance(self.given, np.ndarray) and self.given.shape[0] != length + 1:
            raise InvalidProblem(
                f"{self.name}: scores have shape {self.given.shape}, expected {length + 1} on each axis "
                f"because the sentence has {length} words"
            )

    def lookup(self, *positions: IntArray) -> FloatArray:
        """Scores of parts, one position array for each axis.

        Raises
        ------
        InvalidProblem
            Another number of scores than parts, or NaN or plus infinity, naming the part.
        """
        if isinstance(self.given, np.ndarray):
            scores: FloatArray = self.given[positions]
        else:
            scores = np.asarray(self.given(*positions), np.float64)
            if scores.shape != positions[0].shape:
                raise InvalidProblem(
                    f"{self.name}: scores of {positions[0].size} parts came with shape {scores.shape}, "
                    f"expected {positions[0].shape}"
                )
        # One pass in the good case: a maximum is NaN when anything is.
        if scores.size and not scores.max() < np.inf:
            bad = int(np.flatnonzero(np.isnan(scores) | (scores == np.inf))[0])
            part = ", ".join(f"{p} = {int(a[bad])}" for p, a in zip(self.places, positions, strict=True))
            raise InvalidProblem(f"{self.name}: the score of {part} is {scores[bad]}; expected a number or -inf")
        return scores

    def tabulated(self, *positions: IntArray) -> FloatArray | PartTable:
        """What JSON can hold: the array, or the scores of these parts when a callable gives them."""
        if isinstance(self.given, np.ndarray):
            return self.given
        return PartTable(np.stack(positions, axis=1), self.lookup(*positions))
