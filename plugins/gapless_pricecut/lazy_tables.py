"""Scores for the compiled search: bounds first, the scores themselves when a tree makes them matter."""

from __future__ import annotations

import math

import numpy as np

from gapless.core.sparse import FloatArray, IntArray
from gapless_dependency import ParsingProblem
from gapless_splitbound.compiled_search import Tables


class ForbiddenScore(Exception):
    """A score that was asked for forbids its scope, and whatever stands for that depends on all other scores."""


def lazy_tables(problem: ParsingProblem) -> Tables:
    """The scopes of a problem with upper bounds where the factors have cheap ones (Riedel et al., section 4.3.1).

    All scores are asked for where one is known to be -inf: how much it takes to forbid a scope depends on them.
    """
    conjunctions = [scored for scored in problem.conjunctions if scored.scopes.size]
    lazy = [scored.factor.bounded and scored.scopes.shape[1] > 1 for scored in conjunctions]
    if all(scored.scored == len(scored.scopes) for scored in conjunctions) or not any(lazy):
        return Tables.of(problem)
    blocks = [
        (scored.scopes, scored.all_bounds() if late else scored.all_scores())
        for scored, late in zip(conjunctions, lazy, strict=True)
    ]
    if any(values.min() == -math.inf for _, values in blocks):
        return Tables.of(problem)
    ends = np.cumsum([len(scored.scopes) for scored in conjunctions])

    def ask(numbers: IntArray) -> FloatArray:
        if len(conjunctions) == 1:
            scores = conjunctions[0].scores(numbers)
        else:
            scores = np.empty(numbers.size)
            owners = np.searchsorted(ends, numbers, side="right")
            for owner in np.unique(owners).tolist():
                mine = owners == owner
                first = ends[owner] - len(conjunctions[owner].scopes)
                scores[mine] = conjunctions[owner].scores(numbers[mine] - first)
        if scores.min() == -math.inf:
            raise ForbiddenScore
        return scores

    unknown = np.concatenate([~scored.known for scored in conjunctions])
    return Tables(blocks, -math.inf, unknown, ask)
