"""Figures of something measured against the length of sentences: in the terminal, and on a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from itertools import cycle
from pathlib import Path
from typing import Any

import attrs

import gapless as gl
from gapless.arrays.serial import write_aside
from gapless.cli import Console
from gapless_tasks.parsing.decoding import GROUP
from gapless_tasks.plot import show_bars

_BARS = " ▁▂▃▄▅▆▇█"
_IN_A_ROW = 2
_HEIGHT = 500
"""Of a row, in pixels."""
_COLOURS = ("#b3261e", "#e08a00", "#1f5fa8", "#2e7d32", "#333333")


@attrs.frozen
class Point:
    """A mean over the sentences of about one length.

    Parameters
    ----------
    value : float or None
        None without a count.
    """

    value: float | None
    sentences: int


@attrs.frozen
class Figure:
    """One figure.

    Parameters
    ----------
    key : str
        Its name in JSON data.
    axis : str
        The quantity on the y axis.
    curves : mapping of str to mapping of int to Point
        By the name of the curve and the largest number of words of a group of sentences.
    """

    key: str
    title: str
    axis: str
    curves: Mapping[str, Mapping[int, Point]]


def can_draw() -> bool:
    """Return whether plotly is installed."""
    return find_spec("plotly") is not None


def sparkline(values: Sequence[float | None]) -> str:
    """Draw one character for each value, a blank for None; the highest is as high as a line."""
    highest = max((value for value in values if value is not None), default=0.0)
    if highest <= 0:
        return " " * len(values)
    last = len(_BARS) - 1
    return "".join(_BARS[0] if value is None else _BARS[max(1, round(last * value / highest))] for value in values)


def show_figures(figures: Sequence[Figure], console: Console) -> dict[str, Any]:
    """Print figures as tables, on a terminal with bars; return them as JSON data."""
    document: dict[str, Any] = {}
    for figure in figures:
        lengths = sorted({length for points in figure.curves.values() for length in points})
        rows, bars = [], []
        document[figure.key] = {}
        for name, points in figure.curves.items():
            known = {length: point.value for length, point in points.items()}
            values = [known.get(length) for length in lengths]
            document[figure.key][name] = {str(length): value for length, value in known.items()}
            cells = ["" if value is None else float(f"{value:.3g}") for value in values]
            rows.append((name, *cells))
            bars.append((name, sparkline(values)))
        headings = [f"{length - GROUP + 1}-{length}" for length in lengths]
        console.table(figure.title, ("words", *headings), rows)
        show_bars(bars, console)
        console.info()
    return document


def write_figures(figures: Sequence[Figure], heading: str, path: Path, missing: str) -> None:
    """Draw figures, two in a row, into one self-contained page; written atomically.

    Raises
    ------
    MissingDependency
        plotly is not installed; the message is `missing`.
    """
    if not can_draw():
        raise gl.MissingDependency(missing)
    from plotly import graph_objects, io, subplots  # noqa: PLC0415  slow to load: only when something is drawn

    rows = -(-len(figures) // _IN_A_ROW)
    titles = [figure.title for figure in figures]
    page = subplots.make_subplots(rows=rows, cols=_IN_A_ROW, subplot_titles=titles)
    for number, figure in enumerate(figures):
        cell = {"row": 1 + number // _IN_A_ROW, "col": 1 + number % _IN_A_ROW}
        for colour, (name, points) in zip(cycle(_COLOURS), figure.curves.items(), strict=False):
            page.add_trace(
                graph_objects.Scatter(
                    x=list(points),
                    y=[point.value for point in points.values()],
                    customdata=[point.sentences for point in points.values()],
                    hovertemplate="%{y:.3g}, %{customdata} sentences of up to %{x} words",
                    name=name,
                    legendgroup=name,
                    showlegend=not number,
                    line={"color": colour},
                ),
                **cell,
            )
        page.update_yaxes(title_text=figure.axis, rangemode="tozero", **cell)
    page.update_xaxes(title_text="words")
    page.update_layout(title_text=heading, template="plotly_white", height=rows * _HEIGHT)
    write_aside(path, io.to_html(page, include_plotlyjs=True, full_html=True))
