"""Arguments and results of the path searches, compiled and in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gapless_kernels.paths._graph_arguments import check_graph

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Pulse = Callable[[float, float, int, int], bool]


class OpenWalks(NamedTuple):
    """Open walks of a search without a proof: those that may still be better than its best path.

    A walk that is at ``vertices[i]`` at place j scores at most ``before[j, i] + after[j, i] - prices[c] +
    prices.sum()``, c being the vertex's class; ``-inf`` where it is ruled out.

    Attributes
    ----------
    vertices : int64 (m,)
        Vertices that are left, ascending.
    prices : float64 (classes,)
        The multipliers.
    before, after : float64 (length, m)
        Best penalised scores from the start to the vertex, and from there to the end; the visit of the vertex
        itself is paid in neither.
    """

    vertices: Ints
    prices: Floats
    before: Floats
    after: Floats


class PathSearchResult(NamedTuple):
    """Result of a path search.

    Attributes
    ----------
    paths : int64 (r, length)
        Best paths, best first; r is at most `wanted`.
    values : float64 (r,)
    bound : float
        Upper bound on every path. Where `proved`, the best value, or -inf if there is no path.
    proved : bool
        Whether the paths are the best, all of them if fewer than wanted.
    stages : tuple of pairs (int64 (c,), float64 (c,))
        Classes and their multipliers, in the order in which they ruled out vertices at places; the last is that of
        the bound.
    memory : int64 (e, 2) or None
        Pairs (vertex, class) that walks of the bound remember. None if they remember no class, or all.
    open : OpenWalks or None
        The walks left after the last round.
    steps, labels, passes, vertices_left : int
        Counts of walks, partial paths, sweeps of labels, and vertices that no bound ruled out.
    interrupted : bool
        Whether Ctrl-C came while the search asked its `pulse`.
    """

    paths: Ints
    values: Floats
    bound: float
    proved: bool
    stages: tuple[tuple[Ints, Floats], ...]
    memory: Ints | None
    open: OpenWalks | None
    steps: int
    labels: int
    passes: int
    vertices_left: int
    interrupted: bool = False


def check_paths(
    start: Floats,
    ordering: Floats,
    end: Floats,
    classes: NDArray[Any],
    length: int,
    wanted: int,
    begin: NDArray[Any] | None,
) -> tuple[Floats, Floats, Floats, NDArray[np.int32], int, NDArray[np.int32]]:
    """Check shapes and types; the search itself checks scores.

    Returns
    -------
    start, ordering, end, classes, number of classes, begin
        Contiguous; classes and begin as int32.

    Raises
    ------
    TypeError, ValueError
        The message names the argument.
    """
    first, edges, last, groups, count = check_graph(start, ordering, end, classes)
    n = first.size
    if length < 1 or wanted < 1:
        raise ValueError(f"length is {length} and wanted {wanted}, both must be at least 1")
    known = np.empty((0, length), np.int32) if begin is None else np.array(begin, np.int32, order="C")
    if known.ndim != 2 or known.shape[1] != length or (known.size and not 0 <= known.min() <= known.max() < n):
        raise ValueError(f"begin must hold paths of {length} of the vertices 0 to {n - 1}")
    return first, edges, last, groups.astype(np.int32), count, known


def improper(start: Floats, ordering: Floats, end: Floats) -> ValueError:
    """Make the error for a score that is NaN or plus infinity; it names the place."""
    for name, array in (("start", start), ("ordering", ordering), ("end", end)):
        wrong = np.argwhere(~(array < np.inf))
        if len(wrong):
            place = ", ".join(map(str, wrong[0].tolist()))
            return ValueError(f"{name}[{place}] is {array[tuple(wrong[0])]}, expected a number or -inf")
    return ValueError("a score is neither a number nor -inf")
