"""Pre-pruning to the k most probable heads of each word (Qian and Liu 2013, section 4.2): an approximation."""

from __future__ import annotations

import numpy as np

import gapless_kernels
from gapless.core.sparse import BoolArray
from gapless.plugins.registry import check_count
from gapless_dependency import ParsingProblem


def candidate_heads(problem: ParsingProblem, k: int) -> BoolArray:
    """The k heads of each word with the largest marginals of the first-order model, bool (n + 1, n + 1).

    All arcs from the root stay: a tree needs one, so that training lets them score low where they are wrong. The
    arcs of the best first-order tree stay, too, so that a tree is left if there is one without factors.
    """
    check_count("heads_kept", k)
    weights = problem.scores
    kernel = gapless_kernels.eisner_marginals if problem.projective else gapless_kernels.arborescence_marginals
    marginals = np.where(weights > -np.inf, kernel(weights, problem.single_root)[1], -1.0)
    kept = np.zeros(weights.shape, bool)
    best = np.argsort(-marginals, axis=0, kind="stable")[:k]
    np.put_along_axis(kept, best, True, axis=0)
    kept[0] = True
    solve = gapless_kernels.eisner if problem.projective else gapless_kernels.arborescence
    _, heads = solve(weights, problem.single_root)
    if heads[1] >= 0:
        kept[heads[1:], np.arange(1, problem.length + 1)] = True
    return kept & (weights > -np.inf)


def prune(problem: ParsingProblem, k: int) -> ParsingProblem:
    """The problem with `candidate_heads` only. Its optimum may be less than that of the whole problem.

    Parameters
    ----------
    problem : ParsingProblem
    k : int
        At least 1.
    """
    return problem.restricted(candidate_heads(problem, k))
