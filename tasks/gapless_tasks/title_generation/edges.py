"""What the edges of a path score and why, and which words could stand instead."""

from __future__ import annotations

from itertools import pairwise

import attrs
import numpy as np

from gapless.core.sparse import IntArray
from gapless_tasks.title_generation.graph import TitleGraph

START, END = "start", "end"
SHOWN = 12
"""Alternatives to a path."""
_DEEPEST = 5
"""Alternatives to one of its words in a drawing."""


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
        """Of the edge."""
        return self.selection + self.ordering


@attrs.frozen
class Alternative:
    """The path with one word exchanged.

    Parameters
    ----------
    place : int
        Of the word on the path, from 0.
    word : str
        What stands there instead.
    before, after : float
        Scores of the edges into it and out of it.
    loss : float
        What the path loses by it.
    """

    place: int
    word: str
    before: float
    after: float
    loss: float


def edges(graph: TitleGraph, path: IntArray) -> list[Edge]:
    """The edges of a path from its start to its end; their scores add up to its value."""
    problem, vertices = graph.problem, path.tolist()
    first, last = vertices[0], vertices[-1]
    selection = graph.selection.tolist()
    begin = float(problem.start[first]) - selection[first]
    found = [Edge(START, problem.name(first), None, selection[first], begin)]
    for u, v in pairwise(vertices):
        through = None if problem.auxiliary is None else problem.auxiliary.word(u, v)
        ordering = float(problem.ordering[u, v]) - selection[v]
        found.append(Edge(problem.name(u), problem.name(v), through, selection[v], ordering))
    return [*found, Edge(problem.name(last), END, None, 0.0, float(problem.end[last]))]


def alternatives(graph: TitleGraph, path: IntArray, count: int = SHOWN) -> list[Alternative]:
    """The words whose exchange for one of the path loses least, each at its best place; at most `count`."""
    problem, k = graph.problem, path.size
    before = np.stack([problem.start, *problem.ordering[path[:-1]]])
    after = np.stack([*problem.ordering[:, path[1:]].T, problem.end])
    groups = problem.classes[path]
    taken = problem.classes == groups[:, None]
    exchanged = np.where(taken.any(axis=0) & ~taken, -np.inf, before + after)
    own = exchanged[np.arange(k), path]
    exchanged[np.arange(k), path] = -np.inf
    losses = own[:, None] - exchanged
    places, least = losses.argmin(axis=0), losses.min(axis=0)
    found = []
    for v in least.argsort(kind="stable")[:count].tolist():
        place, loss = int(places[v]), float(least[v])
        if loss < np.inf:
            around = float(before[place, v]), float(after[place, v])
            found.append(Alternative(place, problem.name(v), *around, loss))
    return found


def by_place(graph: TitleGraph, path: IntArray) -> list[list[Alternative]]:
    """The best alternatives to each word of a path, as drawings show them."""
    others = alternatives(graph, path)
    return [[one for one in others if one.place == place][:_DEEPEST] for place in range(path.size)]
