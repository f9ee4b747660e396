"""Shares of the rootings of a tree in its reduced costs, which then add up to a bound."""

from __future__ import annotations

import numpy as np

from gapless.core.sparse import FloatArray
from gapless_chains.trees.problem import TreeProblem


def root_weights(problem: TreeProblem) -> tuple[FloatArray, FloatArray]:
    """Weight of each node as the root of its tree, and for each edge the share of roots that lie above it.

    Messages toward any one root are a dual solution of the tree's local polytope, and so is every convex
    combination over roots. The weights are equal on the nodes with at most one neighbour, and 0 elsewhere. A path
    then gets 1/2 on both ends and 1/2 on every edge: the reduced cost of Belanger et al. 2012, eq. 12.

    With 1/2 on every edge of a tree that branches, the node terms would have the weight ``1 - degree / 2``, below
    0. That is no dual solution: a label that gains a little on each edge of a branching node looks unattractive on
    all of them, and the search would end too early.

    Returns
    -------
    weights : float64 (n,)
        Sum to 1 in each tree.
    above : float64 (n,)
        Strictly between 0 and 1 for a node with a parent; 1 for a root.
    """
    inner, parents = problem.inner, problem.parents
    degree = np.bincount(parents[inner], minlength=problem.positions)
    degree[inner] += 1
    ends = (degree <= 1).astype(np.int64)
    below = ends.copy()
    for i in inner[::-1].tolist():
        below[parents[i]] += below[i]
    total = below[problem.roots]
    above = np.where(parents >= 0, (total - below) / total, 1.0)
    return ends / total, above
