"""Rows of the arborescence polytope, and of projective trees, that a fractional point violates."""

from __future__ import annotations

import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.arrays.tolerance import INTEGRAL
from gapless_dependency import Arcs

UNIT = 1e9
"""Denominator to which points are rounded before minimum cuts are computed."""


def violated_sets(arcs: Arcs, point: FloatArray) -> BoolArray:
    """Find sets of words that arcs enter less than once, bool (sets, n + 1); none for points in the polytope.

    Words that one arc enters with weight 1 are contracted into its head: a violated set that held the word but not
    the head would be entered once, and one that holds the head may as well hold the word. Words that the root does
    not reach at all are taken first; otherwise minimum cuts from the root to each remaining word (networkx).
    `point` (float64 (arcs,)): every word has one head.
    """
    size = arcs.length + 1
    support = np.flatnonzero(point > INTEGRAL)
    leader = _contracted(arcs, support[point[support] > 1.0 - INTEGRAL], size)
    heads, words = leader[arcs.heads[support]], leader[arcs.modifiers[support]]
    kept = heads != words
    heads, words, weights = heads[kept], words[kept], point[support][kept]
    nodes = np.unique(leader)
    if nodes.size == 1:
        return np.zeros((0, size), bool)
    import networkx as nx  # noqa: PLC0415  takes a tenth of a second, and few points need it

    unreached = _unreached(heads, words, nodes, size)
    if unreached:
        # Entered by weight 0: the most violated sets there are, and found without a minimum cut.
        return np.array([np.isin(leader, list(component)) for component in unreached])
    graph = nx.DiGraph()
    graph.add_nodes_from(nodes.tolist())
    # Integer capacities: with floating ones networkx may return a cut whose value is not the reported minimum.
    capacities = np.rint(weights * UNIT).astype(np.int64).tolist()
    for head, word, capacity in zip(heads.tolist(), words.tolist(), capacities, strict=True):
        # Contraction makes parallel edges, which a DiGraph would overwrite.
        parallel = graph.get_edge_data(head, word, {"capacity": 0})["capacity"]
        graph.add_edge(head, word, capacity=parallel + capacity)
    sets: list[BoolArray] = []
    covered = np.zeros(size, bool)
    for node in nodes.tolist():
        if node == leader[0] or covered[node]:
            continue
        _, (_, beyond) = nx.minimum_cut(graph, int(leader[0]), node)
        inside: BoolArray = np.isin(leader, list(beyond))
        if point[inside[arcs.modifiers] & ~inside[arcs.heads]].sum() < 1.0 - INTEGRAL:
            # Its words need no cut of their own in this round: one violated set for each is enough to go on.
            sets.append(inside)
            covered |= inside
    return np.array(sets, bool).reshape(-1, size)


def _contracted(arcs: Arcs, certain: IntArray, size: int) -> IntArray:
    """Map each position to its representative: the topmost one above it by certain arcs, or one of a cycle."""
    above = np.arange(size)
    above[arcs.modifiers[certain]] = arcs.heads[certain]
    leader = above
    # Pointer doubling: after k rounds a position points 2^k arcs up.
    for _ in range(max(1, size.bit_length())):
        leader = leader[leader]
    # On a cycle of certain arcs the walk never ends: its smallest member represents it.
    on_cycle = np.flatnonzero(above[leader] != leader)
    for position in np.unique(leader[on_cycle]).tolist():
        loop, node = [position], int(above[position])
        while node != position:
            loop.append(node)
            node = int(above[node])
        leader[np.isin(leader, loop)] = min(loop)
    return leader


def _unreached(heads: IntArray, words: IntArray, nodes: IntArray, size: int) -> list[set[int]]:
    """Return the components that no path from the root reaches and no other such component enters."""
    import networkx as nx  # noqa: PLC0415  see `violated_sets`

    graph = nx.DiGraph()
    graph.add_nodes_from(nodes.tolist())
    graph.add_edges_from(zip(heads.tolist(), words.tolist(), strict=True))
    visited = {0} | nx.descendants(graph, 0)
    rest = graph.subgraph([node for node in nodes.tolist() if node not in visited])
    # No arc enters such a component, so its cut-set row is violated by 1.
    condensed = nx.condensation(rest)
    return [set(condensed.nodes[c]["members"]) for c in condensed if condensed.in_degree(c) == 0]


def crossed_rows(arcs: Arcs, point: FloatArray) -> IntArray:
    """Find violated rows of projective trees, int64 (rows, 4): start, stop, word between, and the arc above it."""
    rows = []
    support = np.flatnonzero(point > INTEGRAL)
    heads, words = arcs.heads[support], arcs.modifiers[support]
    for arc in support.tolist():
        start, stop = sorted((int(arcs.heads[arc]), int(arcs.modifiers[arc])))
        # Arcs into a word strictly below the arc from outside of it: one of them and the arc would cross.
        outside = (words > start) & (words < stop) & ((heads < start) | (heads > stop))
        weight = np.bincount(words[outside], point[support][outside], arcs.length + 1)
        for word in np.flatnonzero(weight + point[arc] > 1.0 + INTEGRAL).tolist():
            rows.append((start, stop, word, arc))
    return np.array(rows, np.int64).reshape(-1, 4)
