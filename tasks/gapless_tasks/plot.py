"""Axes, ticks, lines and dots of figures that are drawn as SVG, and bars for terminals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import attrs

from gapless.cli import Console
from gapless.svg import INK, text


def show_bars(bars: Sequence[tuple[str, str]], console: Console) -> None:
    """Print bars, each behind its name, if standard output is a terminal."""
    if console.as_json or not console.out.isatty():
        return
    width = max((len(name) for name, _ in bars), default=0)
    for name, bar in bars:
        console.info(f"{name.rjust(width)}  {bar}".rstrip())


Points = Iterable[tuple[float, float]]
"""Data (x, y)."""
Ticks = Iterable[tuple[float, str]]
"""Places on an axis, and their labels."""


@attrs.frozen
class Axes:
    """Data on a rectangle of a drawing.

    Parameters
    ----------
    left, right, top, bottom : float
        Of the rectangle, in pixels.
    x, y : (float, float)
        The data at its ends: left and right, bottom and top.
    """

    left: float
    right: float
    top: float
    bottom: float
    x: tuple[float, float]
    y: tuple[float, float]

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return the pixel of a point of the data; the middle where all data are the same."""
        (first, last), (low, high) = self.x, self.y
        across = (x - first) / (last - first) if last > first else 0.5
        up = (y - low) / (high - low) if high > low else 0.5
        return self.left + (self.right - self.left) * across, self.bottom - (self.bottom - self.top) * up

    def frame(self, across: Ticks, up: Ticks, colour: str = INK) -> Iterator[str]:
        """Draw both axes with their ticks; `colour` is that of the labels on the left."""
        yield f'<path d="M{self.left} {self.top}V{self.bottom}H{self.right}" fill="none" stroke="{INK}"/>'
        for value, label in across:
            x, _ = self.place(value, self.y[0])
            yield f'<path d="M{x:.1f} {self.bottom}v5" stroke="{INK}"/>'
            yield text(x, self.bottom + 19, label, INK, 11)
        for value, label in up:
            _, y = self.place(self.x[0], value)
            yield f'<path d="M{self.left} {y:.1f}h-5" stroke="{INK}"/>'
            yield text(self.left - 9, y + 4, label, colour, 11, anchor="end")

    def line(self, points: Points, colour: str, *, dashed: bool = False, width: int = 2) -> str:
        """Draw a line through points."""
        where = " ".join("{:.1f},{:.1f}".format(*self.place(x, y)) for x, y in points)
        dashes = ' stroke-dasharray="6 4"' if dashed else ""
        return f'<polyline points="{where}" fill="none" stroke="{colour}" stroke-width="{width}"{dashes}/>'

    def dot(self, x: float, y: float, colour: str, *, hollow: bool = False) -> str:
        """Draw a circle at a point."""
        across, down = self.place(x, y)
        filled = f'fill="white" stroke="{colour}" stroke-width="2"' if hollow else f'fill="{colour}"'
        return f'<circle cx="{across:.1f}" cy="{down:.1f}" r="5" {filled}/>'
