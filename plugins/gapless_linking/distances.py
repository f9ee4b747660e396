"""Distances between the candidates and anchors of a problem."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gapless import InvalidProblem
from gapless.arrays.sparse import IntArray
from gapless_kernels import graph_search
from gapless_linking.connection import Connection
from gapless_linking.graph import Graph
from gapless_linking.weighted_distances import weighted_distances

Table = NDArray[Any]

MEMORY_LIMIT = 2.0**31
"""Bytes that a search may take in addition to the graph and the answer."""

_MANY = 2048
"""From so many points on, 128 at once are faster than 64. Up to 128 points find each other in one go."""

_KEPT = 2.0**26
"""A graph keeps the room of its last search up to this many bytes, so that short documents need not clear it."""


def search_bytes(graph: Graph, words: int) -> float:
    """Bound the bytes of a search from ``64 * words`` vertices at once, without the graph and the answer."""
    return graph.vertex_count * (40.0 * words + 20)


def pairwise_distances(
    graph: Graph, vertices: IntArray, connection: Connection | None = None, *, memory_limit: float = MEMORY_LIMIT
) -> Table:
    """Compute the distances between all pairs of `vertices`.

    Without weights by bit-parallel breadth-first search from both ends, from 64 or 128 vertices at once. That takes
    60 or 100 bytes at most for each vertex of the graph; see `search_bytes`. With weights by Dijkstra's algorithm.

    Returns (p, p) array: without weights uint8, or uint16 or uint32 where distances exceed 254; the type's largest
    value means that no path leads there. With weights float64 and inf. Raises `InvalidProblem`: unknown vertices,
    or not even 64 vertices at once fit into `memory_limit`.

    Parameters
    ----------
    vertices : int64 (p,)
        Outside ids, distinct.
    connection : Connection, optional
        Edges on top of the graph.
    memory_limit : float
        Bytes that the search may take in addition to the graph and the answer.
    """
    inner = graph.require(vertices, "vertices")
    first, members = (connection or Connection()).flat(graph)
    if graph.weights is not None:
        return weighted_distances(graph, inner, first, members)
    wide = 64 < inner.size <= 128 or inner.size >= _MANY
    words = 2 if wide and search_bytes(graph, 2) <= memory_limit else 1
    if search_bytes(graph, words) > memory_limit:
        raise InvalidProblem(
            f"searching {graph.vertex_count} vertices takes {search_bytes(graph, words) / 2**20:.0f} MiB at least, "
            f"memory_limit is {memory_limit / 2**20:.0f} MiB"
        )
    try:
        search = graph.searches.pop()  # one for each thread that is searching just now
    except IndexError:
        search = graph_search(graph.offsets, graph.neighbours)
    points = inner.astype(np.int32)
    try:
        # The search gives up once a distance does not fit the type; small types keep the table in the cache.
        for kind in (np.uint8, np.uint16, np.uint32):
            table = np.empty((inner.size, inner.size), kind)
            if search.distances(points, first, members, table, words):
                break
    finally:
        # The next document reuses the memory unless it is large.
        if search_bytes(graph, search.words) <= _KEPT:
            graph.searches.append(search)
    return table
