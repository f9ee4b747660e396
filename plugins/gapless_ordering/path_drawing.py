"""A path drawn as SVG, with the scores of its edges, and the vertices that could replace one of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from textwrap import wrap

import attrs
import numpy as np

from gapless.arrays.sparse import IntArray
from gapless.svg import BLUE, GREY, INK, RED, svg, text
from gapless_ordering.problem import OrderingProblem

SHOWN = 12
"""Alternatives to a path."""
_DEEPEST = 5
"""Alternatives to one of its vertices in a drawing."""


@attrs.frozen
class Alternative:
    """The path with one vertex exchanged.

    Parameters
    ----------
    place : int
        Of the vertex on the path, from 0.
    word : str
        The word that stands there instead.
    before, after : float
        Scores of the edges into it and out of it.
    loss : float
        The loss of the path.
    """

    place: int
    word: str
    before: float
    after: float
    loss: float


def alternatives(problem: OrderingProblem, path: IntArray, count: int = SHOWN) -> list[Alternative]:
    """List at most `count` vertices whose exchange for one on the path loses least, each at its best position."""
    k = path.size
    entering = np.stack([problem.start, *problem.ordering[path[:-1]]])
    leaving = np.stack([*problem.ordering[:, path[1:]].T, problem.end])
    groups = problem.classes[path]
    used_mask = problem.classes == groups[:, None]
    # A vertex of a class on the path may only replace the vertex of that class.
    exchanged = np.where(used_mask.any(axis=0) & ~used_mask, -np.inf, entering + leaving)
    own = exchanged[np.arange(k), path]
    exchanged[np.arange(k), path] = -np.inf
    losses = own[:, None] - exchanged
    positions, minima = losses.argmin(axis=0), losses.min(axis=0)
    listed = []
    for v in minima.argsort(kind="stable")[:count].tolist():
        position, loss = int(positions[v]), float(minima[v])
        if loss < np.inf:
            around = float(entering[position, v]), float(leaving[position, v])
            listed.append(Alternative(position, problem.name(v), *around, loss))
    return listed


def by_place(problem: OrderingProblem, path: IntArray) -> list[list[Alternative]]:
    """Group the best alternatives by the path's vertices, for drawings."""
    others = alternatives(problem, path)
    return [[other for other in others if other.place == position][:_DEEPEST] for position in range(path.size)]


START, END = "start", "end"
_LETTER, _SPACE, _NARROWEST = 9.0, 34.0, 90.0
_ROW, _HIGH, _TOP, _MARGIN = 62.0, 26.0, 70.0, 20.0
_WORD = 28
"""Vertices with longer names, such as sentences, stand below each other."""
_PAGE, _LINE, _BETWEEN = 40, 19.0, 36.0


@attrs.frozen
class _Step:
    """An edge of the path: the names at its ends, the auxiliary word that it passes through, its score."""

    source: str
    target: str
    through: str | None
    score: float


def draw_path(problem: OrderingProblem, path: IntArray, title: str = "", against: IntArray | None = None) -> str:
    """Draw the vertices of a path, with auxiliary words and scores on its edges.

    Below each vertex stand those that would lose least in its place, with their edges to the neighbours and the
    loss. Vertices with long names, such as the sentences of a summary, are drawn below each other instead.

    Parameters
    ----------
    path : int array (k,)
    against : int array, optional
        Another path: vertices that it does not have at the same place are red.
    """
    steps = list(_steps(problem, path))
    same = [True] * path.size if against is None else (path == against).tolist()
    inks = [BLUE if both else RED for both in same]
    description = f"The path: {' '.join(problem.spelled(path))}"
    if any(len(step.target) > _WORD for step in steps):
        return _below_each_other(steps, description, inks)
    return _side_by_side(steps, by_place(problem, path), description, title, inks)


def _steps(problem: OrderingProblem, path: IntArray) -> Iterator[_Step]:
    vertices = path.tolist()
    yield _Step(START, problem.name(vertices[0]), None, float(problem.start[vertices[0]]))
    for u, v in pairwise(vertices):
        through = None if problem.auxiliary is None else problem.auxiliary.word(u, v)
        yield _Step(problem.name(u), problem.name(v), through, float(problem.ordering[u, v]))
    yield _Step(problem.name(vertices[-1]), END, None, float(problem.end[vertices[-1]]))


