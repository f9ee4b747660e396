"""One graph drawn as SVG: its best path, and the words that come closest to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gapless.core.sparse import IntArray
from gapless_tasks.svg import BLUE, GREY, INK, svg, text
from gapless_tasks.title_generation.edges import Alternative, Edge, by_place, edges
from gapless_tasks.title_generation.graph import TitleGraph

_LETTER, _SPACE, _NARROWEST = 9.0, 34.0, 90.0
_ROW, _HIGH, _TOP, _MARGIN = 62.0, 26.0, 70.0, 20.0


def draw_graph(graph: TitleGraph, path: IntArray) -> str:
    """The best vertices of a graph and its best path as SVG.

    The path runs through the first row, with auxiliary words and scores on its edges. Below each of its words stand
    those that would lose least in its place, with their edges to the neighbours and the loss.
    """
    found, below = edges(graph, path), by_place(graph, path)
    labels = [found[0].source, *(one.target for one in found)]
    middles, width = _columns(found, labels, below)
    deepest = max(map(len, below))
    height = _TOP + (deepest + 1) * _ROW + _MARGIN

    def drawn() -> Iterator[str]:
        title = f"{' '.join(graph.section.title)}: best path of {graph.problem.length} words"
        yield text(width / 2, 28, title, INK, 15)
        for place, column in enumerate(below):
            for row, other in enumerate(column, start=1):
                yield from _alternative(other, middles[place : place + 3], _TOP + row * _ROW)
        for number, edge in enumerate(found):
            yield from _edge(edge, middles[number], middles[number + 1])
        for number, word in enumerate(labels):
            end = number in (0, len(labels) - 1)
            yield _box(middles[number], _TOP, word, GREY if end else BLUE, bold=not end)
        for place, column in enumerate(below):
            for row, other in enumerate(column, start=1):
                yield _box(middles[place + 1], _TOP + row * _ROW, other.word, GREY, bold=False)
                yield text(
                    middles[place + 1], _TOP + row * _ROW + 27, f"loses {other.loss:.2f}", GREY, 11, halo=True
                )

    return svg(width, height, f"The best path: {' '.join(graph.problem.spelled(path))}", drawn())


def _columns(
    found: Sequence[Edge], labels: Sequence[str], below: Sequence[Sequence[Alternative]]
) -> tuple[list[float], float]:
    """The middle of each column, and the width of the whole; wide enough for what stands between two."""
    wide = []
    for number, label in enumerate(labels):
        words = [label]
        if 0 < number <= len(below):
            words += [one.word for one in below[number - 1]]
        wide.append(max(_NARROWEST, max(map(len, words)) * _LETTER + _SPACE))
    middles = [_MARGIN + wide[0] / 2]
    for number, edge in enumerate(found):
        gap = max(60.0, len(edge.through or "") * _LETTER + _SPACE)
        middles.append(middles[-1] + (wide[number] + wide[number + 1]) / 2 + gap)
    return middles, middles[-1] + wide[-1] / 2 + _MARGIN


def _edge(edge: Edge, left: float, right: float) -> Iterator[str]:
    start = left + _half(edge.source)
    stop = right - _half(edge.target)
    yield f'<path d="M{start:.1f} {_TOP:.1f}H{stop:.1f}" stroke="{BLUE}" stroke-width="2"/>'
    tip = f"M{stop:.1f} {_TOP:.1f}l-8 -4v8Z"
    yield f'<path d="{tip}" fill="{BLUE}"/>'
    middle = (start + stop) / 2
    if edge.through:
        yield text(middle, _TOP - 8, edge.through, BLUE, 13, halo=True)
    yield text(middle, _TOP + 16, f"{edge.score:.2f}", INK, 11, halo=True)


def _alternative(other: Alternative, middles: Sequence[float], row: float) -> Iterator[str]:
    """Thin edges from the neighbours on the path."""
    left, here, right = middles
    near, far = here - _half(other.word), here + _half(other.word)
    for x, y, score in ((left, near, other.before), (right, far, other.after)):
        start = f"M{x:.1f} {_TOP + _HIGH / 2:.1f}"
        yield f'<path d="{start}L{y:.1f} {row:.1f}" fill="none" stroke="#bbbbbb"/>'
        yield text(x + 0.8 * (y - x), _TOP + 0.8 * (row - _TOP), f"{score:.2f}", GREY, 10, halo=True)


def _half(word: str) -> float:
    return (len(word) * _LETTER + 12.0) / 2


def _box(middle: float, row: float, word: str, colour: str, *, bold: bool) -> str:
    half = _half(word)
    frame = (
        f'<rect x="{middle - half:.1f}" y="{row - _HIGH / 2:.1f}" width="{2 * half:.1f}" height="{_HIGH:.0f}" '
        f'rx="6" fill="white" stroke="{colour}" stroke-width="{2 if bold else 1}"/>'
    )
    return frame + text(middle, row + 5, word, INK, 14)
