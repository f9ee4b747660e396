"""The paper's figure 2: penalties on transitions trade accuracy for speed; measured, printed and drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from html import escape
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

import gapless as gl
from gapless.arrays.serial import write_aside
from gapless.cli import Console
from gapless.svg import BLUE, GREEN, INK, RED, svg, text
from gapless_chains import ChainBatch
from gapless_models.solve_all import solve_all
from gapless_models.tagging import train
from gapless_models.tagging.decoder import decode
from gapless_tasks.plot import Axes, show_bars
from gapless_tasks.tagging.corpus import Corpus
from gapless_tasks.tagging.decoding import gold_numbers
from gapless_tasks.tagging.measuring import cpu_seconds

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


L2 = 0.1
"""On the features of words, as in the paper."""

TRANSITION_L2 = (0.1, 0.3, 1.0, 3.0, 10.0)
METHODS = ("column-generation", "dominance")
PAPER = "Belanger et al. 2012: four times the speed for 8 % less accuracy, from 0.1 to 10"
_BAR = 30
"""Letters of the longest bar."""


@attrs.frozen
class Point:
    """One model of the figure.

    Parameters
    ----------
    transition_l2 : float
        Its penalty on the scores of label pairs.
    accuracy : float
        Share of the test part's words with the gold label.
    candidates : float
        Label pairs that column generation priced, a word: its work, without the noise of a clock.
    speeds : dict of str to float
        Sentences a second of each method.
    """

    transition_l2: float
    accuracy: float
    candidates: float
    speeds: dict[str, float]


def sweep(corpus: Corpus, epochs: int, seed: int, min_count: int, console: Console) -> list[Point]:
    """Train a structured SVM with 0/1 loss for each penalty, then let all models decode the test part in turns.

    The clock is read when all models are there: timed one after another, minutes apart, they would differ by what
    else the machine was doing.
    """
    batches: dict[float, ChainBatch] = {}
    gold: dict[float, NDArray[np.int64]] = {}
    with console.progress("figure 2", len(TRANSITION_L2)) as advance:
        for penalty in TRANSITION_L2:
            tagger = train(
                corpus.train,
                decode,
                epochs,
                seed,
                trainer="svm",
                l2=L2,
                transition_l2=penalty,
                labels=corpus.product,
                min_count=min_count,
            )
            batches[penalty] = tagger.batch(corpus.test)
            gold[penalty] = np.concatenate(gold_numbers(tagger, corpus.test))
            advance(1)
    runs = {
        f"{method} {penalty}": partial(solve_all, batch, method)
        for penalty, batch in batches.items()
        for method in METHODS
    }
    seconds = cpu_seconds(runs)
    points = []
    for penalty, batch in batches.items():
        arrays = solve_all(batch, METHODS[0]).arrays
        points.append(
            Point(
                penalty,
                float((arrays["labels"] == gold[penalty]).mean()),
                float(arrays["candidates"].sum() / batch.tokens),
                {method: len(batch) / seconds[f"{method} {penalty}"] for method in METHODS},
            )
        )
    return points


def show_sweep(points: Sequence[Point], console: Console) -> None:
    """Print the figure as a table, on a terminal with bars."""
    console.table(
        "Figure 2: L2 penalty on transitions",
        (
            *("penalty", "accuracy %", "candidates a word"),
            *(f"{method}, sentences/s" for method in METHODS),
        ),
        [
            (
                f"{point.transition_l2:g}",
                f"{100 * point.accuracy:.2f}",
                f"{point.candidates:.2f}",
                *(f"{point.speeds[method]:,.0f}" for method in METHODS),
            )
            for point in points
        ],
    )
    fastest = max(point.speeds[METHODS[0]] for point in points)
    show_bars(
        [
            (f"{point.transition_l2:g}", "█" * max(1, round(_BAR * point.speeds[METHODS[0]] / fastest)))
            for point in points
        ],
        console,
    )
    console.info(PAPER)
