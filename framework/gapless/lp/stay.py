"""Places in a linear program, of columns or rows that may leave it and come back."""

from __future__ import annotations

import numpy as np

from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.lp.growing import Growing

FEW = 4
"""One in so many leaves at once, at least: fewer deletions are not worth their factorisation."""


class Stay:
    """Places of things numbered 0, 1, ..., and for how long each was idle.

    Attributes
    ----------
    place : int64 (things,)
        Place of each in the program, -1 outside.
    outside : int
        Number of things outside.
    """

    def __init__(self) -> None:
        self._places, self._ages = Growing(np.int64), Growing(np.int64)
        self.place: IntArray = self._places.array
        self.outside = 0

    def add(self, count: int, first: int | None) -> None:
        """New things, at the places from `first` on, or outside."""
        if first is None:
            self.outside += count
        at = np.full(count, -1) if first is None else np.arange(first, first + count)
        self.place = self._places.append(at)
        self._ages.append(np.zeros(count, np.int64))

    def enter(self, things: IntArray, first: int) -> None:
        """Things outside enter, at the places from `first` on."""
        self.place[things] = np.arange(first, first + things.size)
        self._ages.array[things] = 0
        self.outside -= things.size

    def found(self, values: FloatArray) -> FloatArray:
        """The value of each thing, from values by place; 0 outside."""
        if not self.outside:
            return values.take(self.place)
        if self.outside == self.place.size:
            return np.zeros(self.outside)
        return np.append(values, 0.0)[self.place]

    def spend(self, idle: BoolArray) -> None:
        """One more solve, with these things idle."""
        ages = self._ages.array
        ages += 1
        ages[~idle] = 0

    def idle(self, solves: int) -> IntArray:
        """The things in the program that were idle in so many solves in a row."""
        return ((self._ages.array >= solves) & (self.place >= 0)).nonzero()[0]

    def follow(self, moved: IntArray) -> None:
        """The program has new places: `moved` gives them by old place, -1 where something left."""
        if self.place.size:
            self.place[:] = np.append(moved, -1)[self.place]
        self.outside = int((self.place < 0).sum())
