"""Distances between the vertices that matter."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from gapless.core.sparse import IntArray
from gapless_linking.connection import Connection
from gapless_linking.graph import Graph


def pairwise_distances(
    graph: Graph, vertices: IntArray, connection: Connection | None = None, *, memory_limit: float = 2.0**31
) -> NDArray[Any]:
    """Distances between all pairs of `vertices`.

    Parameters
    ----------
    graph : Graph
    vertices : int64 (p,)
        Outside ids, distinct.
    connection : Connection, optional
        Edges on top of the graph.
    memory_limit : float
        Bytes that the search may take beside the graph and the answer.

    Returns
    -------
    (p, p) array
        uint8 or uint16 where edges have no weights, the largest value of the type meaning that no path leads there;
        float64 and inf where they have.
    """
    made: Any = nx.Graph()
    made.add_nodes_from(range(graph.vertex_count))
    for u in range(graph.vertex_count):
        for at in range(graph.offsets[u], graph.offsets[u + 1]):
            made.add_edge(u, int(graph.neighbours[at]), weight=1 if graph.weights is None else graph.weights[at])
    inner = graph.require(vertices, "vertices")
    if connection is not None:
        more = [*(tuple(e) for e in connection.edges)]
        for members in connection.cliques:
            more += [(a, b) for a in members for b in members if a < b]
        for a, b in more:
            u, v = graph.inner([a, b]).tolist()
            made.add_edge(u, v, weight=min(1, made.get_edge_data(u, v, {"weight": 1})["weight"]))
    answer: NDArray[Any] = np.full((inner.size, inner.size), np.inf)
    for row, u in enumerate(inner.tolist()):
        reached = nx.single_source_dijkstra_path_length(made, u)
        answer[row] = [reached.get(v, np.inf) for v in inner.tolist()]
    answer = np.minimum(answer, answer.T)  # the way back adds lengths in another order
    if graph.weights is None:
        kind = np.uint8 if answer[np.isfinite(answer)].max() < 255 else np.uint16
        return np.where(np.isinf(answer), np.iinfo(kind).max, answer).astype(kind)
    return answer
