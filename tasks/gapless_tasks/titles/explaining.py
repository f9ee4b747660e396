"""One graph explained in the terminal: its best path edge by edge, and the words that come closest to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

import attrs

from gapless.cli import Console
from gapless.core.sparse import IntArray
from gapless_models.titles.graph import TitleGraph
from gapless_ordering.alternatives import Alternative, alternatives, by_place
from gapless_ordering.path_drawing import START
from gapless_tasks.titles.edges import Edge, edges

_WIDTH = 110
"""Characters of a line of the drawing."""


def explain(graph: TitleGraph, path: IntArray, console: Console) -> dict[str, Any]:
    """Print the path's edges and the alternatives; returns them as JSON data."""
    problem, found = graph.problem, edges(graph, path)
    others = alternatives(problem, path)
    console.say(f"{graph.section.name}: {' '.join(graph.section.title)}")
    console.say(
        f"found: {' '.join(problem.spelled(path))} ({problem.length} of {problem.vertices} words in "
        f"{problem.class_count} classes)"
    )
    for line in draw_lines(found, by_place(problem, path)):
        console.say(line)
    console.table(
        f"The best path: {problem.value(path):.6g} = the sum of its edges",
        ("from", "through", "to", "selection", "ordering", "edge"),
        [(one.source, one.through or "", one.target, one.selection, one.ordering, one.score) for one in found],
    )
    console.table(
        "The best paths with one word exchanged",
        ("word", "instead of", "edge before", "edge after", "loss"),
        [(one.word, problem.name(path[one.place]), one.before, one.after, one.loss) for one in others],
    )
    console.say()
    return {
        "section": graph.section.name,
        "title": list(graph.section.title),
        "found": problem.spelled(path),
        "value": problem.value(path),
        "edges": [{**attrs.asdict(one), "score": one.score} for one in found],
        "alternatives": [attrs.asdict(one) for one in others],
    }


def draw_lines(found: Sequence[Edge], below: Sequence[Sequence[Alternative]], width: int = _WIDTH) -> list[str]:
    """The path as text, scores above its arrows; below each word those that would lose least in its place.

    Parameters
    ----------
    found : sequence of Edge
        From the start to the end.
    below : sequence of sequences of Alternative
        For each word.
    width : int
        Characters; a longer path goes on below.
    """
    lines: list[str] = []
    block: list[list[str]] = []
    for column in _columns(found, below):
        if block and sum(len(one[1]) for one in [*block, column]) > width:
            lines += _joined(block)
            block = []
        block.append(column)
    return [*lines, *_joined(block)]


def _columns(found: Sequence[Edge], below: Sequence[Sequence[Alternative]]) -> Iterator[list[str]]:
    """Score, then word or arrow, then alternatives; all rows of a column are equally wide."""
    yield _column("", START, ())
    for edge, others in zip(found, [*below, ()], strict=True):
        yield _column(f"{edge.score:.2f}", f"──{edge.through or '─'}──→", ())
        yield _column("", edge.target, [f"{one.word} -{one.loss:.2f}" for one in others])


def _column(score: str, middle: str, others: Sequence[str]) -> list[str]:
    wide = max(map(len, (score, middle, *others))) + 2
    return [score.center(wide), middle.center(wide), *(other.center(wide) for other in others)]


def _joined(block: Sequence[list[str]]) -> Iterator[str]:
    wide = [len(column[0]) for column in block]
    for row in zip_longest(*block):
        yield "".join(cell or " " * w for cell, w in zip(row, wide, strict=True)).rstrip()
    yield ""
