"""A bound on arborescences by weak duality: prices of sets of words that every tree must enter."""

from __future__ import annotations

import attrs
import numpy as np

from gapless.core.sparse import BoolArray, FloatArray, IntArray


@attrs.frozen(eq=False)
class SetPrices:
    """Sets of words, each entered by at least one arc of any tree (one word: by exactly one).

    Parameters
    ----------
    members : bool (sets, n + 1)
        Without the root. The first n are the single words in order.
    values : float64 (sets,)
        Not positive but for single words.
    """

    members: BoolArray
    values: FloatArray


def arborescence_bounds(weights: FloatArray, single_root: bool) -> tuple[float, FloatArray]:
    r"""A bound on all trees, and on the trees with each arc.

    For any prices y as in `SetPrices`, a tree T has
    :math:`w(T) \le \sum_S y_S + \sum_{e \in T} r_e, r_e = w_e - \sum_{S\ entered\ by\ e} y_S`,
    because each set is entered at least once and prices of larger sets are not positive; the arc into a word adds
    no more than the largest r of that word. With a single root, weights of root arcs are lowered by a number that
    is added once. The prices come from contracting cycles (Edmonds 1967), which makes the bound the optimum, but
    the bound is true whatever they are.

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
    finite = graph[np.isfinite(graph)]
    empty = np.full(weights.shape, -np.inf)
    if not finite.size:
        return -np.inf, empty
    charge = 0.0
    if single_root:
        charge = n * float(finite.max() - finite.min()) + 1.0
        graph[0] -= charge
    prices = priced_sets(graph)
    if prices is None:
        return -np.inf, empty
    inside = prices.members.astype(np.float64)
    larger = np.minimum(prices.values[n:], 0.0)
    values = np.concatenate([prices.values[:n], larger])
    rest = graph - (1.0 - inside).T @ (values[:, None] * inside)
    most = np.maximum(rest[:, 1:].max(axis=0), 0.0)
    bound = float(values.sum() + most.sum()) + charge
    each = empty
    each[:, 1:] = bound - most + rest[:, 1:]
    if single_root:
        # Two root arcs pay the charge twice: a bound below every tree of one root says that there is none.
        floor = sum(float(column[np.isfinite(column)].min()) for column in weights[:, 1:].T)
        if bound < floor - 1e-9 * max(1.0, abs(floor)) - 0.25:
            return -np.inf, np.full(weights.shape, -np.inf)
    return bound, each


def priced_sets(weights: FloatArray) -> SetPrices | None:
    """Prices from contracting the cycles of best heads; None when some set cannot be entered."""
    n = len(weights) - 1
    size = 2 * n + 1
    graph = np.full((size, size), -np.inf)
    graph[: n + 1, : n + 1] = weights
    members = np.zeros((size, n + 1), bool)
    members[np.arange(1, n + 1), np.arange(1, n + 1)] = True
    values = np.zeros(size)
    active = list(range(1, n + 1))
    best = np.zeros(size, np.int64)
    fresh, end = list(active), n + 1
    while fresh:
        for node in fresh:
            best[node] = int(graph[:, node].argmax())
            values[node] = graph[best[node], node]
            if values[node] == -np.inf:
                return None
            graph[:, node] -= values[node]
        loop = _loop(best, active)
        fresh = []
        if loop:
            graph[end] = graph[loop].max(axis=0)
            graph[:, end] = graph[:, loop].max(axis=1)
            graph[end, end] = -np.inf
            graph[loop] = -np.inf
            graph[:, loop] = -np.inf
            members[end] = members[loop].any(axis=0)
            active = [node for node in active if node not in loop] + [end]
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
