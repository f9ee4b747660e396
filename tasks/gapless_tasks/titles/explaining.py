"""One graph explained in the terminal: its best path edge by edge, and the words that come closest to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, zip_longest
from typing import Any

import attrs

from gapless.arrays.sparse import IntArray
from gapless.cli import Console
from gapless_models.titles.graph import TitleGraph
from gapless_ordering.path_drawing import END, START, Alternative, alternatives, by_place


@attrs.frozen
class Edge:
    """One edge of a path.

    Parameters
    ----------
    source, target : str
        Words, or the path's ends.
    through : str or None
        The auxiliary word on it.
    selection, ordering : float
        Log-probabilities: of selecting the target, of its following the source.
    """

    source: str
    target: str
    through: str | None
    selection: float
    ordering: float

    @property
    def score(self) -> float:
        """Score of the edge."""
        return self.selection + self.ordering


def edges(graph: TitleGraph, path: IntArray) -> list[Edge]:
    """List the edges of a path from its start to its end; their scores add up to its value."""
    problem, vertices = graph.problem, path.tolist()
    first, last = vertices[0], vertices[-1]
    selection = graph.selection.tolist()
    begin = float(problem.start[first]) - selection[first]
    path_edges = [Edge(START, problem.name(first), None, selection[first], begin)]
    for u, v in pairwise(vertices):
        through = None if problem.auxiliary is None else problem.auxiliary.word(u, v)
        ordering = float(problem.ordering[u, v]) - selection[v]
        path_edges.append(Edge(problem.name(u), problem.name(v), through, selection[v], ordering))
    return [*path_edges, Edge(problem.name(last), END, None, 0.0, float(problem.end[last]))]


_WIDTH = 110
"""Characters of a line of the drawing."""


def explain(graph: TitleGraph, path: IntArray, console: Console) -> dict[str, Any]:
    """Print the path's edges and the alternatives; return them as JSON data."""
    problem, path_edges = graph.problem, edges(graph, path)
    others = alternatives(problem, path)
    console.info(f"{graph.section.name}: {' '.join(graph.section.title)}")
    console.info(
        f"found: {' '.join(problem.spelled(path))} ({problem.length} of {problem.vertices} words in "
        f"{problem.class_count} classes)"
    )
    for line in draw_lines(path_edges, by_place(problem, path)):
        console.info(line)
    console.table(
        f"The best path: {problem.value(path):.6g} = the sum of its edges",
        ("from", "through", "to", "selection", "ordering", "edge"),
        [
            (edge.source, edge.through or "", edge.target, edge.selection, edge.ordering, edge.score)
            for edge in path_edges
        ],
    )
    console.table(
        "The best paths with one word exchanged",
        ("word", "instead of", "edge before", "edge after", "loss"),
        [(edge.word, problem.name(path[edge.place]), edge.before, edge.after, edge.loss) for edge in others],
    )
    console.info()
    return {
        "section": graph.section.name,
        "title": list(graph.section.title),
        "found": problem.spelled(path),
        "value": problem.value(path),
        "edges": [{**attrs.asdict(edge), "score": edge.score} for edge in path_edges],
        "alternatives": [attrs.asdict(edge) for edge in others],
    }


def draw_lines(found: Sequence[Edge], below: Sequence[Sequence[Alternative]], width: int = _WIDTH) -> list[str]:
    """Draw the path as text, scores above its arrows; below each word those that would lose least in its place.

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
        if block and sum(len(row[1]) for row in [*block, column]) > width:
            lines += _joined(block)
            block = []
        block.append(column)
    return [*lines, *_joined(block)]


def _columns(found: Sequence[Edge], below: Sequence[Sequence[Alternative]]) -> Iterator[list[str]]:
    """Format score, then word or arrow, then alternatives; all rows of a column are equally wide."""
    yield _column("", START, ())
    for edge, others in zip(found, [*below, ()], strict=True):
        yield _column(f"{edge.score:.2f}", f"──{edge.through or '─'}──→", ())
        yield _column("", edge.target, [f"{other.word} -{other.loss:.2f}" for other in others])


def _column(score: str, middle: str, others: Sequence[str]) -> list[str]:
    wide = max(map(len, (score, middle, *others))) + 2
    return [score.center(wide), middle.center(wide), *(other.center(wide) for other in others)]


def _joined(block: Sequence[list[str]]) -> Iterator[str]:
    wide = [len(column[0]) for column in block]
    for row in zip_longest(*block):
        yield "".join(cell or " " * w for cell, w in zip(row, wide, strict=True)).rstrip()
    yield ""
