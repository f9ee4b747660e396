"""An undirected graph in compressed sparse rows, vertices numbered inside by falling degree."""

from __future__ import annotations

import functools
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless import InvalidProblem, serialisable
from gapless.core.sparse import FloatArray, IntArray, float_array, frozen_array, int_array

Int32Array = NDArray[np.int32]


def _int32(values: Any) -> Int32Array:
    return frozen_array(values, np.int32)


@serialisable("gapless_linking.Graph")
@attrs.frozen(eq=False, repr=False)
class Graph:
    """An undirected graph without loops or parallel edges; make it by one of the ``from_...`` builders.

    Parameters
    ----------
    offsets : int64 (n + 1,)
        The neighbours of inner number v are ``neighbours[offsets[v]:offsets[v + 1]]``, ascending.
    neighbours : int32 (2 m,)
        Inner numbers; each edge stands here twice.
    weights : float64 (2 m,), optional
        Positive lengths of the edges; 1 without them.
    vertices : int64 (n,)
        What the vertex of each inner number is called outside. Inner numbers go by falling degree.
    """

    offsets: IntArray = attrs.field(converter=int_array)
    neighbours: Int32Array = attrs.field(converter=_int32)
    weights: FloatArray | None = attrs.field(converter=attrs.converters.optional(float_array))
    vertices: IntArray = attrs.field(converter=int_array)

    @classmethod
    def from_edges(cls, edges: Any, weights: Any = None) -> Graph:
        """The graph of an (m, 2) array of vertex ids; symmetrised."""
        pairs = np.asarray(edges, np.int64).reshape(-1, 2)
        costs = np.ones(len(pairs)) if weights is None else np.asarray(weights, np.float64)
        costs, pairs = costs[pairs[:, 0] != pairs[:, 1]], pairs[pairs[:, 0] != pairs[:, 1]]
        names, inner = np.unique(pairs, return_inverse=True)
        inner = inner.reshape(-1, 2)
        both = np.concatenate([inner, inner[:, ::-1]])
        twice = np.concatenate([costs, costs])
        order = np.lexsort((twice, both[:, 1], both[:, 0]))
        both, twice = both[order], twice[order]
        first = np.ones(len(both), bool)
        first[1:] = np.any(both[1:] != both[:-1], axis=1)
        both, twice = both[first], twice[first]
        degree = np.bincount(both[:, 0], minlength=names.size)
        by_degree = np.argsort(-degree, kind="stable")
        number = np.empty(names.size, np.int64)
        number[by_degree] = np.arange(names.size)
        both = number[both]
        order = np.lexsort((both[:, 1], both[:, 0]))
        return cls(
            np.concatenate([[0], np.cumsum(degree[by_degree])]),
            both[order, 1],
            None if weights is None else twice[order],
            names[by_degree],
        )

    @property
    def vertex_count(self) -> int:
        """The number of vertices."""
        return self.vertices.size

    @property
    def edge_count(self) -> int:
        """The number of edges."""
        return self.neighbours.size // 2

    @functools.cached_property
    def _by_id(self) -> IntArray:
        return np.argsort(self.vertices, kind="stable")

    def inner(self, vertices: Any) -> IntArray:
        """Inner numbers of vertices; -1 where the graph has no such vertex."""
        asked = np.asarray(vertices, np.int64)
        at = np.searchsorted(self.vertices, asked, sorter=self._by_id)
        found = self._by_id[np.minimum(at, self.vertex_count - 1)]
        return np.where(self.vertices[found] == asked, found, -1)

    def require(self, vertices: Any, place: str) -> IntArray:
        """Inner numbers of vertices that must be there; the message names the first that is not."""
        numbers = self.inner(vertices)
        if np.any(numbers < 0):
            missing = np.asarray(vertices)[numbers < 0][0]
            raise InvalidProblem(f"{place}: the graph has no vertex {missing}")
        return numbers

    def __repr__(self) -> str:
        return f"<Graph: {self.vertex_count} vertices, {self.edge_count} edges>"
