"""Rows of a linear model, block by block."""

from __future__ import annotations

from typing import Any

import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.roles import Sparse

Entries = tuple[Any, Any, Any]
"""Rows within a block, columns and values: arrays that broadcast."""


class RowBlocks:
    """Blocks of sparse rows, one below the other."""

    def __init__(self) -> None:
        self._entries: list[tuple[IntArray, IntArray, FloatArray]] = []
        self._sides: list[tuple[FloatArray, FloatArray]] = []
        self.count = 0

    def add(self, rows: int, entries: list[Entries], lower: float, upper: float) -> None:
        """Add a block of `rows` rows with the same sides."""
        for row, column, value in entries:
            broadcast = np.broadcast_arrays(self.count + row, column, np.asarray(value, np.float64))
            placed, columns, values = map(np.ravel, broadcast)
            self._entries.append((placed, columns, values))
        self._sides.append((np.full(rows, lower), np.full(rows, upper)))
        self.count += rows

    def matrix(self) -> Sparse:
        """Return all rows."""
        row, column, value = (np.concatenate(parts) for parts in zip(*self._entries, strict=True))
        # Entries were added block by block, not row by row.
        order = np.argsort(row, kind="stable")
        return Sparse(np.searchsorted(row[order], np.arange(self.count + 1)), column[order], value[order])

    @property
    def lower(self) -> FloatArray:
        """Left sides, (rows,)."""
        return np.concatenate([side[0] for side in self._sides])

    @property
    def upper(self) -> FloatArray:
        """Right sides, (rows,)."""
        return np.concatenate([side[1] for side in self._sides])
