"""Arrays that grow at their end at a cost per number that does not depend on their size."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Growing:
    """A one-dimensional array in a buffer with room to spare.

    What was handed out earlier stays as it was: numbers are only added behind it.

    Parameters
    ----------
    dtype : type
    """

    __slots__ = ("_buffer", "array")

    def __init__(self, dtype: type) -> None:
        self._buffer: NDArray[Any] = np.zeros(64, dtype)
        self.array: NDArray[Any] = self._buffer[:0]

    def append(self, values: NDArray[Any]) -> NDArray[Any]:
        """Add numbers; return all."""
        first = self.array.size
        size = first + values.size
        if size > self._buffer.size:
            self._buffer = np.empty(2 * size, self._buffer.dtype)
            self._buffer[:first] = self.array
        self._buffer[first:size] = values
        self.array = self._buffer[:size]
        return self.array
