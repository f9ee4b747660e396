"""Scores of the edges of a path, taken apart."""

from __future__ import annotations

from itertools import pairwise

import attrs

from gapless.arrays.sparse import IntArray
from gapless_models.titles.graph import TitleGraph
from gapless_ordering.path_drawing import END, START


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
