"""The value against the prior's weight as a drawing, one panel for each corpus."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import attrs
import numpy as np

from gapless.svg import BLUE, GREEN, INK, RED, svg, text
from gapless_tasks.linking.averages import Average
from gapless_tasks.plot import Axes

TITLE = "Value against the prior's weight, training documents, solved exactly"
_LEFT, _RIGHT, _TOP, _HIGH, _PANEL = 60.0, 470.0, 70.0, 240.0, 340.0
_LETTER = 7.5
_COLOURS = (BLUE, RED, GREEN, "#ef6c00")
_TICK = 0.02


@attrs.frozen
class FigureLine:
    """One line of a panel.

    Parameters
    ----------
    chosen : float
        The weight that is chosen.
    points : sequence of (float, Average)
        Weights, the same in all lines, and the value at each.
    """

    name: str
    chosen: float
    points: Sequence[tuple[float, Average]]


def draw_curves(panels: Mapping[str, Sequence[FigureLine]]) -> str:
    """Draw value against weight as SVG, with standard errors, and a circle at the weight chosen.

    Weights are spaced evenly, 0 first.
    """
    width = _RIGHT + 70 + _LETTER * max(len(line.name) for lines in panels.values() for line in lines)

    def drawn() -> Iterator[str]:
        yield text(width / 2, 28, TITLE, INK, 15)
        for number, (corpus, lines) in enumerate(panels.items()):
            yield from _panel(corpus, lines, _TOP + number * _PANEL)

    return svg(width, _TOP + len(panels) * _PANEL, TITLE, drawn())


def _panel(corpus: str, lines: Sequence[FigureLine], top: float) -> Iterator[str]:
    number = {weight: float(index) for index, (weight, _) in enumerate(lines[0].points)}
    values = [average for line in lines for _, average in line.points]
    means, errors = np.array([value.mean for value in values]), np.nan_to_num([value.error for value in values])
    low, high = math.floor(np.min(means - errors) / _TICK), math.ceil(np.max(means + errors) / _TICK + 0.1)
    span = (0.0, max(len(number) - 1.0, 1.0)), (low * _TICK, high * _TICK)
    axes = Axes(_LEFT, _RIGHT, top, top + _HIGH, *span)
    ticks = [(tick * _TICK, f"{tick * _TICK:.2f}") for tick in range(low, high + 1, math.ceil((high - low) / 10))]
    yield text(_LEFT, top - 14, corpus, INK, 13, anchor="start")
    yield from axes.frame([(index, f"{weight:g}") for weight, index in number.items()], ticks)
    yield text((_LEFT + _RIGHT) / 2, axes.bottom + 42, "weight, in units of mean distance", INK, 13)
    for row, line in enumerate(lines):
        colour, dashed = _COLOURS[row % len(_COLOURS)], bool(row % 2)
        yield axes.line([(number[weight], average.mean) for weight, average in line.points], colour, dashed=dashed)
        for weight, average in line.points:
            if np.isfinite(average.error):
                (x, y), (_, lowest) = (axes.place(number[weight], average.mean - e) for e in (0.0, average.error))
                yield f'<path d="M{x:.1f} {2 * y - lowest:.1f}V{lowest:.1f}" stroke="{colour}" opacity="0.3"/>'
        yield axes.dot(number[line.chosen], dict(line.points)[line.chosen].mean, colour, hollow=True)
        height = top + 22 * row + 10
        dashes = ' stroke-dasharray="6 4"' if dashed else ""
        yield f'<path d="M{_RIGHT + 20} {height - 4}h22" stroke="{colour}" stroke-width="2"{dashes}/>'
        yield text(_RIGHT + 48, height, line.name, INK, 12, anchor="start")
