"""Positions in a linear program of columns or rows that may leave it and re-enter."""

from __future__ import annotations

import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.column_generation.master.growing_array import GrowingArray

DELETION_SHARE = 4
"""Delete only if at least one column (or row) in so many leaves: fewer are not worth a new factorisation."""


class ProgramPositions:
    """Positions of entities (columns or rows) numbered 0, 1, ..., and how long each was idle.

    Attributes
    ----------
    position : int64 (entities,)
        Position of each in the program, -1 outside.
    outside : int
        Number of entities outside.
    """

    def __init__(self) -> None:
        self._positions, self._ages = GrowingArray(np.int64), GrowingArray(np.int64)
        self.position: IntArray = self._positions.array
        self.outside = 0

    def add(self, count: int, first: int | None) -> None:
        """Add new entities, at the positions from `first` on, or outside."""
        if first is None:
            self.outside += count
        new = np.full(count, -1) if first is None else np.arange(first, first + count)
        self.position = self._positions.append(new)
        self._ages.append(np.zeros(count, np.int64))

    def enter(self, entities: IntArray, first: int) -> None:
        """Let entities from outside enter, at the positions from `first` on."""
        self.position[entities] = np.arange(first, first + entities.size)
        self._ages.array[entities] = 0
        self.outside -= entities.size

    def by_entity(self, values: FloatArray) -> FloatArray:
        """Return the values by entity, from values by program position; 0 for entities outside."""
        if not self.outside:
            return values.take(self.position)
        if self.outside == self.position.size:
            return np.zeros(self.outside)
        # Position -1 reads the 0 at the end.
        return np.append(values, 0.0)[self.position]

    def age(self, idle: BoolArray) -> None:
        """Count one more solve, in which these entities were idle."""
        ages = self._ages.array
        ages += 1
        ages[~idle] = 0

    def idle(self, solves: int) -> IntArray:
        """List the entities in the program that were idle in so many consecutive solves."""
        return ((self._ages.array >= solves) & (self.position >= 0)).nonzero()[0]

    def renumber(self, moved: IntArray) -> None:
        """Apply the program's new positions: `moved` gives them by old position, -1 for deleted entities."""
        if self.position.size:
            self.position[:] = np.append(moved, -1)[self.position]
        self.outside = int((self.position < 0).sum())
