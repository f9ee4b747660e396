"""Costs of single members: their distances from the anchors, less their prior."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gapless.core.sparse import FloatArray, IntArray

if TYPE_CHECKING:
    from gapless_linking.problem import LinkingProblem


def own_costs(problem: LinkingProblem) -> FloatArray:
    """Costs of the members, float64 (N,); inf forbids."""
    costs = np.zeros(problem.members.size)
    for z, weight in problem.anchors:
        if weight:
            at = np.array([np.searchsorted(problem.points, z)])
            apart = problem.lengths(problem.slots, at)[:, 0]
            costs += np.where(np.isinf(apart), np.inf, weight * apart)
    if problem.prior is not None and problem.prior_weight:
        costs -= problem.prior_weight * np.concatenate(problem.prior)
    costs.flags.writeable = False
    return costs


def centred(costs: FloatArray, first: IntArray) -> tuple[FloatArray, float]:
    """Costs beyond the least of their set, and the sum of the least; 0 where a whole set is forbidden."""
    least = np.minimum.reduceat(costs, first[:-1])
    least[np.isinf(least)] = 0.0
    beyond = costs - np.repeat(least, np.diff(first))
    beyond.flags.writeable = False
    return beyond, math.fsum(least.tolist())


def granularity(problem: LinkingProblem) -> float | None:
    """2 for whole distances alone, as pairs count twice; 1 with whole costs of members; else none."""
    if not problem.anchors and problem.prior is None:
        return 2.0 if problem.whole else None
    finite = problem.own_costs[np.isfinite(problem.own_costs)]
    if not problem.whole or np.any(finite != np.floor(finite)):
        return None
    return 2.0 if not np.any(finite % 2) else 1.0
