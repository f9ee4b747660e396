"""Figures 4 and 5 of Qian and Liu 2013: parsing time and oracle calls against the length of sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import gapless as gl
from gapless.cli import Console
from gapless.core.serial import write_aside
from gapless_tasks.dependency_parsing.decoding import GROUP, LengthGroup

PLOTLY_MISSING = "drawing figures 4 and 5 needs plotly: pip install 'gapless[report]'"
_BARS = " ▁▂▃▄▅▆▇█"
_COLOURS = ("#b3261e", "#e08a00", "#1f5fa8", "#2e7d32", "#333333")

Curves = Mapping[str, Sequence[LengthGroup]]
"""The groups of each setting, by what it is called."""


def can_draw() -> bool:
    """Whether plotly is installed."""
    return find_spec("plotly") is not None


def milliseconds(group: LengthGroup) -> float | None:
    """A sentence, on average; None for an empty group."""
    return 1000 * group.seconds / group.sentences if group.sentences else None


def calls(group: LengthGroup) -> float | None:
    """Oracle calls of a sentence, on average; None where nobody counted."""
    return None if group.calls is None or not group.sentences else group.calls / group.sentences


FIGURES = (
    ("figure4", "Figure 4: milliseconds a sentence, against its length", milliseconds),
    ("figure5", "Figure 5: oracle calls a sentence, against its length", calls),
)


def sparkline(values: Sequence[float | None]) -> str:
    """A bar of one character for each value, a blank for None; the highest is as high as a line."""
    highest = max((value for value in values if value is not None), default=0.0)
    if highest <= 0:
        return " " * len(values)
    last = len(_BARS) - 1
    return "".join(_BARS[0] if value is None else _BARS[max(1, round(last * value / highest))] for value in values)


def show_figures(curves: Curves, console: Console) -> dict[str, Any]:
    """Print both figures as tables with bars; returns them as JSON data."""
    document: dict[str, Any] = {}
    lengths = sorted({group.longest for groups in curves.values() for group in groups})
    for key, title, measure in FIGURES:
        rows = []
        document[key] = {}
        for name, groups in curves.items():
            known = {group.longest: measure(group) for group in groups}
            values = [known.get(length) for length in lengths]
            document[key][name] = {str(length): value for length, value in known.items()}
            cells = ["" if value is None else f"{value:.3g}" for value in values]
            rows.append((name, *cells, sparkline(values)))
        headings = [f"{length - GROUP + 1}-{length}" for length in lengths]
        console.table(title, ("words", *headings, "shape"), rows)
        console.say()
    return document


def write_figures(curves: Curves, treebank: str, path: Path) -> None:
    """Draw both figures into one page that needs nothing else; written whole or not at all.

    Raises
    ------
    MissingDependency
        plotly is not installed.
    """
    if not can_draw():
        raise gl.MissingDependency(PLOTLY_MISSING)
    from plotly import graph_objects, io, subplots  # noqa: PLC0415  slow to load: only when something is drawn

    figure = subplots.make_subplots(rows=1, cols=2, subplot_titles=[title for _, title, _ in FIGURES])
    for column, (_, _, measure) in enumerate(FIGURES, start=1):
        for colour, (name, groups) in zip(_cycled(len(curves)), curves.items(), strict=True):
            figure.add_trace(
                graph_objects.Scatter(
                    x=[group.longest for group in groups],
                    y=[measure(group) for group in groups],
                    customdata=[group.sentences for group in groups],
                    hovertemplate="%{y:.3g}, %{customdata} sentences of up to %{x} words",
                    name=name,
                    legendgroup=name,
                    showlegend=column == 1,
                    line={"color": colour},
                ),
                row=1,
                col=column,
            )
    figure.update_xaxes(title_text="words")
    figure.update_yaxes(title_text="milliseconds", rangemode="tozero", col=1)
    figure.update_yaxes(title_text="oracle calls", rangemode="tozero", col=2)
    figure.update_layout(title_text=treebank, template="plotly_white")
    write_aside(path, io.to_html(figure, include_plotlyjs=True, full_html=True))


def _cycled(count: int) -> list[str]:
    return [_COLOURS[i % len(_COLOURS)] for i in range(count)]
