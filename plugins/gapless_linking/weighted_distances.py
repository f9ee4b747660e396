"""Distances along weighted edges, by a library's version of Dijkstra's algorithm."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
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
