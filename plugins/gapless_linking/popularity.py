"""The methods ``degree`` and ``pagerank``: the most popular candidate of each set, whatever the others are."""

from __future__ import annotations

import weakref
from collections.abc import Hashable
from typing import Any

import numpy as np

from gapless import Result
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.arrays.spelling_hint import check_choice
from gapless.roles import SolveRequest
from gapless_linking.connected_graph import changed_graph, graph_of
from gapless_linking.decomposition import best_members
from gapless_linking.graph import Graph
from gapless_linking.heuristic import chosen_by
from gapless_linking.problem import LinkingProblem

DAMPING = 0.85
_CHANGE = 1e-6
"""Share of the whole rank that may still move in the last round. networkx would allow this for each vertex, so that
it stops at once on a graph of millions."""
_ROUNDS = 200
_RANKS: weakref.WeakKeyDictionary[Graph, FloatArray] = weakref.WeakKeyDictionary()


def run_degree(problem: LinkingProblem, request: SolveRequest, *, bound: bool = False) -> Result[IntArray]:
    """Choose the candidate of largest degree (Blanco, Boldi, Marino 2013, section 6), the first of equals.

    Degrees are those with the edges of the connection. Forbidden candidates are passed over; otherwise neither
    prior nor anchors matter. `bound`: whether to bound the cost of all choices by hitting distances; without it
    nothing is proved.
    """
    graph = graph_of(problem)
    return chosen_by(
        problem, request, lambda: _most_popular(problem, graph.degree(problem.members, problem.connection)), bound
    )


def run_pagerank(
    problem: LinkingProblem, request: SolveRequest, *, on: str = "connected", bound: bool = False
) -> Result[IntArray]:
    """Choose the candidate of largest PageRank (Blanco, Boldi, Marino 2013, section 6), the first of equals.

    Ranks are found by power iteration with damping 0.85, as networkx does it. Raises `UnknownOption`: `on` is
    neither.

    Parameters
    ----------
    on : {"connected", "graph"}
        ``connected``: ranks of the graph with the edges of the connection, as in the paper, found anew for each
        problem, beginning with those of the graph: some 0.05 s with 27,000 vertices and 0.8 s with 300,000.
        ``graph``: ranks of the graph alone, found once and kept: for many documents on a large graph.
    bound : bool
        As in `run_degree`.
    """
    check_choice("on", on, ("connected", "graph"))
    graph = graph_of(problem)

    def popularity() -> FloatArray:
        ranks = _RANKS.get(graph)
        if ranks is None:
            ranks = _RANKS[graph] = graph_pagerank(graph)
        if on == "graph" or problem.connection is None:
            return ranks[graph.inner(problem.members)]
        changed = changed_graph(problem)
        # Added edges move few ranks, so those of the graph are a good beginning.
        return graph_pagerank(changed, ranks[graph.inner(changed.vertices)])[changed.inner(problem.members)]

    return chosen_by(problem, request, lambda: _most_popular(problem, popularity()), bound)


def graph_pagerank(graph: Graph, begin: FloatArray | None = None) -> FloatArray:
    """Compute PageRank of each vertex (inner number) of an undirected graph; edges count by their weights.

    `begin` (float64 (n,)): ranks to begin with.
    """
    weights = np.ones(graph.neighbours.size) if graph.weights is None else graph.weights
    leaving = _row_sums(graph.offsets, weights)
    if begin is None:  # without damping, these are the ranks
        total = leaving.sum()
        begin = leaving / total if total else np.full(leaving.size, 1.0 / leaving.size)
    return _power_iteration(graph.offsets, graph.neighbours, graph.weights, leaving, begin)


def directed_pagerank(graph: Any) -> dict[Hashable, float]:
    """Compute PageRank of each node of a networkx DiGraph, where links go one way.

    For degree, take the graph's own ``in_degree``.
    """
    nodes = {node: number for number, node in enumerate(graph)}
    arcs = np.array([(nodes[u], nodes[v]) for u, v in graph.edges], np.int64).reshape(-1, 2)
    arcs = arcs[np.argsort(arcs[:, 1], kind="stable")]
    offsets = np.searchsorted(arcs[:, 1], np.arange(len(nodes) + 1))
    leaving = np.bincount(arcs[:, 0], minlength=len(nodes)).astype(np.float64)
    ranks = _power_iteration(offsets, arcs[:, 0], None, leaving, np.full(len(nodes), 1.0 / len(nodes)))
    return dict(zip(nodes, ranks.tolist(), strict=True))


def _most_popular(problem: LinkingProblem, popularity: Any) -> tuple[IntArray | None, list[str]]:
    return best_members(problem, np.where(np.isfinite(problem.unary_costs), -popularity.astype(np.float64), np.inf))


def _power_iteration(
    offsets: IntArray, sources: Any, weights: FloatArray | None, leaving: FloatArray, begin: FloatArray
) -> FloatArray:
    """Iterate ranks until they settle.

    Row v of the sparse rows lists the sources of the arcs into v; `leaving` is the total weight of the arcs out of
    each vertex.
    """
    n = leaving.size
    lost = leaving < np.finfo(np.float64).tiny  # whose inverse would overflow
    share = np.divide(1.0, leaving, out=np.zeros(n), where=~lost)
    ranks = begin
    # With damping 0.85 the change shrinks by that factor per round, so the limit is a safeguard.
    for _ in range(_ROUNDS):
        sent = (ranks * share)[sources]
        if weights is not None:
            sent *= weights
        updated = _row_sums(offsets, sent)
        # Vertices without edges spread their rank evenly, as in networkx.
        updated = DAMPING * (updated + ranks[lost].sum() / n) + (1.0 - DAMPING) / n
        change = np.abs(updated - ranks).sum()
        ranks = updated
        if change < _CHANGE:
            break
    return ranks


def _row_sums(offsets: IntArray, values: FloatArray) -> FloatArray:
    """Sum the rows of compressed sparse rows, some of which may be empty."""
    sums = np.zeros(offsets.size - 1)
    filled = np.flatnonzero(np.diff(offsets))
    if filled.size:
        sums[filled] = np.add.reduceat(values, offsets[filled])
    return sums
