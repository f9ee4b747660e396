"""Arrays that grow at their end in amortised constant time per number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class GrowingArray:
    """A one-dimensional array in a buffer with spare capacity.

    Arrays returned earlier stay as they were: numbers are only added behind them.

    Parameters
    ----------
    dtype : type
    """

    __slots__ = ("_buffer", "array")

    def __init__(self, dtype: type) -> None:
        self._buffer: NDArray[Any] = np.zeros(64, dtype)
        self.array: NDArray[Any] = self._buffer[:0]

    def append(self, values: NDArray[Any]) -> NDArray[Any]:
        """Add numbers; return all numbers."""
        first = self.array.size
        size = first + values.size
        if size > self._buffer.size:
            # A new buffer instead of `resize`: views of the old one may be in use. Doubling makes appends
            # amortised O(1).
            self._buffer = np.empty(2 * size, self._buffer.dtype)
            self._buffer[:first] = self.array
        self._buffer[first:size] = values
        self.array = self._buffer[:size]
        return self.array
