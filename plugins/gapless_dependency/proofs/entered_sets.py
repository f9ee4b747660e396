"""A bound on arborescences by weak duality: prices of sets of words that every tree must enter."""

from __future__ import annotations

import attrs
import numpy as np

from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless_dependency.proofs.rounding import ObjectArray, rounded_up, whole_numbers


@attrs.frozen(eq=False)
class SetPrices:
    """Sets of words, each entered by at least one arc of any tree (one word: by exactly one).

    Parameters
    ----------
    members : bool (sets, n + 1)
        Without the root. The first n are the single words in order.
    values : int (sets,)
        Not positive but for single words.
    """

    members: BoolArray
    values: ObjectArray


def arborescence_bounds(
    weights: FloatArray, single_root: bool, *, through: bool = True
) -> tuple[float, FloatArray]:
    r"""A bound on all trees, and on the trees with each arc.

    For any prices y as in `SetPrices`, a tree T has
    :math:`w(T) \le \sum_S y_S + \sum_{e \in T} r_e, r_e = w_e - \sum_{S\ entered\ by\ e} y_S`,
    because each set is entered at least once and prices of larger sets are not positive; the arc into a word adds
    no more than the largest r of that word. The prices come from contracting cycles (Edmonds 1967), which makes the
    bound the optimum, but the bound is true whatever they are.

    With a single root, arcs from it pay a charge larger than what any two trees differ by, which is given back
    once; arcs that there are not pay more. So that such charges cost no digits, all is done in whole numbers,
    multiples of a power of two, and only the results are rounded, upwards.

    Parameters
    ----------
    weights : float64 (n + 1, n + 1)
        [head, modifier]; -inf where there is no arc.
    single_root : bool
    through : bool
        Whether the trees with each arc are asked for; else the second answer holds nothing.

    Returns
    -------
    float, float64 (n + 1, n + 1)
        The first is -inf when there is no tree.
    """
    n = len(weights) - 1
    there = weights > -np.inf
    there[:, 0] = False
    np.fill_diagonal(there, False)
    graph, bits = whole_numbers(np.where(there, weights, 0.0))
    # The weights of two trees of n arcs differ by less than this.
    charge = 2 * n * int(np.abs(graph).max()) + 1
    if single_root:
        graph[0] -= charge
    graph[~there] = -4 * charge
    prices = priced_sets(graph)
    values = prices.values.copy()
    values[n:] = np.minimum(values[n:], 0)
    rest = graph.copy()
    for entered, value in zip(prices.members, values, strict=True):
        rest[np.ix_(~entered, entered)] -= value
    rest = np.where(there, rest, -4 * charge - np.abs(values).sum())[:, 1:]
    most = rest.max(axis=0)
    bound = values.sum() + most.sum()
    each = np.full(weights.shape, -np.inf)
    # Trees pay the charge of one root; whoever must pay more is none.
    least = -2 * charge + charge // 2 if single_root else -charge
    back = charge if single_root else 0
    if bound <= least:
        return -np.inf, each
    if through:
        with_arc = bound - most + rest
        held = there[:, 1:] & (with_arc > least)
        each[:, 1:][held] = [rounded_up(value + back, bits) for value in with_arc[held]]
    return rounded_up(bound + back, bits), each


def priced_sets(weights: ObjectArray) -> SetPrices:
    """Prices from contracting the cycles of best heads.

    Parameters
    ----------
    weights : int (n + 1, n + 1)
        [head, modifier]; column 0 and the diagonal are not looked at.
    """
    n = len(weights) - 1
    size = 2 * n + 1
    graph = np.zeros((size, size), object)
    graph[: n + 1, : n + 1] = weights
    members = np.zeros((size, n + 1), bool)
    members[np.arange(1, n + 1), np.arange(1, n + 1)] = True
    values = np.zeros(size, object)
    active = list(range(1, n + 1))
    best = np.zeros(size, np.int64)
    fresh, end = list(active), n + 1
    while fresh:
        for node in fresh:
            heads = [0, *(head for head in active if head != node)]
            column = graph[heads, node]
            chosen = int(column.argmax())
            best[node], values[node] = heads[chosen], column[chosen]
            graph[heads, node] = column - column[chosen]
        loop = _loop(best, active)
        fresh = []
        if loop:
            active = [node for node in active if node not in loop]
            graph[end, active] = graph[np.ix_(loop, active)].max(axis=0)
            heads = [0, *active]
            graph[heads, end] = graph[np.ix_(heads, loop)].max(axis=1)
            members[end] = members[loop].any(axis=0)
            active.append(end)
            # Best heads inside the loop are now the loop.
            best[np.isin(best, loop)] = end
            fresh = [end]
            end += 1
    return SetPrices(members[1:end], values[1:end])


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
