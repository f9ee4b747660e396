"""Colour coding: best colourful paths by dynamic programming over last vertices and sets of colours.

Deshpande, Barzilay, Karger, Randomized Decoding for Selection-and-Ordering Problems (2007), section 3, after Alon,
Yuster, Zwick (1995). A path is colourful if no two of its vertices have one colour; as classes are coloured, a
colourful path visits no class twice.
"""

from collections.abc import Callable
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from gapless_kernels._arguments import check_count
from gapless_kernels.paths._graph_arguments import check_colorings, check_completion, check_graph

__all__ = ["color_coding_pruned", "color_coding_search", "color_coding_table_bytes"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Colorings = npt.NDArray[np.uint8]
_OCTET = 8


def color_coding_table_bytes(n: int, length: int, colors: int) -> int:
    """Bound the size of the table of `color_coding_search`.

    Parameters
    ----------
    n : int
        The number of vertices.
    length : int
        The number of vertices on a path.
    colors : int

    Returns
    -------
    int
        Bytes.
    """
    filled = n + (_OCTET - 1) * min(colors, n)
    return 8 * filled * sum(comb(colors - 1, size - 1) for size in range(1, length))


def color_coding_search(
    start: npt.NDArray[Any],
    ordering: npt.NDArray[Any],
    end: npt.NDArray[Any],
    classes: npt.NDArray[Any],
    length: int,
    colorings: Colorings,
    colors: int,
    incumbent: float = -np.inf,
    pulse: Callable[[], bool] | None = None,
) -> tuple[Floats, Integers]:
    """Find the best colourful path under one colouring after the other.

    Sums are taken from the start on, in float64. Of equal paths the one whose last vertex comes first is found,
    then the one whose colours before it are the smallest set, then whose last vertex but one comes first, and so
    on.

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
    colorings : (t, classes) array of uint8
        The colour of each class.
    colors : int
        Number of colours, from `length` to 32.
    incumbent : float
        Search only for better paths.
    pulse : callable, optional
        Called about every tenth of a second; True ends the search, in the twin before a colouring.

    Returns
    -------
    values : (t,) array of float64
        The value of the best colourful path where it beats `incumbent` and all colourings before; else ``-inf``.
        Fewer when `pulse` ended the search.
    paths : (t, length) array of int64
        The path, else -1.

    Raises
    ------
    TypeError, ValueError
        Wrong types or shapes, classes or colours out of range.
    MemoryError
        The table is too large, see `color_coding_table_bytes`.
    """
    graph = check_graph(start, ordering, end, classes)
    count = check_count(length, "length")
    rows = check_colorings(colorings, colors, graph[4], count)
    charges, completion = np.zeros(graph[4]), np.zeros((count, len(graph[0])))
    if pulse is not None and pulse():
        rows = rows[:0]
    values, paths, _ = _search(graph, count, rows, incumbent, charges, completion, np.inf, np.inf)
    return values, paths


def color_coding_pruned(
    start: npt.NDArray[Any],
    ordering: npt.NDArray[Any],
    end: npt.NDArray[Any],
    classes: npt.NDArray[Any],
    length: int,
    colorings: Colorings,
    colors: int,
    incumbent: float,
    charges: Floats,
    completion: Floats,
    slack: float,
    states: int,
) -> tuple[Floats, Integers, int]:
    """Find colourful paths that beat an incumbent, without the states that a bound rules out.

    As `color_coding_search`, with the same answers, but states (last vertex, set of colours) are dropped when the
    bound on their completions is no better than the incumbent, less `slack`.

    Parameters
    ----------
    start, ordering, end, classes, length, colorings, colors, incumbent
        As in `color_coding_search`.
    charges : (classes,) array of float64
        Charge in `completion` for visiting each class; at least 0. Every path is refunded all of them: a
        prefix with score s at vertex v and place j becomes a path worth at most
        ``s - charges of the prefix + completion[j, v] + sum(charges)``.
    completion : (length, n) array of float64
        The best that can follow once a vertex is reached at a place, its own charge not included; ``-inf`` where
        the vertex cannot be at this place.
    slack : float
        Allowance for rounding in the bounds.
    states : int
        Limit on the states of one colouring.

    Returns
    -------
    values, paths
        As in `color_coding_search`.
    done : int
        Number of colourings completed; the next one exceeds `states`.

    Raises
    ------
    TypeError, ValueError
        Wrong types or shapes, classes or colours out of range.
    MemoryError
        There is no room for the states.
    """
    graph = check_graph(start, ordering, end, classes)
    count = check_count(length, "length")
    rows = check_colorings(colorings, colors, graph[4], count)
    prices, after = check_completion(charges, completion, graph[4], count, len(graph[0]))
    return _search(graph, count, rows, incumbent, prices, after, slack, check_count(states, "states"))


_Graph = tuple[Floats, Floats, Floats, Integers, int]
_Key = tuple[int, int]
_State = tuple[float, float, tuple[int, ...]]
"""Score, score less charges, path."""


def _search(
    graph: _Graph,
    length: int,
    colorings: Colorings,
    incumbent: float,
    charges: Floats,
    completion: Floats,
    slack: float,
    states: float,
) -> tuple[Floats, Integers, int]:
    values, paths = np.full(len(colorings), -np.inf), np.full((len(colorings), length), -1)
    for t, coloring in enumerate(colorings):
        level = incumbent - slack - float(charges.sum())
        ends = _last_states(graph, length, coloring, charges, completion, level, states)
        if ends is None:
            return values, paths, t
        last = graph[2]
        ranked = sorted((-(score + last[v]), v, colors, path) for (v, colors), (score, _, path) in ends.items())
        if ranked and -ranked[0][0] > incumbent:
            incumbent = values[t] = -ranked[0][0]
            paths[t] = ranked[0][3]
    return values, paths, len(colorings)


def _last_states(
    graph: _Graph,
    length: int,
    coloring: Colorings,
    charges: Floats,
    completion: Floats,
    level: float,
    states: float,
) -> dict[_Key, _State] | None:
    """Find the best colourful prefix of `length` vertices for each last vertex and set of colours."""
    first, edges, _, classes, _ = graph
    bits = [1 << int(coloring[c]) for c in classes]
    layer: dict[_Key, _State] = {(-1, 0): (0.0, 0.0, ())}
    state_count = 0
    for position in range(length):
        extended: dict[_Key, _State] = {}
        for (u, colors), (score, reduced, path) in layer.items():
            row = first if position == 0 else edges[u]
            bounds = (reduced + row) + (completion[position] - charges[classes])
            for v in np.flatnonzero((bounds > level) & (row > -np.inf)).tolist():
                if colors & bits[v]:
                    continue
                key, offer = (v, colors | bits[v]), score + float(row[v])
                current = extended.get(key)
                if current is None or offer > current[0] or (offer == current[0] and path[-1] < current[2][-2]):
                    extended[key] = offer, reduced + float(row[v]) - float(charges[classes[v]]), (*path, v)
        state_count += len(extended)
        if state_count > states:
            return None
        layer = extended
    return layer
