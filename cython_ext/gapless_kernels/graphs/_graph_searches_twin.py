"""Python twin of the compiled searches of graphs: same signatures, same sums in the same order, same answers."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from gapless_kernels.graphs._adjacency_arguments import check_gates, check_search_sets, check_weighted_adjacency

__all__ = ["gate_costs", "hitting_distances"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def gate_costs(
    offsets: Ints, neighbours: NDArray[np.int32], weights: Floats | None, region: Ints, charges: Floats
) -> Floats:
    """Sum, for each vertex, its distances from the charged vertices of its region, each times the charge.

    Parameters
    ----------
    offsets : int64 (n + 1,)
        The neighbours of vertex v are ``neighbours[offsets[v]:offsets[v + 1]]``.
    neighbours : int32 (2 m,)
        Each edge appears twice.
    weights : float64 (2 m,), optional
        Lengths of the edges, at least 0; 1 without them.
    region : int64 (n,)
        Paths do not leave the region of their first vertex.
    charges : float64 (n,)

    Returns
    -------
    float64 (n,)
        Each summed in the order of the charged vertices. Charged vertices to which no path leads within the region
        add nothing.

    Raises
    ------
    TypeError, ValueError
        Arrays of other types or shapes, or with numbers that are out of range.
    """
    n = check_weighted_adjacency(offsets, neighbours, weights)
    check_gates(region, charges, n)
    costs = np.zeros(n)
    for gate in np.flatnonzero(charges).tolist():
        for v, distance in _distances(offsets, neighbours, weights, [gate], region).items():
            costs[v] += charges[gate] * distance
    return costs


def hitting_distances(
    offsets: Ints, neighbours: NDArray[np.int32], weights: Floats | None, first: Ints, members: Ints, points: Ints
) -> Floats:
    """Find the distance of each point from the nearest member of each set.

    The search for each set starts at all its members at once and ends when it has visited all points.

    Parameters
    ----------
    offsets, neighbours, weights
        As in `gate_costs`.
    first : int64 (k + 1,)
        Set j holds ``members[first[j]:first[j + 1]]``; it may be empty.
    members, points : int64
        Vertices.

    Returns
    -------
    float64 (points, k)
        inf where no path leads.

    Raises
    ------
    TypeError, ValueError
        As in `gate_costs`.
    """
    n = check_weighted_adjacency(offsets, neighbours, weights)
    check_search_sets(first, members, points, n)
    table = np.full((points.size, first.size - 1), np.inf)
    for j in range(first.size - 1):
        distances = _distances(offsets, neighbours, weights, members[first[j] : first[j + 1]].tolist())
        table[:, j] = [distances.get(v, np.inf) for v in points.tolist()]
    return table


def _distances(
    offsets: Ints,
    neighbours: NDArray[np.int32],
    weights: Floats | None,
    sources: list[int],
    region: Ints | None = None,
) -> dict[int, float]:
    """Find the distance from the nearest source of each vertex that it reaches, by Dijkstra's algorithm."""
    distances: dict[int, float] = {}
    heap = [(0.0, v) for v in sources]
    heapq.heapify(heap)
    while heap:
        distance, u = heapq.heappop(heap)
        if u in distances:
            continue
        distances[u] = distance
        for edge in range(offsets[u], offsets[u + 1]):
            v = int(neighbours[edge])
            if v not in distances and (region is None or region[v] == region[u]):
                heapq.heappush(heap, (distance + (1.0 if weights is None else float(weights[edge])), v))
    return distances
