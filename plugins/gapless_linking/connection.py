"""Edges added among the candidates of one set, so that each set is connected (Blanco et al. 2013, section 5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless import InvalidProblem
from gapless.arrays.sparse import IntArray, int_array
from gapless.roles import serialisable
from gapless_linking.graph import Graph, Int32Array


def _pairs(values: Any) -> NDArray[np.int64]:
    pairs = np.asarray(values)
    if pairs.size and (pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu"):
        raise InvalidProblem(f"edges must be pairs of vertices, that is integers; got {pairs.dtype} {pairs.shape}")
    return pairs.astype(np.int64).reshape(-1, 2)


def _cliques(values: Any) -> tuple[IntArray, ...]:
    cliques = [np.asarray(members) for members in values]
    for i, members in enumerate(cliques):
        if members.ndim != 1 or (members.size and members.dtype.kind not in "iu"):
            raise InvalidProblem(
                f"cliques[{i}] must be vertices, that is integers; got {members.dtype} {members.shape}"
            )
    return tuple(int_array(members) for members in cliques)


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

    Examples
    --------
    >>> from gapless_linking import Connection, Graph
    >>> graph = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> graph.with_connection(Connection(edges=[(0, 3)])).edge_count
    4
    """

    cliques: tuple[IntArray, ...] = attrs.field(converter=_cliques, default=())
    edges: NDArray[np.int64] = attrs.field(converter=_pairs, default=())

    def flat(self, graph: Graph) -> tuple[IntArray, Int32Array]:
        """Represent all edges as cliques of inner numbers, an edge as a clique of two.

        Returns
        -------
        first : int64 (c + 1,)
        members : int32
            Inner numbers of `graph`; clique i is ``members[first[i]:first[i + 1]]``.
        """
        sizes = [members.size for members in self.cliques] + [2] * len(self.edges)
        everything = np.concatenate([*self.cliques, self.edges.ravel()])
        return np.cumsum([0, *sizes]), graph.require(everything, "connection").astype(np.int32)

    def pairs(self, graph: Graph) -> tuple[IntArray, IntArray]:
        """Return the inner numbers of both ends of each edge, in either direction, once."""
        first, members = self.flat(graph)
        u, v, _ = pairs_within(first)
        low, high = members[u].astype(np.int64), members[v].astype(np.int64)
        # Cliques and edges may repeat a pair; equal keys collapse.
        keys = np.unique(np.concatenate([low * graph.vertex_count + high, high * graph.vertex_count + low]))
        ends = np.divmod(keys, graph.vertex_count)
        different = ends[0] != ends[1]
        return ends[0][different], ends[1][different]


def pairs_within(first: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return all pairs of entries i < j of the same group, and the group. Group g is ``first[g]:first[g + 1]``."""
    group = np.repeat(np.arange(first.size - 1), np.diff(first))
    followers = first[1:][group] - np.arange(group.size) - 1
    i = np.repeat(np.arange(group.size), followers)
    j = i + 1 + np.arange(i.size) - np.repeat(np.cumsum(followers) - followers, followers)
    return i, j, group


def maximal(graph: Graph, candidates: Sequence[IntArray]) -> Connection:
    """Join all candidates of a set to each other."""
    return Connection(candidates)


def minimal(graph: Graph, candidates: Sequence[IntArray]) -> Connection:
    """Add just enough edges to connect each set; see `LinkingProblem.minimal_connection`."""
    first = np.cumsum([0, *(members.size for members in candidates)])
    numbers = graph.require(np.concatenate(list(candidates)), "candidates")
    i, j, group = pairs_within(first)
    numbers = numbers[np.lexsort((numbers, group))]  # each set by falling degree
    joined = graph.joined(numbers[i], numbers[j])
    i, j = i[joined], j[joined]
    part, previous = np.arange(numbers.size), None
    # Connected components: propagate minima along edges; jumping to the minimum's own part halves the rounds.
    while previous is None or np.any(part != previous):
        previous = part.copy()
        np.minimum.at(part, j, part[i])
        np.minimum.at(part, i, part[j])
        part = part[part]
    heads = np.flatnonzero(part == np.arange(part.size))  # the vertex of largest degree of each part
    order = np.lexsort((heads, -np.bincount(part)[heads], group[heads]))
    heads = heads[order]
    leads = np.ones(heads.size, bool)
    leads[1:] = group[heads[1:]] != group[heads[:-1]]
    hub = heads[leads][group[heads]]
    ends = np.stack([hub, heads], axis=1)[~leads]
    return Connection((), graph.vertices[numbers[ends]])
