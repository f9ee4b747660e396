"""Every path of a small instance and its score, vectorised: the reference for the methods."""

from __future__ import annotations

import numpy as np

from gapless import Solution
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.testing import SpaceTooLarge
from gapless_ordering.path_problem import PathProblem

LIMIT = 4_000_000


def all_paths(problem: PathProblem, *, limit: int = LIMIT) -> tuple[IntArray, FloatArray]:
    """Enumerate all allowed paths, int64 (paths, k), and their scores, float64 (paths,).

    All paths of one vertex, of two, and so on up to k: each is extended by all vertices of classes that it has not
    visited. Raises `SpaceTooLarge`: more than `limit` candidates for paths of one length.
    """
    one_class = problem.classes[:, None] == problem.classes
    paths, scores = _allowed(np.arange(problem.vertices)[:, None], problem.start)
    free = ~one_class[paths[:, 0]]
    for _ in range(problem.length - 1):
        if free.size > limit:
            raise SpaceTooLarge(
                f"{len(paths)} paths of {paths.shape[1]} vertices have {problem.vertices} extensions each; "
                f"the limit is {limit}, enumerate a smaller instance"
            )
        row, vertex = np.nonzero(free & (problem.ordering[paths[:, -1]] > -np.inf))
        scores = scores[row] + problem.ordering[paths[row, -1], vertex]
        paths = np.concatenate([paths[row], vertex[:, None]], axis=1)
        free = free[row] & ~one_class[vertex]
    return _allowed(paths, scores + problem.end[paths[:, -1]])


def best_paths(problem: PathProblem, k: int = 1, *, limit: int = LIMIT) -> list[Solution[IntArray]]:
    """Return up to `k` best paths, best first; ties in the order of vertices.

    Raises `SpaceTooLarge`: see `all_paths`.
    """
    paths, scores = all_paths(problem, limit=limit)
    order = np.argsort(-scores, kind="stable")[:k]
    return [Solution(path, score) for path, score in zip(paths[order], scores[order].tolist(), strict=True)]


def _allowed(paths: IntArray, scores: FloatArray) -> tuple[IntArray, FloatArray]:
    allowed = scores > -np.inf
    return paths[allowed], scores[allowed]
