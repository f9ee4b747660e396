"""Rows of the arborescence polytope, and of projective trees, that a fractional point violates."""

from __future__ import annotations

import numpy as np

from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.core.tolerance import INTEGRAL
from gapless_dependency import Arcs

UNIT = 1e9
"""Points are rounded to fractions of it where cuts are searched."""


def violated_sets(arcs: Arcs, point: FloatArray) -> BoolArray:
    """Sets of words that arcs enter less than once, bool (sets, n + 1); none when the point is in the polytope.

    Words that one arc enters with weight 1 are contracted into its head: a violated set that held the word but not
    the head would be entered once, and one that holds the head may as well hold the word. Words that the root does
    not reach at all are taken first; else minimum cuts from the root to each word that is left (networkx). `point`
    (float64 (arcs,)): every word has one head.
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

    lost = _unreached(heads, words, nodes, size)
    if lost:
        return np.array([np.isin(leader, list(component)) for component in lost])
    graph = nx.DiGraph()
    graph.add_nodes_from(nodes.tolist())
    # Whole capacities: cuts of floating ones need not be those whose value is reported.
    whole = np.rint(weights * UNIT).astype(np.int64).tolist()
    for head, word, weight in zip(heads.tolist(), words.tolist(), whole, strict=True):
        known = graph.get_edge_data(head, word, {"capacity": 0})["capacity"]
        graph.add_edge(head, word, capacity=known + weight)
    found: list[BoolArray] = []
    covered = np.zeros(size, bool)
    for node in nodes.tolist():
        if node == leader[0] or covered[node]:
            continue
        _, (_, beyond) = nx.minimum_cut(graph, int(leader[0]), node)
        inside: BoolArray = np.isin(leader, list(beyond))
        if point[inside[arcs.modifiers] & ~inside[arcs.heads]].sum() < 1.0 - INTEGRAL:
            found.append(inside)
            covered |= inside
    return np.array(found, bool).reshape(-1, size)


def _contracted(arcs: Arcs, certain: IntArray, size: int) -> IntArray:
    """For each position its representative: the topmost that certain arcs lead to it from, or one of a cycle."""
    above = np.arange(size)
    above[arcs.modifiers[certain]] = arcs.heads[certain]
    leader = above
    for _ in range(max(1, size.bit_length())):
        leader = leader[leader]
    # On a cycle of certain arcs the walk never rests: its smallest member stands for all.
    restless = np.flatnonzero(above[leader] != leader)
    for position in np.unique(leader[restless]).tolist():
        loop, at = [position], int(above[position])
        while at != position:
            loop.append(at)
            at = int(above[at])
        leader[np.isin(leader, loop)] = min(loop)
    return leader


def _unreached(heads: IntArray, words: IntArray, nodes: IntArray, size: int) -> list[set[int]]:
    """Components of the nodes that no path from the root reaches."""
    import networkx as nx  # noqa: PLC0415  see `violated_sets`

    graph = nx.DiGraph()
    graph.add_nodes_from(nodes.tolist())
    graph.add_edges_from(zip(heads.tolist(), words.tolist(), strict=True))
    reached = {0} | nx.descendants(graph, 0)
    rest = graph.subgraph([node for node in nodes.tolist() if node not in reached])
    # A component without an arc into it from another one: what enters it is 0.
    condensed = nx.condensation(rest)
    return [set(condensed.nodes[c]["members"]) for c in condensed if condensed.in_degree(c) == 0]


def crossed_rows(arcs: Arcs, point: FloatArray) -> IntArray:
    """Violated rows of projective trees, int64 (rows, 4): start, stop, word between, and the arc that spans it."""
    found = []
    support = np.flatnonzero(point > INTEGRAL)
    heads, words = arcs.heads[support], arcs.modifiers[support]
    for arc in support.tolist():
        start, stop = sorted((int(arcs.heads[arc]), int(arcs.modifiers[arc])))
        outside = (words > start) & (words < stop) & ((heads < start) | (heads > stop))
        weight = np.bincount(words[outside], point[support][outside], arcs.length + 1)
        for word in np.flatnonzero(weight + point[arc] > 1.0 + INTEGRAL).tolist():
            found.append((start, stop, word, arc))
    return np.array(found, np.int64).reshape(-1, 4)
