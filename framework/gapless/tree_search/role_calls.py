"""Calls of roles: an exception becomes an `OracleError` with the original as its cause."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numpy as np

from gapless.arrays.sparse import IntArray
from gapless.errors import InconsistentBound, OracleError, SolveError
from gapless.factors.error_notes import call_problem
from gapless.problems.problem import Problem, score_of

P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S")


def call_role(role: object, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return ``call(*args)``; errors name the role. Ctrl-C and errors that are already named pass through."""
    try:
        return call(*args, **kwargs)
    except SolveError:  # an inner call has named its role
        raise
    except Exception as error:
        name = getattr(call, "__name__", "call")
        raise OracleError(f"{type(role).__name__}.{name} raised {type(error).__name__}: {error}") from error


def encoded(problem: Problem[S], structure: S) -> IntArray:
    """Return the ids of the decisions that a structure has on, ascending."""
    return np.sort(call_problem(problem, problem.encode, structure))


def decoded(problem: Problem[S], on_ids: IntArray) -> S:
    """Return the structure of these decisions."""
    return call_problem(problem, problem.decode, on_ids)


def feasible_score(problem: Problem[S], structure: S) -> float | None:
    """Score a structure that a role returned; None if it is infeasible."""
    if call_role(problem, problem.violations, structure):
        return None
    score = float(call_role(problem, score_of, problem, structure))
    if math.isnan(score):
        raise InconsistentBound(f"{type(problem).__name__}.value returned NaN for a feasible structure")
    return score


def checked_bound(role: object, bound: float) -> float:
    """Return `bound`; raise if it is NaN."""
    # All comparisons with NaN are false: a search would neither close the node nor refuse the bound.
    if math.isnan(bound):
        raise InconsistentBound(f"{type(role).__name__} returned NaN as a bound")
    return float(bound)
