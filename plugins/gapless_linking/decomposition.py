"""Graphs cut into parts that are joined by bridges: there the choices for the sets do not depend on each other."""

from __future__ import annotations

import attrs
import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless_kernels import bridge_tree, gate_costs, sums_below
from gapless_linking.graph import Graph
from gapless_linking.problem import LinkingProblem


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
        """Price a step away from each vertex to the candidates of its region (Theorem 1, for all cuts at once).

        Every path out of a region passes a gate, an end of a bridge; behind it lie sets, each of which counts
        twice, and anchors. So the gate is charged with 2 for each set and b(z) for each anchor behind it, as
        Theorem 1 does for one bridge after the other. What lies beyond the gate is the same for all candidates.
        Returns float64 (n,).

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
        """
        count, parts = self.part.size, self.tops.size
        # A set counts twice, because pairs are ordered; an anchor counts by its weight b(z).
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
        """Compute the cost of each vertex of a region as a set's choice, up to a constant of the region; (n,).

        One search from each gate, which does not leave the region: the base cases of Algorithm 1.
        """
        charges = self.charges(region, homes, anchors, weights)
        return gate_costs(graph.offsets, graph.neighbours, graph.weights, region, charges)


def choose(
    problem: LinkingProblem, graph: Graph, tree: PartTree, region: IntArray, homes: IntArray
) -> tuple[IntArray | None, list[str]]:
    """Pick the first cheapest candidate of each set by `PartTree.costs`; else None and the reason.

    Parameters
    ----------
    graph : Graph
        With the edges of its connection.
    region, homes
        As in `PartTree.charges`.
    """
    anchored = [(z, weight) for z, weight in problem.anchors if weight]
    anchors = graph.inner([z for z, _ in anchored])
    ends = np.concatenate([homes, tree.part[anchors]])
    component = np.where(ends >= 0, tree.component[ends], -1)
    # All sets and anchors must lie in the connected component of the first set.
    away = np.flatnonzero(component != component[0])
    if away.size:
        i = int(away[0])
        other = problem.mention(i) if i < problem.k else f"anchor {anchored[i - problem.k][0]}"
        return None, [f"no path connects {problem.mention(0)} with {other}"]
    weights = np.array([weight for _, weight in anchored])
    costs = tree.costs(graph, region, homes, anchors, weights)[graph.inner(problem.members)]
    return best_members(problem, costs - problem.weighted_prior)


def best_members(problem: LinkingProblem, costs: FloatArray) -> tuple[IntArray | None, list[str]]:
    """Pick the first candidate of each set that minimises some costs (N,).

    None, and which sets are to blame, where all costs of a set are infinite.
    """
    ranges = zip(problem.first[:-1].tolist(), problem.first[1:].tolist(), strict=True)
    chosen = np.array([a + int(costs[a:b].argmin()) for a, b in ranges])
    lost = np.flatnonzero(np.isinf(costs[chosen])).tolist()
    if lost:
        return None, [f"all candidates of {problem.mention(i)} are forbidden" for i in lost]
    return chosen, []


def split_group(graph: Graph, vertices: IntArray, group: IntArray) -> tuple[int, int] | None:
    """Find two vertices of one group that no path within the group connects; None if each group is connected.

    Returns places in `vertices`, or None.

    Parameters
    ----------
    vertices : int64 (p,)
        Inner numbers, distinct.
    group : int64 (p,)
    """
    place = np.full(graph.vertex_count, -1)
    place[vertices] = np.arange(vertices.size)
    sizes = graph.offsets[vertices + 1] - graph.offsets[vertices]
    row = np.repeat(np.arange(vertices.size), sizes)
    begin = np.cumsum(sizes) - sizes
    near = place[graph.neighbours[np.arange(row.size) + (graph.offsets[vertices] - begin)[row]]]
    inside = (near >= 0) & (group[near] == group[row])
    offsets = np.concatenate([[0], np.cumsum(np.bincount(row[inside], minlength=vertices.size))])
    _, tops, above = bridge_tree(offsets, near[inside].astype(np.int32))
    # Each connected component has one root; two roots of one group show that it is not connected.
    roots = tops[above < 0]
    roots = roots[np.argsort(group[roots], kind="stable")]
    same = np.flatnonzero(group[roots][1:] == group[roots][:-1])
    if not same.size:
        return None
    one, other = roots[same[0] : same[0] + 2].tolist()
    return one, other
