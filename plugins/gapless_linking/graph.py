"""An undirected graph in compressed sparse rows, vertices numbered inside by falling degree."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

import attrs
import networkx as nx
import numpy as np
from numpy.typing import NDArray

from gapless import InvalidProblem
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray, float_array, frozen_array, int_array
from gapless.roles import serialisable
from gapless_kernels import GraphSearch, graph_components
from gapless_linking.graph_building import compressed, edge_arrays, flaw, numbered, repeated
from gapless_linking.graph_files import read_arrays, write_arrays
from gapless_linking.graph_reading import read_edges

Int32Array = NDArray[np.int32]

_TABLE = 4
"""Ids below this multiple of the number of vertices are looked up in a table."""


def _int32(values: Any) -> Int32Array:
    return frozen_array(values, np.int32)


def _names(values: Iterable[str] | None) -> tuple[str, ...] | None:
    return None if values is None else tuple(values)


class AddedEdges(Protocol):
    """Edges of length 1 on top of a graph; implemented by `gapless_linking.Connection`."""

    def flat(self, graph: Graph) -> tuple[IntArray, Int32Array]:
        """Represent all edges as cliques of inner numbers."""

    def pairs(self, graph: Graph) -> tuple[IntArray, IntArray]:
        """Return the inner numbers of both ends of each edge, in either direction, once."""


@serialisable("gapless_linking.Graph")
@attrs.frozen(eq=False, repr=False)
class Graph:
    """An undirected graph without loops or parallel edges; make it by `read`, `load` or a ``from_...`` builder.

    The builders read each edge in both directions, drop loops, and of parallel edges keep the lightest. With
    ``largest_component=True`` they leave out all vertices outside the largest connected component.

    Parameters
    ----------
    offsets : int64 (n + 1,)
        The neighbours of inner number v are ``neighbours[offsets[v]:offsets[v + 1]]``, ascending.
    neighbours : int32 (2 m,)
        Inner numbers; each edge stands here twice.
    weights : float64 (2 m,), optional
        Positive lengths of the edges; 1 without them.
    vertices : int64 (n,)
        The id of the vertex of each inner number. Inner numbers go by falling degree.
    left_out : int64, optional
        Ids outside the largest component, ascending.
    names : tuple of str, optional
        ``names[i]`` is the name of the vertex with id i.

    Attributes
    ----------
    searches : list of GraphSearch
        Idle searches, whose working memory is reused.

    Examples
    --------
    >>> from gapless_linking import Graph
    >>> graph = Graph.from_edges([(0, 1), (1, 2)])
    >>> graph.vertex_count, graph.edge_count
    (3, 2)
    """

    offsets: IntArray = attrs.field(converter=int_array)
    neighbours: Int32Array = attrs.field(converter=_int32)
    weights: FloatArray | None = attrs.field(converter=attrs.converters.optional(float_array))
    vertices: IntArray = attrs.field(converter=int_array)
    left_out: IntArray = attrs.field(converter=int_array, default=())
    names: tuple[str, ...] | None = attrs.field(converter=_names, default=None)

    def __attrs_post_init__(self) -> None:
        n, ends = self.vertices.size, self.neighbours.size
        if self.offsets.size != n + 1 or self.offsets[0] != 0 or self.offsets[-1] != ends:
            raise InvalidProblem(f"offsets must be {n + 1} numbers from 0 to the number of neighbours, {ends}")
        if self.weights is not None and self.weights.size != ends:
            raise InvalidProblem(f"there are {self.weights.size} weights for {ends} neighbours")
        # Files can be forged, and libraries that search a graph index by these arrays without checks.
        if np.any(self.offsets[1:] < self.offsets[:-1]):
            raise InvalidProblem("offsets fall")
        if ends and not 0 <= self.neighbours.min() <= self.neighbours.max() < n:
            raise InvalidProblem(f"neighbours must be inner numbers, from 0 to {n - 1}")
        if n and self.vertices.min() < 0:
            raise InvalidProblem(f"vertices names {self.vertices.min()}: ids of vertices are not negative")
        # Dijkstra's algorithm needs positive weights; NaN fails the comparison.
        if self.weights is not None and ends and not 0 < self.weights.min() <= self.weights.max() < np.inf:
            raise InvalidProblem("weights must be positive numbers")
        twice = repeated(self.vertices)
        if twice is not None:
            raise InvalidProblem(f"vertices names {twice} twice: each vertex has an id of its own")
        wrong = flaw(self.offsets, self.neighbours, self.weights)
        if wrong is not None:
            raise InvalidProblem(f"neighbours: {wrong}")

    # --- builders

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, largest_component: bool = False) -> Graph:
        """Read the graph of a file of edges, plain or .gz.

        Parameters
        ----------
        path : path
            One edge a line: two ids, and a weight on all lines or on none, apart from each other by blanks, tabs.
            Empty lines and lines that start with ``#`` or ``%`` are skipped.
        largest_component : bool

        Raises
        ------
        InvalidProblem
            Ids that are not whole numbers from 0 on, weights that are not positive, too few or too many fields, a
            truncated .gz file; the message names the file and the line.
        """
        edges, weights = read_edges(Path(path))
        return cls._built(edges[:, 0], edges[:, 1], weights, largest_component)

    @classmethod
    def from_edges(cls, edges: Any, weights: Any = None, *, largest_component: bool = False) -> Graph:
        """Build the graph of an (m, 2) array of vertex ids; weights (m,)."""
        first, second, lengths = edge_arrays(edges, weights)
        return cls._built(first, second, lengths, largest_component)

    @classmethod
    def from_arrays(
        cls, offsets: Any, neighbours: Any, weights: Any = None, *, largest_component: bool = False
    ) -> Graph:
        """Build the graph of compressed sparse rows.

        Vertex v, of n, has ``neighbours[offsets[v]:offsets[v + 1]]``.
        """
        rows = np.asarray(offsets)
        if rows.ndim != 1 or rows.size < 2 or rows[0] != 0 or np.any(np.diff(rows) < 0):
            raise InvalidProblem("offsets must start at 0 and never fall")
        if rows[-1] != np.size(neighbours):
            raise InvalidProblem(f"offsets ends at {rows[-1]}, there are {np.size(neighbours)} neighbours")
        pairs = np.stack([np.repeat(np.arange(rows.size - 1), np.diff(rows)), np.asarray(neighbours)], axis=1)
        first, second, lengths = edge_arrays(pairs, weights)
        return cls._built(first, second, lengths, largest_component, np.arange(rows.size - 1))

    @classmethod
    def from_scipy(cls, matrix: Any, *, largest_component: bool = False) -> Graph:
        """Build the graph of a square scipy.sparse matrix: entry (u, v) is the length of an edge.

        All edges have length 1 where the entries are bool or all 1.
        """
        if not hasattr(matrix, "tocoo"):
            raise InvalidProblem(f"the matrix is a {type(matrix).__name__}, expected one of scipy.sparse")
        entries = matrix.tocoo()
        if entries.shape[0] != entries.shape[1]:
            raise InvalidProblem(f"the matrix is {entries.shape}, expected a square one")
        unit = entries.dtype.kind == "b" or bool(np.all(entries.data == 1))
        pairs = np.stack([entries.row, entries.col], axis=1)
        first, second, lengths = edge_arrays(pairs, None if unit else entries.data)
        return cls._built(first, second, lengths, largest_component, np.arange(entries.shape[0]))

    @classmethod
    def from_networkx(cls, graph: Any, weight: str | None = None, *, largest_component: bool = False) -> Graph:
        """Build the graph of a networkx graph.

        Parameters
        ----------
        graph : networkx.Graph or one of its kin
            Nodes that are integers are the ids. Nodes that are strings become `names`, their ids go by their order.
        weight : str, optional
            The edge attribute that holds lengths; edges without it have length 1, but one edge has it.
        largest_component : bool
        """
        nodes, names = list(graph.nodes), None
        ids = {node: node for node in nodes}
        if nodes and all(isinstance(node, str) for node in nodes):
            names, ids = tuple(nodes), {node: i for i, node in enumerate(nodes)}
        elif any(isinstance(node, bool) or not isinstance(node, int | np.integer) for node in nodes):
            raise InvalidProblem("nodes must all be integers or all be strings")
        pairs = np.array([(ids[u], ids[v]) for u, v in graph.edges()], np.int64).reshape(-1, 2)
        lengths = None if weight is None else [data.get(weight, 1.0) for *_, data in graph.edges(data=True)]
        if lengths and not any(weight in data for *_, data in graph.edges(data=True)):
            raise InvalidProblem(f"no edge has the attribute {weight!r}")
        first, second, costs = edge_arrays(pairs, lengths)
        all_ids = np.array(sorted(ids.values()), np.int64)
        return cls._built(first, second, costs, largest_component, all_ids, names)

    @classmethod
    def _built(
        cls,
        first: IntArray,
        second: IntArray,
        weights: FloatArray | None,
        largest_component: bool,
        ids: IntArray | None = None,
        names: tuple[str, ...] | None = None,
    ) -> Graph:
        """Build the graph of edges between ids; its vertices are `ids`, or else the ends of the edges."""
        ids, u, v = numbered(first, second, ids)
        if not ids.size:
            raise InvalidProblem("the graph has no vertices")
        offsets, neighbours, lengths, number = compressed(u, v, weights, ids.size)
        graph = cls(offsets, neighbours, lengths, ids[number], (), names)
        return graph.largest_component() if largest_component else graph

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, memory_map: bool = True) -> Graph:
        """Load a graph that `save` wrote.

        Parameters
        ----------
        path : path
        memory_map : bool
            Read what is used when it is used, instead of all at once.

        Raises
        ------
        InvalidProblem
            The file is truncated, or no graph.
        """
        fields = read_arrays(Path(path), memory_map)
        expected = {field.name for field in attrs.fields(Graph)}
        if fields.keys() != expected or {name for name in expected if fields[name] is None} - {"weights", "names"}:
            raise InvalidProblem(f"{path} is damaged: it holds other arrays than those of a graph")
        return cls(**fields)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one file; it appears under its name once it is complete."""
        write_arrays(Path(path), {field.name: getattr(self, field.name) for field in attrs.fields(Graph)})

    # --- other graphs

    def largest_component(self) -> Graph:
        """Return the largest connected component; among equals the one with the vertex of largest degree."""
        labels = graph_components(self.offsets, self.neighbours)
        keep_mask: BoolArray = labels == np.argmax(np.bincount(labels))
        if np.all(keep_mask):
            return self
        ends = np.repeat(keep_mask, np.diff(self.offsets))
        number = np.cumsum(keep_mask) - 1
        return Graph(
            np.concatenate([[0], np.cumsum(np.diff(self.offsets)[keep_mask])]),
            number[self.neighbours[ends]],
            None if self.weights is None else self.weights[ends],
            self.vertices[keep_mask],
            np.union1d(self.left_out, self.vertices[~keep_mask]),
            self.names,
        )

    def with_connection(self, connection: AddedEdges) -> Graph:
        """Copy the graph with the edges of `connection`; meant for small graphs, or if nothing else works."""
        return self.with_cliques(*connection.flat(self))

    def with_cliques(self, clique_first: IntArray, clique_members: Int32Array) -> Graph:
        """Copy the graph with more edges of length 1, given as in `Connection.flat`."""
        new = [
            members[np.stack(np.triu_indices(members.size, 1), axis=1)]
            for members in np.split(clique_members, clique_first[1:-1])
        ]
        rows = np.repeat(np.arange(self.vertex_count), np.diff(self.offsets))
        # Each edge once: `compressed` adds the other direction.
        half = rows < self.neighbours
        pairs = np.concatenate([np.stack([rows[half], self.neighbours[half]], axis=1), *new])
        weights = None
        if self.weights is not None:
            weights = np.concatenate([self.weights[half], np.ones(len(pairs) - np.count_nonzero(half))])
        offsets, neighbours, lengths, number = compressed(pairs[:, 0], pairs[:, 1], weights, self.vertex_count)
        return Graph(offsets, neighbours, lengths, self.vertices[number], self.left_out, self.names)

    def to_networkx(self) -> Any:
        """Return a networkx.Graph over ids, with the attribute ``weight``."""
        graph = nx.Graph()
        graph.add_nodes_from(self.vertices.tolist())
        rows = np.repeat(np.arange(self.vertex_count), np.diff(self.offsets))
        weights = np.ones(self.neighbours.size) if self.weights is None else self.weights
        ends = self.vertices[rows].tolist(), self.vertices[self.neighbours].tolist()
        graph.add_weighted_edges_from(zip(*ends, weights.tolist(), strict=True))
        return graph

    # --- vertices

    @property
    def vertex_count(self) -> int:
        """The number of vertices."""
        return self.vertices.size

    @property
    def edge_count(self) -> int:
        """The number of edges."""
        return self.neighbours.size // 2

    @functools.cached_property
    def searches(self) -> list[GraphSearch]:
        """See the class."""
        return []

    @functools.cached_property
    def _table(self) -> Int32Array | None:
        """Inner numbers by id, where ids are dense."""
        if self.vertices.max() >= _TABLE * self.vertex_count:
            return None
        table = np.full(int(self.vertices.max()) + 1, -1, np.int32)
        table[self.vertices] = np.arange(self.vertex_count, dtype=np.int32)
        return table

    @functools.cached_property
    def _by_id(self) -> IntArray:
        return np.argsort(self.vertices)

    def inner(self, vertices: Any) -> IntArray:
        """Return the inner numbers of vertices; -1 if the graph has no such vertex."""
        ids = np.asarray(vertices, np.int64)
        if self._table is not None:
            inside = (ids >= 0) & (ids < self._table.size)
            return np.where(inside, self._table[np.where(inside, ids, 0)], -1).astype(np.int64)
        index = np.searchsorted(self.vertices, ids, sorter=self._by_id)
        nearest = self._by_id[np.minimum(index, self.vertex_count - 1)]
        return np.where(self.vertices[nearest] == ids, nearest, -1)

    def require(self, vertices: Any, location: str) -> IntArray:
        """Return the inner numbers of vertices that must exist; the message names the first that does not."""
        numbers = self.inner(vertices)
        if np.any(numbers < 0):
            missing = np.asarray(vertices)[numbers < 0][0]
            # The likelier mistake gets its own message.
            if np.isin(missing, self.left_out):
                raise InvalidProblem(f"{location}: vertex {missing} is outside the largest component of the graph")
            raise InvalidProblem(f"{location}: the graph has no vertex {missing}")
        return numbers

    def degree(self, vertices: Any, connection: AddedEdges | None = None) -> IntArray:
        """Count the edges of vertices, including those of `connection`."""
        numbers = self.require(vertices, "vertices")
        degrees = np.diff(self.offsets)[numbers]
        if connection is None:
            return degrees
        u, v = connection.pairs(self)
        # An added edge that the graph has already counts once.
        more = np.bincount(u[~self.joined(u, v)], minlength=self.vertex_count)
        return np.asarray(degrees + more[numbers])

    def joined(self, u: IntArray, v: IntArray) -> BoolArray:
        """Return whether edges join the inner numbers u[i] and v[i], by binary search in the shorter row."""
        row, target = np.maximum(u, v), np.minimum(u, v)  # inner numbers go by falling degree
        low, end = self.offsets[row], self.offsets[row + 1]
        high = end.copy()
        for _ in range(int((end - low).max(initial=0)).bit_length()):
            middle = (low + high) // 2
            inside = low < high
            less = inside & (self.neighbours[np.where(inside, middle, 0)] < target)
            low, high = np.where(less, middle + 1, low), np.where(inside & ~less, middle, high)
        matches = low < end
        matches[matches] = self.neighbours[low[matches]] == target[matches]
        return np.asarray(matches)

    def __repr__(self) -> str:
        return f"<Graph: {self.vertex_count} vertices, {self.edge_count} edges>"
