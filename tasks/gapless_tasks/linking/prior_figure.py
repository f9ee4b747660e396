"""The value against the prior's weight as a drawing, one panel for each corpus."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import attrs
import numpy as np

from gapless.svg import BLUE, GREEN, INK, RED, svg, text
from gapless_tasks.linking.averages import Average

TITLE = "Value against the prior's weight, training documents, solved exactly"
_LEFT, _RIGHT, _TOP, _HIGH, _PANEL = 60.0, 470.0, 70.0, 240.0, 340.0
_LETTER = 7.5
_COLOURS = (BLUE, RED, GREEN, "#ef6c00")
_TICK = 0.02


@attrs.frozen
class Line:
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


def draw_curves(panels: Mapping[str, Sequence[Line]]) -> str:
    """Value against weight as SVG, with standard errors, and a circle at the weight chosen.

    Weights are spaced evenly, 0 first.
    """
    width = _RIGHT + 70 + _LETTER * max(len(line.name) for lines in panels.values() for line in lines)

    def drawn() -> Iterator[str]:
        yield text(width / 2, 28, TITLE, INK, 15)
        for number, (corpus, lines) in enumerate(panels.items()):
            yield from _panel(corpus, lines, _TOP + number * _PANEL)

    return svg(width, _TOP + len(panels) * _PANEL, TITLE, drawn())


def _panel(corpus: str, lines: Sequence[Line], top: float) -> Iterator[str]:
    weights = [weight for weight, _ in lines[0].points]
    values = [average for line in lines for _, average in line.points]
    means, errors = np.array([one.mean for one in values]), np.nan_to_num([one.error for one in values])
    low, high = math.floor(np.min(means - errors) / _TICK), math.ceil(np.max(means + errors) / _TICK + 0.1)
    bottom = top + _HIGH

    def across(weight: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * weights.index(weight) / max(len(weights) - 1, 1)

    def up(value: float) -> float:
        return float(bottom - _HIGH * (value / _TICK - low) / (high - low))

    yield text(_LEFT, top - 14, corpus, INK, 13, anchor="start")
    yield f'<path d="M{_LEFT} {top}V{bottom}H{_RIGHT}" fill="none" stroke="{INK}"/>'
    for weight in weights:
        yield f'<path d="M{across(weight):.1f} {bottom}v5" stroke="{INK}"/>'
        yield text(across(weight), bottom + 19, f"{weight:g}", INK, 11)
    for tick in range(low, high + 1, math.ceil((high - low) / 10)):
        yield f'<path d="M{_LEFT} {up(tick * _TICK):.1f}h-5" stroke="{INK}"/>'
        yield text(_LEFT - 9, up(tick * _TICK) + 4, f"{tick * _TICK:.2f}", INK, 11, anchor="end")
    yield text((_LEFT + _RIGHT) / 2, bottom + 42, "weight, in units of mean distance", INK, 13)
    for number, line in enumerate(lines):
        colour = _COLOURS[number % len(_COLOURS)]
        dashed = ' stroke-dasharray="6 4"' if number % 2 else ""
        stroke = f'stroke="{colour}" stroke-width="2"{dashed}'
        places = {weight: (across(weight), up(average.mean)) for weight, average in line.points}
        joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in places.values())
        yield f'<polyline points="{joined}" fill="none" {stroke}/>'
        for weight, average in line.points:
            if np.isfinite(average.error):
                x, y = places[weight]
                half = up(0.0) - up(average.error)
                yield f'<path d="M{x:.1f} {y - half:.1f}v{2 * half:.1f}" stroke="{colour}" opacity="0.3"/>'
        x, y = places[line.chosen]
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="white" stroke="{colour}" stroke-width="2"/>'
        row = top + 22 * number + 10
        yield f'<path d="M{_RIGHT + 20} {row - 4}h22" {stroke}/>'
        yield text(_RIGHT + 48, row, line.name, INK, 12, anchor="start")
