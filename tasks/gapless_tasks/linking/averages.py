"""Averages with their standard errors."""

from __future__ import annotations

import math
from collections.abc import Iterable

import attrs
import numpy as np


@attrs.frozen
class Average:
    """The mean of some numbers and its standard error; NaN where there are too few."""

    mean: float
    error: float
    count: int

    @classmethod
    def of(cls, values: Iterable[float]) -> Average:
        """Compute mean and error; the error is the sample's standard deviation over the root of its size."""
        array = np.array(list(values), float)
        mean = float(array.mean()) if array.size else math.nan
        error = float(array.std(ddof=1) / math.sqrt(array.size)) if array.size > 1 else math.nan
        return cls(mean, error, array.size)

    def shown(self, digits: int) -> str:
        """Format the value for a cell of a table."""
        if math.isnan(self.mean):
            return "-"
        error = "" if math.isnan(self.error) else f" ±{self.error:.{digits}f}"
        return f"{self.mean:.{digits}f}{error}"
