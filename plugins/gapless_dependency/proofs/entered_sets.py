"""A bound on arborescences by weak duality: prices of sets of words that every tree must enter."""

from __future__ import annotations

import math

import attrs
import numpy as np

from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless_dependency.proofs.rounding import ULP


@attrs.frozen(eq=False)
class SetPrices:
    """Sets of words, each entered by at least one arc of any tree (one word: by exactly one).

    A price is a pair of a rank and a value, and so is the score of an arc; pairs are compared by their ranks first.

    Parameters
    ----------
    members : bool (sets, n + 1)
        Without the root. The first n are the single words in order.
    ranks : float64 (sets,)
        Whole numbers.
    values : float64 (sets,)
    """

    members: BoolArray
    ranks: FloatArray
    values: FloatArray


def arborescence_bounds(weights: FloatArray, single_root: bool) -> tuple[float, FloatArray]:
    r"""A bound on all trees, and on the trees with each arc; what rounding may cost is in them.

    For any prices y as in `SetPrices`, not positive but for single words, a tree T has
    :math:`w(T) \le \sum_S y_S + \sum_{e \in T} r_e, r_e = w_e - \sum_{S\ entered\ by\ e} y_S`,
    because each set is entered at least once; the arc into a word adds no more than the largest r of that word.
    With a single root this holds for pairs, where an arc from the root ranks -1 and any other 0: a tree of one root
    ranks -1, so a bound of rank -1 bounds its weight, and one of a lower rank says that there is none. The prices
    come from contracting cycles (Edmonds 1967), which makes the bound the optimum, but it is true whatever they are.

    Parameters
    ----------
    weights : float64 (n + 1, n + 1)
        [head, modifier]; -inf where there is no arc.
    single_root : bool

    Returns
    -------
    float, float64 (n + 1, n + 1)
        The first is -inf when there is no tree.
    """
    n = len(weights) - 1
    graph = weights.copy()
    graph[:, 0] = -np.inf
    np.fill_diagonal(graph, -np.inf)
    ranks = np.where(graph > -np.inf, 0.0, -np.inf)
    ranks[0] -= 1.0 if single_root else 0.0
    nothing = np.full(weights.shape, -np.inf)
    prices = priced_sets(graph, ranks)
    if prices is None:
        return -np.inf, nothing
    larger = np.arange(len(prices.values)) >= n
    wrong = larger & ((prices.ranks > 0) | ((prices.ranks == 0) & (prices.values > 0)))
    rank, value = np.where(wrong, 0.0, prices.ranks), np.where(wrong, 0.0, prices.values)
    inside = prices.members.astype(np.float64)
    rank_left = (ranks - _entered(inside, rank))[:, 1:]
    size = np.where(ranks > -np.inf, np.abs(graph), 0.0) + _entered(inside, np.abs(value))
    left = (graph - _entered(inside, value) + size * (ULP * (len(value) + 4)))[:, 1:]
    top = rank_left.max(axis=0)
    most = np.where(rank_left == top, left, -np.inf).max(axis=0)
    reached = float(rank.sum() + top.sum())
    needed = -1.0 if single_root else 0.0
    if reached != needed:
        return (-np.inf, nothing) if reached < needed else (np.inf, np.full(weights.shape, np.inf))
    bound = math.nextafter(math.fsum([*value, *most]), math.inf)
    each = nothing
    rounded = ULP * (abs(bound) + np.abs(most) + np.where(left > -np.inf, np.abs(left), 0.0))
    each[:, 1:] = np.where(rank_left == top, bound - most + left + 2.0 * rounded, -np.inf)
    return bound, each


def _entered(inside: FloatArray, prices: FloatArray) -> FloatArray:
    """For each arc [head, modifier] the sum of the prices of the sets that it enters."""
    total: FloatArray = (1.0 - inside).T @ (prices[:, None] * inside)
    return total


def priced_sets(weights: FloatArray, ranks: FloatArray) -> SetPrices | None:
    """Prices from contracting the cycles of best heads; None when some set cannot be entered.

    Parameters
    ----------
    weights, ranks : float64 (n + 1, n + 1)
        [head, modifier]; both -inf where there is no arc, and into the root.
    """
    n = len(weights) - 1
    size = 2 * n + 1
    graph, order = np.full((size, size), -np.inf), np.full((size, size), -np.inf)
    graph[: n + 1, : n + 1], order[: n + 1, : n + 1] = weights, ranks
    members = np.zeros((size, n + 1), bool)
    members[np.arange(1, n + 1), np.arange(1, n + 1)] = True
    rank, value = np.zeros(size), np.zeros(size)
    active = list(range(1, n + 1))
    best = np.zeros(size, np.int64)
    fresh, end = list(active), n + 1
    while fresh:
        for node in fresh:
            rank[node] = order[:, node].max()
            if rank[node] == -np.inf:
                return None
            best[node] = int(np.where(order[:, node] == rank[node], graph[:, node], -np.inf).argmax())
            value[node] = graph[best[node], node]
            graph[:, node] -= value[node]
            order[:, node] -= rank[node]
        loop = _loop(best, active)
        fresh = []
        if loop:
            order[end], graph[end] = _largest(order[loop], graph[loop])
            order[:, end], graph[:, end] = _largest(order[:, loop].T, graph[:, loop].T)
            for table in (order, graph):
                table[end, end] = -np.inf
                table[loop] = -np.inf
                table[:, loop] = -np.inf
            members[end] = members[loop].any(axis=0)
            active = [node for node in active if node not in loop] + [end]
            # Best heads inside the loop are now the loop.
            best[np.isin(best, loop)] = end
            fresh = [end]
            end += 1
    return SetPrices(members[1:end], rank[1:end], value[1:end])


def _largest(ranks: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The largest pair of each column."""
    top = ranks.max(axis=0)
    return top, np.where(ranks == top, values, -np.inf).max(axis=0)


def _loop(best: IntArray, active: list[int]) -> list[int]:
    """Nodes of one cycle of best heads; empty when there is none."""
    seen: dict[int, int] = {0: 0}
    for start in active:
        node, trail = start, []
        while node not in seen:
            seen[node] = start
            trail.append(node)
            node = int(best[node])
        if node and seen[node] == start:
            return trail[trail.index(node) :]
    return []
