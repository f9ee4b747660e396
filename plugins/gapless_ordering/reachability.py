"""Reason why no path exists, as far as walks can tell: walks may visit a class twice, paths may not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gapless.core.sparse import BoolArray

if TYPE_CHECKING:
    from gapless_ordering.problem import OrderingProblem


def layers(problem: OrderingProblem) -> BoolArray:
    """Vertices of allowed walks from the start at each place, bool (k, n); the end is not looked at."""
    allowed = problem.ordering > -np.inf
    reached = np.zeros((problem.length, problem.vertices), bool)
    reached[0] = problem.start > -np.inf
    for place in range(1, problem.length):
        reached[place] = allowed[reached[place - 1]].any(axis=0)
    return reached


def explain(problem: OrderingProblem) -> Sequence[str]:
    """Sentences that say why `problem` has no path; empty where walks of its length exist and classes suffice."""
    if problem.class_count < problem.length:
        of = "vertices" if problem.class_count == problem.vertices else f"classes of {problem.vertices} vertices"
        return [
            f"there are {problem.class_count} {of}, fewer than the length {problem.length}: "
            "a path visits each class at most once"
        ]
    if not (problem.end > -np.inf).any():
        return ["no vertex may be the last: all scores of end are -inf"]
    reached = layers(problem)
    if not reached[0].any():
        return ["no vertex may be the first: all scores of start are -inf"]
    for place in range(1, problem.length):
        if not reached[place].any():
            return [
                f"no edge leads on after {place} of {problem.length} vertices: all edges out of the "
                f"{np.count_nonzero(reached[place - 1])} vertices that a walk may have at place {place} are -inf"
            ]
    last = reached[-1] & (problem.end > -np.inf)
    if not last.any():
        return [
            f"none of the {np.count_nonzero(reached[-1])} vertices that a walk may have at the last place, "
            f"{problem.length}, may be the last: their scores of end are -inf"
        ]
    useful = reached.copy()
    useful[-1] = last
    allowed = problem.ordering > -np.inf
    for place in range(problem.length - 2, -1, -1):
        useful[place] &= allowed[:, useful[place + 1]].any(axis=1)
    classes = np.unique(problem.classes[useful.any(axis=0)]).size
    if classes < problem.length:
        return [
            f"only {classes} classes hold vertices that some allowed walk of {problem.length} vertices from start "
            f"to end visits, fewer than {problem.length}"
        ]
    return []
