"""Python twin of the compiled search for bridges: same signatures, same answers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gapless_kernels.graphs._adjacency_arguments import check_adjacency, check_classes, check_forest, check_weights

__all__ = ["bridge_tree", "quotient_tree", "sums_below"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def bridge_tree(offsets: Ints, neighbours: NDArray[np.int32]) -> tuple[Ints, Ints, Ints]:
    """Cut a graph at its bridges, by one depth-first search in O(n + m), without recursion.

    A part is what stays connected when all bridges are gone: a 2-edge-connected component. Parts are numbered in
    the order in which the search meets them, so each comes after the one from which it was reached.

    Parameters
    ----------
    offsets : int64 (n + 1,)
        The neighbours of vertex v are ``neighbours[offsets[v]:offsets[v + 1]]``.
    neighbours : int32 (2 m,)
        Each edge appears twice; no loops, no parallel edges.

    Returns
    -------
    part : int64 (n,)
        Of each vertex.
    tops : int64 (parts,)
        The vertex at which the search entered each part.
    above : int64 (parts,)
        The other end of the bridge over which it came; -1 for the first part of a connected component.

    Raises
    ------
    TypeError, ValueError
        Arrays of other types or shapes, or with numbers that are out of range.
    """
    n = check_adjacency(offsets, neighbours)
    starts, ends, near = offsets[:-1].tolist(), offsets[1:].tolist(), neighbours.tolist()
    entered, low, parent = [-1] * n, [0] * n, [-1] * n
    cursor = list(starts)
    order: list[int] = []
    for root in range(n):
        if entered[root] >= 0:
            continue
        v = root
        entered[v] = low[v] = len(order)
        order.append(v)
        while v >= 0:
            if cursor[v] < ends[v]:
                u = near[cursor[v]]
                cursor[v] += 1
                if entered[u] < 0:
                    parent[u] = v
                    entered[u] = low[u] = len(order)
                    order.append(u)
                    v = u
                elif u != parent[v]:
                    low[v] = min(low[v], entered[u])
            else:
                up = parent[v]
                if up >= 0:
                    low[up] = min(low[up], low[v])
                v = up
    part = np.zeros(n, np.int64)
    tops: list[int] = []
    above: list[int] = []
    for v in order:
        if low[v] == entered[v]:
            part[v] = len(tops)
            tops.append(v)
            above.append(parent[v])
        else:
            part[v] = part[parent[v]]
    return part, np.array(tops, np.int64), np.array(above, np.int64)


def quotient_tree(
    offsets: Ints, neighbours: NDArray[np.int32], weights: Floats | None, classes: Ints, root: int
) -> tuple[Ints, Ints, Ints]:
    """Span a graph whose classes are shrunk to one vertex each by a breadth-first tree, in O(n + m).

    Of the edges of the graph that join a class to the one from which it was reached, the lightest stands for them;
    of equally light ones the first by its upper and then its lower end.

    Parameters
    ----------
    offsets, neighbours
        As in `bridge_tree`.
    weights : float64 (2 m,), optional
        Of the edges; 1 without them.
    classes : int64 (n,)
        The class of each vertex, 0 or more; -1 for a vertex that is a class of its own.
    root : int
        The class in which the tree begins.

    Returns
    -------
    part, tops, above
        As in `bridge_tree`, the classes being the parts; part -1 marks vertices that the tree does not reach.

    Raises
    ------
    TypeError, ValueError
        As in `bridge_tree`, or no vertex is in class `root`.
    """
    n = check_adjacency(offsets, neighbours)
    check_weights(weights, neighbours.size)
    check_classes(classes, n, root)
    class_members: list[list[int]] = [[] for _ in range(n)]
    for v in range(n):
        if classes[v] >= 0:
            class_members[classes[v]].append(v)
    part = np.full(n, -1)
    part[class_members[root]] = 0
    tops, above, lightest, queue = [class_members[root][0]], [-1], [0.0], [class_members[root]]
    for p, members in enumerate(queue):  # `queue` grows as the loop runs
        for u in members:
            for edge in range(offsets[u], offsets[u + 1]):
                v, weight = int(neighbours[edge]), 1.0 if weights is None else float(weights[edge])
                q = int(part[v])
                if q < 0:
                    queue.append(class_members[classes[v]] if classes[v] >= 0 else [v])
                    part[queue[-1]] = len(tops)
                    tops.append(v)
                    above.append(u)
                    lightest.append(weight)
                elif q > p and part[above[q]] == p and weight < lightest[q]:
                    tops[q], above[q], lightest[q] = v, u, weight
    return part, np.array(tops, np.int64), np.array(above, np.int64)


def sums_below(parents: Ints, masses: Floats) -> Floats:
    """Sum the masses of each node of a forest and of all below it, the last child first.

    Parameters
    ----------
    parents : int64 (p,)
        Smaller than the node's own number; -1 for a root.
    masses : float64 (p,)

    Returns
    -------
    float64 (p,)

    Raises
    ------
    TypeError, ValueError
        Wrong types or shapes, or a parent that does not come before its child.
    """
    check_forest(parents, masses)
    sums = masses.tolist()
    above = parents.tolist()
    for node in range(len(sums) - 1, -1, -1):
        if above[node] >= 0:
            sums[above[node]] += sums[node]
    return np.array(sums, np.float64)
