"""Bounds on labellings under any label scores, with each label on and off: written for checking, in plain NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from gapless.arrays.round_up import next_float, next_floats, round_up_for_sum
from gapless.arrays.sparse import FloatArray
from gapless.limits.work import charge_work
from gapless.oracles.verifier_bounds import CheckedBounds


def labelling_bounds(rows: FloatArray, parents: Sequence[int], pairs: Callable[[int], FloatArray]) -> CheckedBounds:
    """Compute max-marginals of a forest of labels, from the leaves to the roots and back.

    Scores are raised first, so that sums in float64 are no less than the exact ones.

    Parameters
    ----------
    rows : float64 (n, K)
        Score of each label at each node; -inf where it is not possible.
    parents : sequence of n int
        The parent of each node, which comes before it; -1 for a root.
    pairs : callable
        ``pairs(i)``, float64 (K, K): scores of the labels above and at node i, the parent's first.
    """
    n, k = rows.shape
    charge_work(12.0 * n * k * k, 30 * n)
    # More additions than any max-marginal takes: two passes over n nodes, a score and a message each.
    additions = 4 * n + 8
    rows = round_up_for_sum(rows, additions)
    inside, up = rows.copy(), np.zeros((n, k))
    children: list[list[int]] = [[] for _ in range(n)]
    edge = [
        round_up_for_sum(pairs(i), additions) if parent >= 0 else np.zeros((0, 0))
        for i, parent in enumerate(parents)
    ]
    for i in reversed(range(n)):
        if parents[i] >= 0:
            up[i] = (edge[i] + inside[i]).max(axis=1)
            inside[parents[i]] += up[i]
            children[parents[i]].append(i)
    outside = np.zeros((n, k))
    for i in range(n):
        # What a node and all but one of its children say, without a difference: from the left and from the right.
        prefix = rows[i] + outside[i]
        below = children[i]
        suffixes = [np.zeros(k)]
        for child in reversed(below):
            suffixes.append(suffixes[-1] + up[child])
        for rank, child in enumerate(below):
            others = prefix + suffixes[len(below) - 1 - rank]
            outside[child] = (edge[child] + others[:, None]).max(axis=0)
            prefix = prefix + up[child]
    marginals = inside + outside
    roots = [i for i in range(n) if parents[i] < 0]
    best = {i: float(inside[i].max()) for i in roots}
    if -math.inf in best.values():
        nothing = np.full(n * k, -np.inf)
        return CheckedBounds(-math.inf, nothing, nothing)
    tree_of = list(range(n))
    for i in range(n):
        tree_of[i] = i if parents[i] < 0 else tree_of[parents[i]]
    total = next_float(math.fsum(best.values()))
    others_of = {i: math.fsum([value for j, value in best.items() if j != i]) for i in roots}
    totals = next_floats(marginals + np.array([others_of[t] for t in tree_of])[:, None])
    off = np.full((n, k), -np.inf)
    if k > 1:
        # With a label off, its node has the best of the other labels.
        order = np.argsort(totals, axis=1)
        off[:] = np.take_along_axis(totals, order[:, -1:], axis=1)
        np.put_along_axis(off, order[:, -1:], np.take_along_axis(totals, order[:, -2:-1], axis=1), axis=1)
    return CheckedBounds(total, totals.ravel(), off.ravel())
