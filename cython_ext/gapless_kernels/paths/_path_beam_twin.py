"""Beam search for the best path of a given length that visits no class twice."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gapless_kernels._arguments import check_count
from gapless_kernels.paths._graph_arguments import check_graph

__all__ = ["path_beam_search"]

_LEVELS = 256
Integers = npt.NDArray[np.int64]


def path_beam_search(
    start: npt.NDArray[Any],
    ordering: npt.NDArray[Any],
    end: npt.NDArray[Any],
    classes: npt.NDArray[Any],
    length: int,
    width: int,
) -> tuple[float, Integers]:
    """Extend the best `width` prefixes of each length by every vertex of a class that they have not visited.

    Of prefixes with the same last vertex and the same set of classes only the best goes on: what can follow is
    the same. Among equal prefixes the one gathered first goes on; prefixes are extended in the order of their
    scores on 256 levels, vertices in the order of their numbers. Scores of whole paths, with `end`, choose at the
    last vertex.

    Parameters
    ----------
    start : (n,) array of float64
        Score of each vertex as the first; ``-inf`` forbids, as everywhere.
    ordering : (n, n) array of float64
        Score of the column's vertex following the row's.
    end : (n,) array of float64
        Score of each vertex as the last.
    classes : (n,) array of int64
        Class of each vertex, numbered from 0.
    length : int
        The number of vertices on the path.
    width : int

    Returns
    -------
    value : float
        The sum of the path's scores from its start on; ``-inf`` if the beam ran dry.
    path : (length,) array of int64
        Vertices; -1 if the beam ran dry.

    Raises
    ------
    TypeError, ValueError
        Wrong types or shapes, classes out of range, no positive `length` or `width`.
    MemoryError
        The beam is too large.
    """
    first, edges, last, groups, _ = check_graph(start, ordering, end, classes)
    count, keep = check_count(length, "length"), check_count(width, "width")
    beam: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    for position in range(count):
        extensions: dict[tuple[int, frozenset[int]], tuple[float, tuple[int, ...]]] = {}
        for score, path in _in_order(beam):
            visited = frozenset(int(groups[v]) for v in path)
            offers = score + (edges[path[-1]] if path else first)
            if position == count - 1:
                offers = offers + last
            for u in np.flatnonzero(offers > -np.inf).tolist():
                key = u, visited | {int(groups[u])}
                if int(groups[u]) not in visited and (key not in extensions or offers[u] > extensions[key][0]):
                    extensions.pop(key, None)
                    extensions[key] = float(offers[u]), (*path, u)
        candidates = list(extensions.values())
        ranked = np.argsort([-score for score, _ in candidates], kind="stable")
        selected = ranked[: 1 if position == count - 1 else keep]
        beam = [candidates[i] for i in np.sort(selected).tolist()]
        if not beam:
            return -np.inf, np.full(count, -1)
    score, path = beam[0]
    return score, np.array(path)


def _in_order(beam: Sequence[tuple[float, tuple[int, ...]]]) -> list[tuple[float, tuple[int, ...]]]:
    scores = np.array([score for score, _ in beam])
    with np.errstate(over="ignore", divide="ignore"):
        scale = (_LEVELS - 1) / (scores.max() - scores.min())
    if not 0 < scale < np.inf:
        return list(beam)
    levels = ((scores.max() - scores) * scale).astype(np.int64)
    return [beam[i] for i in np.argsort(levels, kind="stable").tolist()]
