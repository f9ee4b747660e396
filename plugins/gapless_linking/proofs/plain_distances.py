"""Distances by the textbook: breadth-first search, or Dijkstra's algorithm where edges have weights."""

from __future__ import annotations

import heapq
from collections import deque

import numpy as np

from gapless.core.sparse import FloatArray, IntArray
from gapless_linking.graph import Graph


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
        row = slice(graph.offsets[u], graph.offsets[u + 1])
        weights = graph.weights[row].tolist() if graph.weights is not None else []
        for v, weight in zip(graph.neighbours[row].tolist(), weights, strict=True):
            if v not in found:
                heapq.heappush(heap, (distance + weight, v))
    return found
