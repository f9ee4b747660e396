"""Measured numbers with their targets: a mark to reach, and a higher one to aim at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

Marks = tuple[float, float] | tuple[None, None]
"""The number to reach, and the number to aim at."""
UNJUDGED: Marks = (None, None)
FROM_ARRAYS, ALONE = "from arrays", "search alone"


@attrs.frozen
class Spread:
    """Median and range of one number over the rounds."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, values: NDArray[np.float64] | Sequence[float] | float) -> Spread:
        """Summarise one value per round, or a single number."""
        return cls(float(np.median(values)), float(np.min(values)), float(np.max(values)))

    def __str__(self) -> str:
        if self.least == self.most:
            return _short(self.median)
        return f"{_short(self.median)} ({_short(self.least)}-{_short(self.most)})"


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


@attrs.frozen
class BenchmarkLine:
    """One number with its marks.

    Parameters
    ----------
    what, scores : str
        The quantity, and the scores that it was measured on.
    caches : str
        ``cold``, ``warm``, or empty where it makes no difference.
    value : Spread or None
        None if it could not be measured.
    must, aim : float or None
        None: a number without marks.
    more : bool
        Whether more is better.
    """

    what: str
    scores: str
    caches: str
    value: Spread | None
    unit: str
    must: float | None
    aim: float | None
    more: bool

    @property
    def verdict(self) -> str:
        """``aim``, ``must`` or ``missed``; empty without marks or without a measurement."""
        if self.value is None or self.must is None or self.aim is None:
            return ""
        sign = 1 if self.more else -1
        if sign * self.value.median >= sign * self.aim:
            return "aim"
        return "must" if sign * self.value.median >= sign * self.must else "missed"

    def __str__(self) -> str:
        """Median and range with the unit."""
        return "not measured" if self.value is None else f"{self.value} {self.unit}".rstrip()


Value = Spread | float | NDArray[np.float64] | Sequence[float] | None


def line(
    what: str,
    scores: str,
    value: Value,
    unit: str,
    marks: Marks = UNJUDGED,
    *,
    more: bool = False,
    caches: str = "",
) -> BenchmarkLine:
    """Build the line of a number, or of one number per round, with its marks."""
    spread = value if value is None or isinstance(value, Spread) else Spread.of(value)
    must, aim = marks
    return BenchmarkLine(what, scores, caches, spread, unit, must, aim, more)


def both_ways(
    what: str, scores: str, values: Iterable[Value], unit: str, marks: Marks = UNJUDGED, *, more: bool = False
) -> Iterator[BenchmarkLine]:
    """Yield the line of a number measured from arrays, and the same of the search only."""
    for how, value in zip((FROM_ARRAYS, ALONE), values, strict=True):
        yield line(f"{what}, {how}", scores, value, unit, marks, more=more)
