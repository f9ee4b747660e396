"""Vertices that could replace one of a path, and the loss."""

from __future__ import annotations

import attrs
import numpy as np

from gapless.arrays.sparse import IntArray
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
