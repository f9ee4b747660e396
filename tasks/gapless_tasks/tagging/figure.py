"""Figure 2 drawn: one SVG file, or a page with the drawing and its numbers; nothing is loaded from elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

import attrs

import gapless as gl
from gapless.arrays.serial import write_aside
from gapless.svg import BLUE, GREEN, INK, RED, svg, text
from gapless_tasks.plot import Axes
from gapless_tasks.tagging.regularisation import METHODS, PAPER, Point

SUFFIXES = (".svg", ".html")
TITLE = "Penalty on transitions, accuracy and speed"
_TICKS = 4


def check_figure(path: str) -> None:
    """Refuse a path that `write_figure` would refuse.

    Raises
    ------
    InvalidProblem
        The suffix is neither .svg nor .html.
    """
    if Path(path).suffix not in SUFFIXES:
        raise gl.InvalidProblem(f"--figure {path}: the name must end in {' or '.join(SUFFIXES)}")


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
    title = f"{TITLE} ({corpus})"
    drawing = svg(640, 400, title, _drawn(points, title))
    if Path(path).suffix == ".html":
        drawing = "".join(_page(points, title, drawing))
    write_aside(Path(path), drawing)


def _drawn(points: Sequence[Point], title: str) -> Iterator[str]:
    penalties = [math.log(point.transition_l2) for point in points]
    accuracies = [100 * point.accuracy for point in points]
    room = max(0.1 * (max(accuracies) - min(accuracies)), 0.1)
    wide = (penalties[-1] - penalties[0]) / 20
    across = penalties[0] - wide, penalties[-1] + wide
    fastest = 1.05 * max(point.speeds[method] for point in points for method in METHODS)
    axes = Axes(80, 550, 45, 340, across, (min(accuracies) - room, max(accuracies) + room))
    speeds = attrs.evolve(axes, y=(0.0, fastest))

    def ticks(span: tuple[float, float], form: str) -> list[tuple[float, str]]:
        low, high = span
        values = [low + (high - low) * i / _TICKS for i in range(_TICKS + 1)]
        return [(value, format(value, form)) for value in values]

    yield text(320, 24, title, INK, 15)
    labels = [(x, f"{point.transition_l2:g}") for x, point in zip(penalties, points, strict=True)]
    yield from axes.frame(labels, ticks(axes.y, ".1f"), RED)
    yield f'<path d="M{axes.right} {axes.bottom}V{axes.top}" fill="none" stroke="{INK}"/>'
    for value, label in ticks(speeds.y, ",.0f"):
        _, y = speeds.place(0.0, value)
        yield f'<path d="M{axes.right} {y:.1f}h5" stroke="{INK}"/>'
        yield text(axes.right + 8, y + 4, label, INK, 11, anchor="start")
    lines = [
        ("accuracy", RED, axes, accuracies),
        *(
            (f"{method}, sentences/s", colour, speeds, [point.speeds[method] for point in points])
            for method, colour in zip(METHODS, (BLUE, GREEN), strict=True)
        ),
    ]
    for row, (name, colour, scale, values) in enumerate(lines):
        yield scale.line(zip(penalties, values, strict=True), colour, dashed=scale is speeds)
        height = axes.bottom - 12 - 18 * (len(lines) - 1 - row)
        yield text(axes.left + 12, height, name, colour, 13, anchor="start")
    yield text((axes.left + axes.right) / 2, axes.bottom + 42, "L2 penalty on transitions", INK, 13)
    middle = (axes.top + axes.bottom) / 2
    for x, words, colour in ((16, "accuracy, %", RED), (630, "sentences a second", INK)):
        yield f'<g transform="rotate(-90 {x} {middle})">{text(x, middle, words, colour, 13)}</g>'


def _page(points: Sequence[Point], title: str, drawing: str) -> Iterator[str]:
    def row(cells: Iterable[str], tag: str) -> str:
        return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>\n"

    yield f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{escape(title)}</title></head>\n'
    yield f"<body>\n{drawing}<table>\n"
    yield row(["penalty", "accuracy, %", *(f"{method}, sentences/s" for method in METHODS)], "th")
    for p in points:
        numbers = f"{p.transition_l2:g}", f"{100 * p.accuracy:.2f}", *(f"{p.speeds[m]:,.0f}" for m in METHODS)
        yield row(numbers, "td")
    yield f"</table>\n<p>{escape(PAPER)}</p>\n</body>\n</html>\n"
