"""Weights that remember their average over time, at the cost of the changes alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class AveragedArray:
    """An array whose average over all steps is kept lazily.

    A change at step ``t`` is also added to a second array, times ``t``; after step ``T`` the average of the
    values that the array had after each of the steps ``1 .. T`` is
    ``values - delayed / T``, with `delayed` the sum of ``(t - 1) * change``.

    Source: Daumé, "Practical structured learning techniques for natural language processing" (2006),
    figure 2.3.

    Parameters
    ----------
    shape : tuple of int
        The array begins as zeros.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.values = np.zeros(shape)
        self._delayed = np.zeros(shape)

    def add(self, where: Any, change: float, step: int) -> None:
        """Add `change` at the places `where` (repeated ones count each time) in step `step`, from 1."""
        np.add.at(self.values, where, change)
        np.add.at(self._delayed, where, change * (step - 1))

    def average(self, steps: int) -> NDArray[np.float64]:
        """Return the average of the values after each of the first `steps` steps."""
        return self.values - self._delayed / steps
