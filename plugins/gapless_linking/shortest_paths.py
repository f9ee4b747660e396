"""Shortest paths between chosen vertices, with the connection's edges, for explanations."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

import attrs
import networkx as nx
import numpy as np

from gapless.arrays.sparse import IntArray
from gapless_linking.problem import LinkingProblem


@attrs.frozen
class Path:
    """A shortest path between the candidates of two mentions.

    `vertices`: from one chosen vertex to the other, both included. `added`: the steps that take an edge of the
    connection: step i leads from vertex i to vertex i + 1.
    """

    first: int
    second: int
    vertices: tuple[int, ...]
    added: frozenset[int]


def shortest_paths(problem: LinkingProblem, chosen: Sequence[int], mentions: Sequence[int]) -> list[Path]:
    """Find one shortest path for each pair of mentions; among several the one through vertices of large degree.

    `problem`: with a graph of unit lengths, its connection added if it has one.
    """
    steps = _Steps(problem)
    ends = {int(chosen[i]) for i in mentions}
    trees = {vertex: steps.tree(vertex, ends) for vertex in ends}
    return [steps.path(i, j, trees[int(chosen[i])], int(chosen[j])) for i, j in combinations(mentions, 2)]


class _Steps:
    def __init__(self, problem: LinkingProblem) -> None:
        graph = problem.graph
        assert graph is not None
        self.graph = graph
        self.added = nx.Graph()
        if problem.connection is not None:
            self.added.add_edges_from(problem.connection.edges.tolist())
            for members in problem.connection.cliques:
                self.added.add_edges_from(combinations(members.tolist(), 2))
        both = np.array([edge for u, v in self.added.edges for edge in ((u, v), (v, u))], np.int64).reshape(-1, 2)
        self.tails, self.heads = graph.inner(both.T)

    def own(self, vertex: int) -> list[int]:
        """Return the neighbours in the graph without the connection, large degrees first."""
        (index,) = self.graph.inner([vertex]).tolist()
        near = self.graph.neighbours[self.graph.offsets[index] : self.graph.offsets[index + 1]]
        neighbours: list[int] = self.graph.vertices[near].tolist()
        return neighbours

    def tree(self, source: int, targets: set[int]) -> IntArray:
        """Compute each vertex's predecessor on a shortest path from the source, until all targets are reached.

        Vertices by their inner numbers; -1 for those that were not reached.
        """
        graph, ends = self.graph, self.graph.inner(sorted(targets))
        previous = np.full(graph.vertex_count, -1)
        rank = np.full(graph.vertex_count, -1)
        front = graph.inner([source])
        previous[front] = front
        while front.size and (previous[ends] < 0).any():
            first, counts = graph.offsets[front], graph.offsets[front + 1] - graph.offsets[front]
            # Positions of all edges out of the front, row after row.
            indices = np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
            rank[front] = np.arange(front.size)
            beyond = np.flatnonzero(rank[self.tails] >= 0)
            above = np.concatenate([np.repeat(front, counts), self.tails[beyond]])
            near = np.concatenate([graph.neighbours[indices], self.heads[beyond]])
            order = np.argsort(rank[above], kind="stable")  # as they come, vertex by vertex of the front
            above, near = above[order], near[order]
            rank[front] = -1
            # Neighbours appear in the order of the front; the first edge to reach a vertex wins.
            fresh = previous[near] < 0
            new, index = np.unique(near[fresh], return_index=True)
            previous[new] = above[fresh][index]
            front = new[np.argsort(index)]
        return previous

    def path(self, i: int, j: int, previous: IntArray, target: int) -> Path:
        [index] = self.graph.inner([target]).tolist()
        inner = [index]
        while previous[inner[-1]] != inner[-1]:
            inner.append(int(previous[inner[-1]]))
        vertices = self.graph.vertices[inner[::-1]].tolist()
        added = frozenset(step for step, (u, v) in enumerate(pairwise(vertices)) if v not in self.own(u))
        return Path(i, j, tuple(vertices), added)
