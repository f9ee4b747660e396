"""The value against the prior's weight as a drawing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from gapless_tasks.entity_linking.averages import Average
from gapless_tasks.svg import BLUE, GREEN, GREY, INK, RED, svg, text

_LEFT, _RIGHT, _TOP, _HIGH = 60.0, 470.0, 60.0, 300.0
_LETTER = 7.5
_COLOURS = (BLUE, RED, GREEN, "#8e24aa", "#ef6c00", "#00838f", "#6d4c41", GREY)

Points = Sequence[tuple[float, Average]]


def draw_curves(curves: Sequence[tuple[str, float, Points]]) -> str:
    """Value against weight: a line with its standard errors for each curve, a circle at the weight chosen.

    Parameters
    ----------
    curves : sequence of (str, float, points)
        What it is, the weight chosen, and the average value at each weight. Weights are spaced evenly, 0 first.
    """
    weights = sorted({weight for _, _, points in curves for weight, _ in points})
    means = np.array([average.mean for _, _, points in curves for _, average in points])
    low, high = math.floor(10 * np.nanmin(means)) / 10, math.ceil(10 * np.nanmax(means)) / 10
    bottom = _TOP + _HIGH
    width = _RIGHT + 70 + _LETTER * max(len(name) for name, _, _ in curves)
    height = max(bottom + 60, _TOP + 22 * len(curves) + 40)

    def across(weight: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * weights.index(weight) / max(len(weights) - 1, 1)

    def up(value: float) -> float:
        return float(bottom - _HIGH * (value - low) / max(high - low, 0.1))

    def drawn() -> Iterator[str]:
        yield text(width / 2, 28, "Value against the prior's weight, training documents, solved exactly", INK, 15)
        yield f'<path d="M{_LEFT} {_TOP}V{bottom}H{_RIGHT}" fill="none" stroke="{INK}"/>'
        for weight in weights:
            yield f'<path d="M{across(weight):.1f} {bottom}v5" stroke="{INK}"/>'
            yield text(across(weight), bottom + 19, f"{weight:g}", INK, 11)
        for value in np.arange(low, high + 0.05, 0.1).tolist():
            yield f'<path d="M{_LEFT} {up(value):.1f}h-5" stroke="{INK}"/>'
            yield text(_LEFT - 9, up(value) + 4, f"{value:.1f}", INK, 11, anchor="end")
        yield text((_LEFT + _RIGHT) / 2, bottom + 42, "weight, in units of mean distance", INK, 13)
        for number, (name, chosen, points) in enumerate(curves):
            colour = _COLOURS[number % len(_COLOURS)]
            places = [(across(w), up(a.mean), a) for w, a in points]
            line = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in places)
            yield f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>'
            for x, y, average in places:
                if np.isfinite(average.error):
                    half = up(0.0) - up(average.error)
                    yield f'<path d="M{x:.1f} {y - half:.1f}v{2 * half:.1f}" stroke="{colour}" opacity="0.4"/>'
            x, y, _ = places[[w for w, _ in points].index(chosen)]
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="white" stroke="{colour}" stroke-width="2"/>'
            row = _TOP + 22 * number + 10
            yield f'<path d="M{_RIGHT + 20} {row - 4}h22" stroke="{colour}" stroke-width="2"/>'
            yield text(_RIGHT + 48, row, name, INK, 12, anchor="start")

    return svg(width, height, "Value against the prior's weight", drawn())
