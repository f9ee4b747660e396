"""Hop distances between given vertices of a graph, in NumPy: one breadth-first search for each vertex."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gapless_kernels.graphs._graph_distances_arguments import GraphSearch, check_graph, check_search

__all__ = ["graph_components", "graph_search"]

Members = npt.NDArray[np.int32]
First = npt.NDArray[np.int64]


class WaveSearch:
    """Searches in one graph; working memory is kept from one to the next.

    Parameters
    ----------
    offsets : int64 (n + 1,)
        The neighbours of vertex v are ``neighbours[offsets[v]:offsets[v + 1]]``.
    neighbours : int32 (2 m,)
        Symmetric: each edge appears twice.

    Attributes
    ----------
    words : int
        Width of the rows that are kept, 64 sources for each word; 0 before the first search. A search of w words
        keeps ``n (24 w + 20)`` bytes, and up to ``16 n w`` more where it goes far from both ends.
    """

    def __init__(self, offsets: First, neighbours: Members) -> None:
        self.offsets, self.neighbours = check_graph(offsets, neighbours)
        self.words = 0

    def distances(
        self, points: Members, clique_first: First, clique_members: Members, table: npt.NDArray[Any], words: int
    ) -> bool:
        """Fill a table with the distances between all pairs of points.

        Parameters
        ----------
        points : int32 (p,)
            Distinct vertices.
        clique_first : int64 (c + 1,)
        clique_members : int32
            Clique i joins ``clique_members[clique_first[i]:clique_first[i + 1]]`` to each other by further edges.
        table : uint8, uint16 or uint32 (p, p)
            Filled; the type's largest value where no path leads.
        words : {1, 2}
            64 `words` sources are searched from at once. Up to so many points find each other by growing balls;
            more are searched from batch by batch.

        Returns
        -------
        bool
            False if a distance does not fit into the table's type; the table is then unusable.
        """
        n = self.offsets.size - 1
        check_search(n, points, clique_first, clique_members, table, words)
        self.words = words
        unknown = int(np.iinfo(table.dtype).max)
        for row, source in enumerate(points):
            levels = np.full(n, unknown, np.int64)
            front = np.array([source])
            level = 0
            while front.size:
                levels[front] = level
                level += 1
                near = [self.neighbours[self.offsets[v] : self.offsets[v + 1]] for v in front]
                for i in range(clique_first.size - 1):
                    members = clique_members[clique_first[i] : clique_first[i + 1]]
                    if np.any(levels[members] == level - 1):
                        near.append(members)
                front = np.unique(np.concatenate(near))
                front = front[levels[front] == unknown]
                if level == unknown and not np.all(levels[points] < unknown) and front.size:
                    return False
            table[row] = levels[points]
        return True


def graph_search(offsets: First, neighbours: Members) -> GraphSearch:
    """Prepare searches of a graph; see `WaveSearch`."""
    return WaveSearch(offsets, neighbours)


def graph_components(offsets: First, neighbours: Members) -> Members:
    """Number the connected components of a graph.

    Parameters
    ----------
    offsets, neighbours
        As in `WaveSearch`.

    Returns
    -------
    int32 (n,)
        The component of each vertex; components go by their first vertex.
    """
    first, near = check_graph(offsets, neighbours)
    n = first.size - 1
    rows = np.repeat(np.arange(n), np.diff(first))
    lowest, previous = np.arange(n), np.full(n, -1)
    while not np.array_equal(lowest, previous):
        previous = lowest.copy()
        # The entry of each label's own vertex falls, too, so that all vertices with this label follow it.
        np.minimum.at(lowest, previous[rows], previous[near])
        np.minimum.at(lowest, rows, previous[near])
        lowest = lowest[lowest]
    return np.unique(lowest, return_inverse=True)[1].astype(np.int32)
