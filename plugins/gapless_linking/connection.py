"""Edges added among the candidates of one set, so that each set is connected (Blanco et al. 2013, section 5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import networkx as nx
import numpy as np
from numpy.typing import NDArray

from gapless import serialisable
from gapless.core.sparse import IntArray, int_array
from gapless_linking.graph import Graph


def _pairs(values: Any) -> NDArray[np.int64]:
    return np.asarray(values, np.int64).reshape(-1, 2)


def _cliques(values: Any) -> tuple[IntArray, ...]:
    return tuple(int_array(members) for members in values)


@serialisable("gapless_linking.Connection")
@attrs.frozen(eq=False)
class Connection:
    """Edges on top of a graph, which stays as it is.

    Parameters
    ----------
    cliques : sequence of int64 arrays
        Vertices that are all joined to each other by edges of length 1.
    edges : int64 (e, 2)
        More edges of length 1.
    """

    cliques: tuple[IntArray, ...] = attrs.field(converter=_cliques, default=())
    edges: NDArray[np.int64] = attrs.field(converter=_pairs, default=())


def maximal(graph: Graph, candidates: Sequence[IntArray]) -> Connection:
    """All candidates of a set joined to each other."""
    return Connection(candidates)


def minimal(graph: Graph, candidates: Sequence[IntArray]) -> Connection:
    """Just enough edges to connect each set; see `LinkingProblem.minimal_connection`."""
    edges: list[tuple[int, int]] = []
    for members in candidates:
        numbers = graph.inner(members)
        inside = nx.Graph()
        inside.add_nodes_from(numbers.tolist())
        for u in numbers.tolist():
            near = graph.neighbours[graph.offsets[u] : graph.offsets[u + 1]]
            inside.add_edges_from((u, v) for v in near[np.isin(near, numbers)].tolist())
        parts = sorted(nx.connected_components(inside), key=lambda part: (-len(part), min(part)))
        hub = min(parts[0])  # inner numbers go by falling degree
        edges += [(int(graph.vertices[hub]), int(graph.vertices[min(part)])) for part in parts[1:]]
    return Connection((), edges)
