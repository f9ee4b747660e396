"""Distances by the textbook: breadth-first search, or Dijkstra's algorithm where edges have weights."""

from __future__ import annotations

import heapq
from collections import deque
from typing import Any

import attrs
import numpy as np

from gapless import InvalidProblem
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.roles import charge_work
from gapless_linking.connected_graph import changed_graph
from gapless_linking.graph import Graph
from gapless_linking.problem import LinkingProblem


def plain_distances(graph: Graph, sources: IntArray, targets: IntArray) -> FloatArray:
    """Compute the distances of targets from the nearest source; inf if no path leads. All are inner numbers.

    The search ends when it has met all targets.
    """
    search = _breadth_first if graph.weights is None else _dijkstra
    distances = search(graph, sources.tolist(), set(targets.tolist()))
    return np.array([distances.get(v, np.inf) for v in targets.tolist()], np.float64)


def _breadth_first(graph: Graph, sources: list[int], remaining: set[int]) -> dict[int, float]:
    distances = dict.fromkeys(sources, 0.0)
    remaining = remaining.difference(distances)
    queue = deque(sources)
    while queue and remaining:
        u = queue.popleft()
        charge_work(0, 0.5 + 0.05 * int(graph.offsets[u + 1] - graph.offsets[u]))
        further = distances[u] + 1.0
        for v in graph.neighbours[graph.offsets[u] : graph.offsets[u + 1]].tolist():
            if v not in distances:
                distances[v] = further
                remaining.discard(v)
                queue.append(v)
    return distances


def _dijkstra(graph: Graph, sources: list[int], remaining: set[int]) -> dict[int, float]:
    distances: dict[int, float] = {}
    heap = [(0.0, v) for v in sources]
    while heap and remaining:
        distance, u = heapq.heappop(heap)
        # An entry of the heap that a shorter path has overtaken.
        if u in distances:
            continue
        distances[u] = distance
        remaining.discard(u)
        charge_work(0, 0.5 + 0.2 * int(graph.offsets[u + 1] - graph.offsets[u]))
        row = slice(graph.offsets[u], graph.offsets[u + 1])
        weights = graph.weights[row].tolist() if graph.weights is not None else []
        for v, weight in zip(graph.neighbours[row].tolist(), weights, strict=True):
            if v not in distances:
                heapq.heappush(heap, (distance + weight, v))
    return distances


@attrs.frozen
class PlainDistances:
    """Distances of a problem's candidates, by plain searches, or as they were given.

    `graph`: with the edges of the problem's connection; None where distances were given.
    """

    problem: LinkingProblem
    graph: Graph | None

    @classmethod
    def of(cls, problem: Any) -> PlainDistances:
        """Prepare the distances of a problem; raises for other objects."""
        if not isinstance(problem, LinkingProblem):
            raise InvalidProblem(f"this evidence is for a LinkingProblem, not for a {type(problem).__name__}")
        return cls(problem, None if problem.graph is None else changed_graph(problem))

    def nearest(self, sources: IntArray) -> FloatArray:
        """Return the distances of all members from the nearest of some vertices, (N,); inf if no path leads."""
        problem = self.problem
        if self.graph is None:
            charge_work(4.0 * sources.size * problem.members.size, 10)
            far: FloatArray = problem.lengths(np.searchsorted(problem.points, sources), problem.slots).min(axis=0)
            return far
        return plain_distances(self.graph, self.graph.inner(sources), self.graph.inner(problem.members))

    def unary_costs(self) -> FloatArray:
        """Compute the unary cost of each member, (N,); inf forbids."""
        # Not `member_costs.unary_costs`: the verifier shares no arithmetic with the search.
        costs = np.zeros(self.problem.members.size)
        for z, weight in self.problem.anchors:
            if weight:
                distance = self.nearest(np.array([z]))
                costs += np.where(np.isinf(distance), np.inf, weight * distance)
        if self.problem.prior is not None and self.problem.prior_weight:
            costs -= self.problem.prior_weight * np.concatenate(self.problem.prior)
        return costs
