"""Graphs cut into parts that are joined by bridges: there the choices for the sets do not depend on each other."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless_kernels import gate_costs, sums_below
from gapless_linking.graph import Graph


@attrs.frozen(eq=False)
class PartTree:
    """Parts of a graph such that all paths between two of them go over the same bridges.

    Parameters
    ----------
    part : int64 (n,)
        The part of each vertex (inner number); -1 outside the tree.
    tops : int64 (parts,)
        The lower end of the bridge above each part, a vertex of the part.
    above : int64 (parts,)
        Its upper end, in a part that comes before; -1 for the first part of a connected component.
    """

    part: IntArray
    tops: IntArray
    above: IntArray

    @property
    def component(self) -> IntArray:
        """(parts,) The connected component of each part: parts of one stand together."""
        return np.cumsum(self.above < 0) - 1

    def charges(self, region: IntArray, homes: IntArray, anchors: IntArray, weights: FloatArray) -> FloatArray:
        """What a step away from each vertex costs the candidates of its region (Theorem 1, for all cuts at once).

        Whoever leaves a region does it through a gate, an end of a bridge; behind it lie sets, each of which counts
        twice, and anchors. So the gate is charged with 2 for each set and b(z) for each anchor behind it, as
        Theorem 1 does for one bridge after the other. What lies beyond the gate is the same for all candidates.

        Parameters
        ----------
        region : int64 (n,)
            The group of sets that each vertex serves, the same for vertices of one part; -1 for none. Bridges
            between vertices of one region are not cut.
        homes : int64 (k,)
            For each set the first part of its region.
        anchors : int64 (a,)
            Inner numbers.
        weights : float64 (a,)

        Returns
        -------
        float64 (n,)
        """
        count, parts = self.part.size, self.tops.size
        mass = np.concatenate([np.full(homes.size, 2.0), weights])
        masses = np.bincount(np.concatenate([homes, self.part[anchors]]), mass, parts).astype(np.float64)
        lower = np.flatnonzero(self.above >= 0)
        up, down = self.above[lower], self.tops[lower]
        parents = np.full(parts, -1)
        parents[lower] = self.part[up]
        below = sums_below(parents, masses)
        whole = below[np.flatnonzero(self.above < 0)][self.component]
        cut: BoolArray = region[up] != region[down]
        gates = np.concatenate([up[cut], down[cut], anchors])
        amounts = np.concatenate([below[lower[cut]], (whole - below)[lower[cut]], weights])
        return np.where(region >= 0, np.bincount(gates, amounts, count), 0.0)

    def costs(
        self, graph: Graph, region: IntArray, homes: IntArray, anchors: IntArray, weights: FloatArray
    ) -> FloatArray:
        """What each vertex of a region costs as the choice of a set, but for a constant of the region; (n,).

        One search from each gate, which does not leave the region: the base cases of Algorithm 1.
        """
        charges = self.charges(region, homes, anchors, weights)
        return gate_costs(graph.offsets, graph.neighbours, graph.weights, region, charges)


def neighbour_rows(graph: Graph, vertices: IntArray) -> tuple[IntArray, NDArray[Any]]:
    """The neighbours of some vertices (inner numbers), row by row, and where each row begins."""
    sizes = graph.offsets[vertices + 1] - graph.offsets[vertices]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    at = np.repeat(graph.offsets[vertices] - offsets[:-1], sizes) + np.arange(offsets[-1])
    return offsets, graph.neighbours[at]
