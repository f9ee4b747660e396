"""Vertices that could stand on a path instead, and the loss of the path."""

from __future__ import annotations

import attrs
import numpy as np

from gapless.core.sparse import IntArray
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
    """The vertices whose exchange for one of the path loses least, each at its best place; at most `count`."""
    k = path.size
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


def by_place(problem: OrderingProblem, path: IntArray) -> list[list[Alternative]]:
    """The best alternatives to each vertex of a path, as drawings show them."""
    others = alternatives(problem, path)
    return [[one for one in others if one.place == place][:_DEEPEST] for place in range(path.size)]