def _below_each_other(steps: Sequence[_Step], description: str, inks: Sequence[str]) -> str:
    """Draw one vertex below the other, its name in lines, with scores next to the arrows."""
    width = _PAGE * _LETTER
    elements: list[str] = []
    top = _MARGIN
    for number, step in enumerate(steps):
        lines = wrap(step.target, _PAGE) if number < len(steps) - 1 else [END]
        elements.append(f'<path d="M{_MARGIN:.0f} {top:.1f}v{_BETWEEN - 8:.0f}" stroke="{BLUE}" stroke-width="2"/>')
        elements.append(f'<path d="M{_MARGIN:.0f} {top + _BETWEEN - 4:.1f}l-4 -8h8Z" fill="{BLUE}"/>')
        note = f"{step.score:.2f}" + (f"  through “{step.through}”" if step.through else "")
        elements.append(text(_MARGIN + 14, top + _BETWEEN / 2 + 2, note, GREY, 13, anchor="start"))
        top += _BETWEEN
        for line in lines:
            top += _LINE
            ink = INK if number == len(inks) or inks[number] == BLUE else RED
            elements.append(text(_MARGIN - 8, top - 4, line, ink, 15, anchor="start"))
        top += 8
    return svg(width, top + _MARGIN, description, elements)


def _side_by_side(
    steps: Sequence[_Step],
    below: Sequence[Sequence[Alternative]],
    description: str,
    title: str,
    inks: Sequence[str],
) -> str:
    labels = [steps[0].source, *(step.target for step in steps)]
    middles, width = _columns(steps, labels, below)
    height = _TOP + (max(map(len, below)) + 1) * _ROW + _MARGIN

    def elements() -> Iterator[str]:
        yield text(width / 2, 28, title, INK, 15)
        for position, column in enumerate(below):
            for row, other in enumerate(column, start=1):
                yield from _alternative(other, middles[position : position + 3], _TOP + row * _ROW)
        for number, edge in enumerate(steps):
            yield from _edge(edge, middles[number], middles[number + 1])
        for number, word in enumerate(labels):
            end = number in (0, len(labels) - 1)
            yield _box(middles[number], _TOP, word, GREY if end else inks[number - 1], bold=not end)
        for position, column in enumerate(below):
            for row, other in enumerate(column, start=1):
                yield _box(middles[position + 1], _TOP + row * _ROW, other.word, GREY, bold=False)
                yield text(
                    middles[position + 1], _TOP + row * _ROW + 27, f"loses {other.loss:.2f}", GREY, 12, halo=True
                )

    return svg(width, height, description, elements())


def _columns(
    steps: Sequence[_Step], labels: Sequence[str], below: Sequence[Sequence[Alternative]]
) -> tuple[list[float], float]:
    """Compute the centre of each column and the total width."""
    wide = []
    for number, label in enumerate(labels):
        words = [label]
        if 0 < number <= len(below):
            words += [other.word for other in below[number - 1]]
        wide.append(max(_NARROWEST, max(map(len, words)) * _LETTER + _SPACE))
    middles = [_MARGIN + wide[0] / 2]
    for number, edge in enumerate(steps):
        gap = max(60.0, len(edge.through or "") * _LETTER + _SPACE)
        middles.append(middles[-1] + (wide[number] + wide[number + 1]) / 2 + gap)
    return middles, middles[-1] + wide[-1] / 2 + _MARGIN


def _edge(edge: _Step, left: float, right: float) -> Iterator[str]:
    start = left + _half(edge.source)
    stop = right - _half(edge.target)
    yield f'<path d="M{start:.1f} {_TOP:.1f}H{stop:.1f}" stroke="{BLUE}" stroke-width="2"/>'
    tip = f"M{stop:.1f} {_TOP:.1f}l-8 -4v8Z"
    yield f'<path d="{tip}" fill="{BLUE}"/>'
    middle = (start + stop) / 2
    if edge.through:
        yield text(middle, _TOP - 8, edge.through, BLUE, 13, halo=True)
    yield text(middle, _TOP + 16, f"{edge.score:.2f}", INK, 12, halo=True)


def _alternative(other: Alternative, middles: Sequence[float], row: float) -> Iterator[str]:
    """Draw thin edges from the neighbours on the path."""
    left, here, right = middles
    near, far = here - _half(other.word), here + _half(other.word)
    for x, y, score in ((left, near, other.before), (right, far, other.after)):
        start = f"M{x:.1f} {_TOP + _HIGH / 2:.1f}"
        yield f'<path d="{start}L{y:.1f} {row:.1f}" fill="none" stroke="#bbbbbb"/>'
        yield text(x + 0.8 * (y - x), _TOP + 0.8 * (row - _TOP), f"{score:.2f}", GREY, 12, halo=True)


def _half(word: str) -> float:
    return (len(word) * _LETTER + 12.0) / 2


def _box(middle: float, row: float, word: str, colour: str, *, bold: bool) -> str:
    half = _half(word)
    frame = (
        f'<rect x="{middle - half:.1f}" y="{row - _HIGH / 2:.1f}" width="{2 * half:.1f}" height="{_HIGH:.0f}" '
        f'rx="6" fill="white" stroke="{colour}" stroke-width="{2 if bold else 1}"/>'
    )
    return frame + text(middle, row + 5, word, INK, 14)
