"""Figure 2 drawn: one SVG file, or a page with the drawing and its numbers; nothing is loaded from elsewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gapless as gl
from gapless.core.serial import write_aside
from gapless_tasks.tagging.regularisation import METHODS, PAPER, Point

try:
    import jinja2
except ImportError:  # the extra `report` brings it
    jinja2 = None  # type: ignore[assignment]

SUFFIXES = (".svg", ".html")
_LEFT, _RIGHT, _TOP, _BOTTOM = 80, 550, 45, 340
_COLOURS = ("#b3261e", "#1f5fa8", "#2e7d32")
_TICKS = 4


def check_figure(path: str) -> None:
    """Refuse a path that `write_figure` would refuse.

    Raises
    ------
    InvalidProblem
        The suffix is neither .svg nor .html.
    MissingDependency
        jinja2 is not installed.
    """
    if Path(path).suffix not in SUFFIXES:
        raise gl.InvalidProblem(f"--figure {path}: the name must end in {' or '.join(SUFFIXES)}")
    if jinja2 is None:
        raise gl.MissingDependency("--figure needs jinja2: pip install 'gapless[report]'")


def write_figure(points: Sequence[Point], corpus: str, path: str) -> None:
    """Draw accuracy and speeds over the penalty; the file is written whole or not at all.

    Parameters
    ----------
    points : sequence of Point
        Two or more, penalties ascending.
    corpus : str
        For the title.
    path : str
        See `check_figure`.
    """
    check_figure(path)
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("gapless_tasks.tagging", "data"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
    )
    name = f"figure2{Path(path).suffix}.jinja"
    write_aside(Path(path), environment.get_template(name).render(_drawing(points, corpus)))


def _drawing(points: Sequence[Point], corpus: str) -> dict[str, Any]:
    penalties = [math.log(point.transition_l2) for point in points]
    accuracies = [100 * point.accuracy for point in points]
    speeds = [[point.speeds[method] for point in points] for method in METHODS]
    across = [_place(x, min(penalties), max(penalties), _LEFT + 20, _RIGHT - 20) for x in penalties]
    low, high = _span(accuracies)
    fastest = 1.05 * max(map(max, speeds))

    def line(name: str, colour: str, values: Sequence[float], bottom: float, top: float) -> dict[str, str]:
        heights = [_place(value, bottom, top, _BOTTOM, _TOP) for value in values]
        where = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(across, heights, strict=True))
        return {"name": name, "colour": colour, "points": where}

    def ticks(bottom: float, top: float, form: str) -> list[dict[str, Any]]:
        marks = [bottom + (top - bottom) * i / _TICKS for i in range(_TICKS + 1)]
        return [{"at": round(_place(v, bottom, top, _BOTTOM, _TOP), 1), "text": format(v, form)} for v in marks]

    return {
        "title": f"Penalty on transitions, accuracy and speed ({corpus})",
        "source": PAPER,
        "left": _LEFT,
        "right": _RIGHT,
        "top": _TOP,
        "bottom": _BOTTOM,
        "penalties": [
            {"at": round(x, 1), "text": f"{p.transition_l2:g}"} for x, p in zip(across, points, strict=True)
        ],
        "accuracies": ticks(low, high, ".1f"),
        "speeds": ticks(0.0, fastest, ",.0f"),
        "accuracy": line("accuracy", _COLOURS[0], accuracies, low, high),
        "curves": [
            line(f"{method}, sentences/s", colour, values, 0.0, fastest)
            for method, colour, values in zip(METHODS, _COLOURS[1:], speeds, strict=True)
        ],
        "rows": [
            [f"{p.transition_l2:g}", f"{100 * p.accuracy:.2f}", *(f"{p.speeds[m]:,.0f}" for m in METHODS)]
            for p in points
        ],
    }


def _span(values: Sequence[float]) -> tuple[float, float]:
    """A little more than the values' range, never empty."""
    room = max(0.1 * (max(values) - min(values)), 0.1)
    return min(values) - room, max(values) + room


def _place(value: float, low: float, high: float, start: float, end: float) -> float:
    share = (value - low) / (high - low) if high > low else 0.5
    return start + share * (end - start)
