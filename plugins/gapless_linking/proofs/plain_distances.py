"""Distances by the textbook: breadth-first search, or Dijkstra's algorithm where edges have weights."""

from __future__ import annotations

import heapq
from collections import deque
from typing import Any

import attrs
import numpy as np

from gapless import InvalidProblem
from gapless.core.sparse import FloatArray, IntArray
from gapless.roles import spend_work
from gapless_linking.changed_graph import changed_graph
from gapless_linking.graph import Graph
from gapless_linking.problem import LinkingProblem


def plain_distances(graph: Graph, sources: IntArray, targets: IntArray) -> FloatArray:
    """Distances of targets from the nearest source; inf where no path leads. All are inner numbers.

    The search ends when it has met all targets.
    """
    search = _breadth_first if graph.weights is None else _dijkstra
    found = search(graph, sources.tolist(), set(targets.tolist()))
    return np.array([found.get(v, np.inf) for v in targets.tolist()], np.float64)


def _breadth_first(graph: Graph, sources: list[int], left: set[int]) -> dict[int, float]:
    found = dict.fromkeys(sources, 0.0)
    left = left.difference(found)
    queue = deque(sources)
    while queue and left:
        u = queue.popleft()
        spend_work(0, 0.5 + 0.05 * int(graph.offsets[u + 1] - graph.offsets[u]))
        further = found[u] + 1.0
        for v in graph.neighbours[graph.offsets[u] : graph.offsets[u + 1]].tolist():
            if v not in found:
                found[v] = further
                left.discard(v)
                queue.append(v)
    return found


def _dijkstra(graph: Graph, sources: list[int], left: set[int]) -> dict[int, float]:
    found: dict[int, float] = {}
    heap = [(0.0, v) for v in sources]
    while heap and left:
        distance, u = heapq.heappop(heap)
        if u in found:
            continue
        found[u] = distance
        left.discard(u)
        spend_work(0, 0.5 + 0.2 * int(graph.offsets[u + 1] - graph.offsets[u]))
        row = slice(graph.offsets[u], graph.offsets[u + 1])
        weights = graph.weights[row].tolist() if graph.weights is not None else []
        for v, weight in zip(graph.neighbours[row].tolist(), weights, strict=True):
            if v not in found:
                heapq.heappush(heap, (distance + weight, v))
    return found


@attrs.frozen
class PlainDistances:
    """Distances of a problem's candidates, by plain searches, or as they were given.

    `graph`: with the edges of the problem's connection; None where distances were given.
    """

    problem: LinkingProblem
    graph: Graph | None

    @classmethod
    def of(cls, problem: Any) -> PlainDistances:
        """Those of a problem; refuses what is none."""
        if not isinstance(problem, LinkingProblem):
            raise InvalidProblem(f"this evidence is for a LinkingProblem, not for a {type(problem).__name__}")
        return cls(problem, None if problem.graph is None else changed_graph(problem))

    def nearest(self, sources: IntArray) -> FloatArray:
        """(N,) Distances of all members from the nearest of some vertices; inf where no path leads."""
        problem = self.problem
        if self.graph is None:
            spend_work(4.0 * sources.size * problem.members.size, 10)
            far: FloatArray = problem.lengths(np.searchsorted(problem.points, sources), problem.slots).min(axis=0)
            return far
        return plain_distances(self.graph, self.graph.inner(sources), self.graph.inner(problem.members))

    def own_costs(self) -> FloatArray:
        """(N,) What each member costs by itself; inf forbids."""
        problem = self.problem
        costs = np.zeros(problem.members.size)
        for z, weight in problem.anchors:
            if weight:
                far = self.nearest(np.array([z]))
                costs += np.where(np.isinf(far), np.inf, weight * far)
        if problem.prior is not None and problem.prior_weight:
            costs -= problem.prior_weight * np.concatenate(problem.prior)
        return costs
