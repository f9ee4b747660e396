"""Calls into roles: what they raise becomes an `OracleError` with the original as its cause."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numpy as np

from gapless.core.errors import InconsistentBound, OracleError, SolveError
from gapless.core.factors.blame import call_problem
from gapless.core.problem import Problem, score_of
from gapless.core.sparse import IntArray

P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S")


def guarded(role: object, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """``call(*args)``; errors name the role. Ctrl-C and errors that are already named pass through."""
    try:
        return call(*args, **kwargs)
    except SolveError:
        raise
    except Exception as error:
        name = getattr(call, "__name__", "call")
        raise OracleError(f"{type(role).__name__}.{name} raised {type(error).__name__}: {error}") from error


def encoded(problem: Problem[S], structure: S) -> IntArray:
    """Ids of the decisions that a structure turns on, ascending."""
    return np.sort(call_problem(problem, problem.encode, structure))


def decoded(problem: Problem[S], on_ids: IntArray) -> S:
    """The structure of these decisions."""
    return call_problem(problem, problem.decode, on_ids)


def feasible_score(problem: Problem[S], structure: S) -> float | None:
    """The score of a structure that a role offers; None if it is infeasible."""
    if guarded(problem, problem.violations, structure):
        return None
    score = float(guarded(problem, score_of, problem, structure))
    if math.isnan(score):
        raise InconsistentBound(f"{type(problem).__name__}.value returned NaN for a feasible structure")
    return score


def checked_bound(role: object, bound: float) -> float:
    """`bound`, unless it is NaN."""
    if math.isnan(bound):
        raise InconsistentBound(f"{type(role).__name__} returned NaN as a bound")
    return float(bound)
