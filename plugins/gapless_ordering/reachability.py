"""Reason why no path exists, as far as walks can tell: walks may visit a class twice, paths may not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gapless.arrays.sparse import BoolArray
from gapless_ordering.path_problem import PathProblem


def layers(problem: PathProblem) -> BoolArray:
    """Compute which vertices a walk from the start can have at each position, bool (k, n); ignores the end."""
    allowed = problem.ordering > -np.inf
    reachable = np.zeros((problem.length, problem.vertices), bool)
    reachable[0] = problem.start > -np.inf
    for position in range(1, problem.length):
        reachable[position] = allowed[reachable[position - 1]].any(axis=0)
    return reachable


def explain(problem: PathProblem) -> Sequence[str]:
    """Describe why `problem` has no path; empty if walks of its length exist and there are enough classes."""
    if problem.class_count < problem.length:
        of = "vertices" if problem.class_count == problem.vertices else f"classes of {problem.vertices} vertices"
        return [
            f"there are {problem.class_count} {of}, fewer than the length {problem.length}: "
            "a path visits each class at most once"
        ]
    if not (problem.end > -np.inf).any():
        return ["no vertex may be the last: all scores of end are -inf"]
    reachable = layers(problem)
    if not reachable[0].any():
        return ["no vertex may be the first: all scores of start are -inf"]
    for position in range(1, problem.length):
        if not reachable[position].any():
            return [
                f"no edge leads on after {position} of {problem.length} vertices: all edges out of the "
                f"{np.count_nonzero(reachable[position - 1])} vertices that a walk may have at place {position} "
                "are -inf"
            ]
    last = reachable[-1] & (problem.end > -np.inf)
    if not last.any():
        return [
            f"none of the {np.count_nonzero(reachable[-1])} vertices that a walk may have at the last place, "
            f"{problem.length}, may be the last: their scores of end are -inf"
        ]
    useful = reachable.copy()
    # Backwards, keep only the vertices from which an allowed end can still be reached.
    useful[-1] = last
    allowed = problem.ordering > -np.inf
    for position in range(problem.length - 2, -1, -1):
        useful[position] &= allowed[:, useful[position + 1]].any(axis=1)
    classes = np.unique(problem.classes[useful.any(axis=0)]).size
    if classes < problem.length:
        return [
            f"only {classes} classes hold vertices that some allowed walk of {problem.length} vertices from start "
            f"to end visits, fewer than {problem.length}"
        ]
    return []
