"""Shortest paths between chosen vertices, with the connection's edges: what an explanation shows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

import attrs
import networkx as nx

from gapless_linking.problem import LinkingProblem


@attrs.frozen
class Path:
    """A shortest path between what two mentions are linked to.

    `vertices`: from one chosen vertex to the other, both included. `added`: the steps that take an edge of the
    connection: step i leads from vertex i to vertex i + 1.
    """

    first: int
    second: int
    vertices: tuple[int, ...]
    added: frozenset[int]


def shortest_paths(problem: LinkingProblem, chosen: Sequence[int], mentions: Sequence[int]) -> list[Path]:
    """One shortest path for each pair of mentions; by way of vertices of large degree where there are several.

    `problem`: with a graph of unit lengths, its connection added if it has one.
    """
    steps = _Steps(problem)
    ends = {int(chosen[i]) for i in mentions}
    before = {vertex: steps.tree(vertex, ends) for vertex in ends}
    return [steps.path(i, j, before[int(chosen[i])], int(chosen[j])) for i, j in combinations(mentions, 2)]


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

    def own(self, vertex: int) -> list[int]:
        """Neighbours in the graph itself, those of large degree first."""
        (at,) = self.graph.inner([vertex]).tolist()
        near = self.graph.neighbours[self.graph.offsets[at] : self.graph.offsets[at + 1]]
        found: list[int] = self.graph.vertices[near].tolist()
        return found

    def tree(self, source: int, targets: set[int]) -> dict[int, int]:
        """For each vertex the one before it on a shortest path from the source, until all targets are reached."""
        before, front = {source: source}, [source]
        while front and not targets <= before.keys():
            further = []
            for vertex in front:
                for near in (*self.own(vertex), *(self.added.neighbors(vertex) if vertex in self.added else ())):
                    if near not in before:
                        before[near] = vertex
                        further.append(near)
            front = further
        return before

    def path(self, i: int, j: int, before: dict[int, int], target: int) -> Path:
        vertices = [target]
        while before[vertices[-1]] != vertices[-1]:
            vertices.append(before[vertices[-1]])
        vertices.reverse()
        added = frozenset(step for step, (u, v) in enumerate(pairwise(vertices)) if v not in self.own(u))
        return Path(i, j, tuple(vertices), added)
