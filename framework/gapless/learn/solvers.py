"""The trainers' default solvers, through the public API: the best structure, and the best wrong one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numpy as np

from gapless.errors import InvalidProblem
from gapless.limits.limits import Stop
from gapless.problems.problem import Problem, score_of
from gapless.results.batch_result import BatchResult
from gapless.results.result import Result
from gapless.solving import solve

P = TypeVar("P")
S = TypeVar("S")


def best_structure(problem: Problem[S]) -> S:
    """Find the best structure by the problem type's default method.

    Raises
    ------
    NoSolution
        Nothing is feasible.
    KeyboardInterrupt
        Ctrl-C stopped the solve and is meant for the training.
    """
    return _uninterrupted(solve(problem)).best


def structure_of(solver: Callable[[P], S | Result[S]]) -> Callable[[P], S]:
    """Reduce a solver to the best structure if it returns a whole `Result`.

    When called, raises `InvalidProblem`: the solver returned no structure, or several answers as a batch.
    """

    def solved(problem: P) -> S:
        found = solver(problem)
        if isinstance(found, Result):
            return cast("S", _uninterrupted(found).best)
        if found is None or isinstance(found, BatchResult):
            raise InvalidProblem(
                f"the solver returned {type(found).__name__}; a solver returns a structure; "
                "write lambda p: gl.solve(p).best"
            )
        return found

    return solved


def margin_violation(problem: Problem[S], gold: S, margin: float) -> S | None:
    """Find the best structure other than `gold`, if it scores at least ``score(gold) - margin``; None otherwise.

    Takes the two best from the problem type's default method, which must support ``k=2``. Pass a faster oracle to
    `StructuredSVM` if you have one.
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
