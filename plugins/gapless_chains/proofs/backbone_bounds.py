"""Bounds on labellings under any label scores, with each label on and off: written for checking, in plain NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from gapless.core.proofs.checked_bounds import CheckedBounds
from gapless.core.proofs.raised import above, all_above, raised
from gapless.core.sparse import FloatArray
from gapless.core.work import spend_work


def labelling_bounds(rows: FloatArray, parents: Sequence[int], pairs: Callable[[int], FloatArray]) -> CheckedBounds:
    """Max-marginals of a forest of labels, from the leaves to the roots and back.

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
    spend_work(12.0 * n * k * k, 30 * n)
    additions = 4 * n + 8
    rows = raised(rows, additions)
    inside, up = rows.copy(), np.zeros((n, k))
    children: list[list[int]] = [[] for _ in range(n)]
    edge = [raised(pairs(i), additions) if parent >= 0 else np.zeros((0, 0)) for i, parent in enumerate(parents)]
    for i in reversed(range(n)):
        if parents[i] >= 0:
            up[i] = (edge[i] + inside[i]).max(axis=1)
            inside[parents[i]] += up[i]
            children[parents[i]].append(i)
    outside = np.zeros((n, k))
    for i in range(n):
        # What a node and all but one of its children say, without a difference: from the left and from the right.
        left = rows[i] + outside[i]
        below = children[i]
        after = [np.zeros(k)]
        for child in reversed(below):
            after.append(after[-1] + up[child])
        for place, child in enumerate(below):
            others = left + after[len(below) - 1 - place]
            outside[child] = (edge[child] + others[:, None]).max(axis=0)
            left = left + up[child]
    marginals = inside + outside
    roots = [i for i in range(n) if parents[i] < 0]
    best = {i: float(inside[i].max()) for i in roots}
    if -math.inf in best.values():
        nothing = np.full(n * k, -np.inf)
        return CheckedBounds(-math.inf, nothing, nothing)
    tree_of = list(range(n))
    for i in range(n):
        tree_of[i] = i if parents[i] < 0 else tree_of[parents[i]]
    total = above(math.fsum(best.values()))
    others_of = {i: math.fsum([value for j, value in best.items() if j != i]) for i in roots}
    whole = all_above(marginals + np.array([others_of[t] for t in tree_of])[:, None])
    off = np.full((n, k), -np.inf)
    if k > 1:
        order = np.argsort(whole, axis=1)
        off[:] = np.take_along_axis(whole, order[:, -1:], axis=1)
        np.put_along_axis(off, order[:, -1:], np.take_along_axis(whole, order[:, -2:-1], axis=1), axis=1)
    return CheckedBounds(total, whole.ravel(), off.ravel())
