"""Which labels a tree's hard constraints leave: those above which, or below which, something is allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gapless.core.sparse import BoolArray, FloatArray

if TYPE_CHECKING:
    from gapless_chains.trees.problem import TreeProblem


def reached_from_below(problem: TreeProblem, theta: FloatArray | None = None) -> BoolArray:
    """Labels with which the part of the tree from a node down can be labelled, bool (n, K).

    Parameters
    ----------
    problem : TreeProblem
    theta : float64 (n, K), optional
        Label scores to look at instead of the problem's own; minus infinity forbids.
    """
    reached: BoolArray = (problem.unary if theta is None else theta) > -np.inf
    for i in problem.inner[::-1].tolist():
        reached[problem.parents[i]] &= (problem.pairs(i)[:, reached[i]] > -np.inf).any(axis=1)
    return reached
