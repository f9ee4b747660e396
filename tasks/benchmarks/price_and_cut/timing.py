"""Our methods as sides of a comparison: from arrays with a certificate, and the search alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import gapless as gl
from benchmarks.frame.turns import Side
from benchmarks.parsing.measurement import LIMIT, prepared
from gapless_dependency import ParsingProblem
from gapless_tasks.parsing.sentence_arrays import SentenceArrays


def exact_value(method: str) -> Callable[[ParsingProblem], float]:
    """Return a function that computes the value of a proved best tree; NaN without a proof within `LIMIT`.

    The batch builds certificates only on request, and none is requested here.
    """

    def solve(problem: ParsingProblem) -> float:
        batch = gl.solve_many([problem], method, limits=gl.Limits(time=LIMIT))
        return float(batch.values[0]) if batch.statuses[0] is gl.Status.OPTIMAL else np.nan

    return solve


def result_of(method: str, **options: Any) -> Callable[[ParsingProblem], gl.Result[Any]]:
    """Return a function that solves a problem and returns the result with its certificate."""

    def solve(problem: ParsingProblem) -> gl.Result[Any]:
        return gl.solve(problem, method, **options)

    return solve


def exact_side(method: str) -> Side[SentenceArrays, float]:
    """Build the side of an exact method: `solve` builds a certificate, too, and `search` is `exact_value`."""

    def solve(arrays: SentenceArrays) -> float:
        result = gl.solve(arrays.problem(), method, limits=gl.Limits(time=LIMIT))
        return result.value if result.status is gl.Status.OPTIMAL else np.nan

    return Side(solve, exact_value(method), ready)


def result_side(method: str, **options: Any) -> Side[SentenceArrays, gl.Result[Any]]:
    """Build the side of a method without a batch kernel; its `search` excludes the problem, not the certificate."""
    solve = result_of(method, **options)
    return Side(lambda arrays: solve(arrays.problem()), solve, ready)


def ready(arrays: SentenceArrays) -> ParsingProblem:
    """Build the problem and look up all scores before the search."""
    return prepared(arrays.problem())
