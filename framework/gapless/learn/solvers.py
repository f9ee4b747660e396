"""What trainers ask by default, through the front door: the best structure, and the best wrong one."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from gapless.core.limits import Stop
from gapless.core.problem import Problem, score_of
from gapless.core.result import Result
from gapless.solving import solve

S = TypeVar("S")


def best_structure(problem: Problem[S]) -> S:
    """The best structure by the problem type's default method.

    Raises
    ------
    NoSolution
        If nothing is feasible.
    KeyboardInterrupt
        If Ctrl-C stopped the solve: whoever pressed it meant the training.
    """
    return _uninterrupted(solve(problem)).best


def margin_violation(problem: Problem[S], gold: S, margin: float) -> S | None:
    """The best structure other than `gold`, if it scores at least ``score(gold) - margin``; None otherwise.

    Takes the two best from the problem type's default method, which must offer ``k=2``. Whoever has a faster
    oracle gives it to `StructuredSVM`.
    """
    result = _uninterrupted(solve(problem, k=2))
    right = problem.encode(gold)
    for solution in result.solutions:
        if not np.array_equal(problem.encode(solution.structure), right):
            reaches = problem.sense.sign * solution.value >= score_of(problem, gold) - margin
            return solution.structure if reaches else None
    return None


def _uninterrupted(result: Result[S]) -> Result[S]:
    if result.stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    return result
