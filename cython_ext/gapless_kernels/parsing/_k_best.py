"""The k best trees by Lawler's partition, for arborescences and for the twin of projective parsing."""

import heapq
import itertools
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def trees_in_order(
    weights: Floats, k: int, single_root: bool, solve: Callable[[Floats, bool], tuple[float, Integers]]
) -> tuple[Floats, Integers]:
    """List the best trees, each once.

    When a tree has been taken from a set of trees, the others of the set fall into disjoint parts: part m keeps the
    tree's heads of the words before m and forbids its head of m (Lawler 1972). A part is a matrix with some
    arcs at -inf, so `solve` finds its best tree and the single root needs no care here.

    Parameters
    ----------
    weights : (n+1, n+1) array of float64
        Weights of arcs, ``-inf`` where there is none.
    k : int
        Number of trees, at least 1.
    single_root : bool
        Whether a tree has exactly one arc out of 0.
    solve : callable
        Returns value and heads of a best tree.

    Returns
    -------
    values : (k',) array of float64
        Their values, falling; k' is k or the number of trees.
    heads : (k', n+1) array of int64
        Their heads, with -1 in column 0.
    """
    n = len(weights) - 1
    weights = weights.copy()
    np.fill_diagonal(weights, -np.inf)  # it may hold anything, also NaN
    turn = itertools.count()
    value, heads = solve(weights, single_root)
    # Among equals the earlier found comes first; the count also keeps arrays out of comparisons.
    waiting = [(-value, next(turn), heads, weights, 1)] if value > -np.inf else []
    values: list[float] = []
    trees: list[Integers] = []
    while waiting and len(values) < k:
        loss, _, heads, allowed, first_word = heapq.heappop(waiting)
        values.append(-loss)
        trees.append(heads)
        if len(values) == k:
            break  # the parts around the last tree would be solved in vain
        part = allowed.copy()
        for word in range(first_word, n + 1):
            head = heads[word]
            weight = part[head, word]
            part[head, word] = -np.inf
            if part[:, word].max() > -np.inf:
                value, others = solve(part, single_root)
                if value > -np.inf:
                    heapq.heappush(waiting, (-value, next(turn), others, part.copy(), word))
            part[:, word] = -np.inf
            part[head, word] = weight
    return np.array(values, np.float64), np.array(trees, np.int64).reshape(len(trees), n + 1)
