"""Distances between the candidates and anchors of a problem."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from gapless import InvalidProblem
from gapless.arrays.sparse import FloatArray, IntArray
from gapless_kernels import graph_search
from gapless_linking.connection import Connection
from gapless_linking.graph import Graph, Int32Array

try:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra
except ImportError:  # pragma: no cover  # the extra `linking` is not installed
    dijkstra = None


def weighted_distances(
    graph: Graph, points: IntArray, clique_first: IntArray, clique_members: Int32Array
) -> FloatArray:
    """Compute distances between inner numbers, one source at a time, by scipy if installed, else networkx.

    Returns float64 (p, p): inf where no path leads.

    Parameters
    ----------
    points : int64 (p,)
        Inner numbers.
    clique_first : int64 (c + 1,)
    clique_members : int32
        Further edges of length 1, as in `Connection.flat`.
    """
    joined = graph.with_cliques(clique_first, clique_members)
    # Inner numbers go by degree, which the added edges have changed.
    points = joined.inner(graph.vertices[points])
    answer = np.empty((points.size, points.size))
    if dijkstra is not None:
        shape = (joined.vertex_count, joined.vertex_count)
        matrix: Any = csr_array((joined.weights, joined.neighbours, joined.offsets), shape=shape)
        for row, source in enumerate(points.tolist()):
            answer[row] = dijkstra(matrix, indices=source)[points]
    else:
        as_networkx = joined.to_networkx()
        for row, source in enumerate(points.tolist()):
            lengths = nx.single_source_dijkstra_path_length(as_networkx, int(joined.vertices[source]))
            answer[row] = [lengths.get(v, np.inf) for v in joined.vertices[points].tolist()]
    return np.minimum(answer, answer.T)  # the two directions add up in different orders


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
