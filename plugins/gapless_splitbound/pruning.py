"""Pre-pruning to the k most probable heads of each word (Qian and Liu 2013, section 4.2): an approximation."""

from __future__ import annotations

import numpy as np

import gapless_kernels
from gapless.arrays.sparse import BoolArray
from gapless.plugins.registry import check_count
from gapless_dependency import ParsingProblem


def candidate_heads(problem: ParsingProblem, k: int) -> BoolArray:
    """Mark the k heads of each word with the largest first-order marginals, bool (n + 1, n + 1).

    All arcs from the root stay: every tree needs one, and models score the wrong ones low. The arcs of the best
    first-order tree stay, too, so that a tree remains if there is one without factors.
    """
    check_count("max_heads", k)
    weights = problem.scores
    kernel = gapless_kernels.eisner_marginals if problem.projective else gapless_kernels.arborescence_marginals
    # Below every probability: an absent arc must not take the place of an unlikely one.
    marginals = np.where(weights > -np.inf, kernel(weights, problem.single_root)[1], -1.0)
    keep_mask = np.zeros(weights.shape, bool)
    best = np.argsort(-marginals, axis=0, kind="stable")[:k]
    np.put_along_axis(keep_mask, best, True, axis=0)
    keep_mask[0] = True
    solve = gapless_kernels.eisner if problem.projective else gapless_kernels.arborescence
    _, heads = solve(weights, problem.single_root)
    if heads[1] >= 0:
        keep_mask[heads[1:], np.arange(1, problem.length + 1)] = True
    return keep_mask & (weights > -np.inf)


def prune(problem: ParsingProblem, k: int) -> ParsingProblem:
    """Return the problem with `candidate_heads` only. Its optimum may be less than that of the whole problem.

    Parameters
    ----------
    problem : ParsingProblem
    k : int
        At least 1.
    """
    return problem.restricted(candidate_heads(problem, k))
