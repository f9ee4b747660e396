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
    """The value of a tree that is proved to be best; NaN where it is not proved within `LIMIT`.

    The certificate is made on request, and here there is none.
    """

    def solve(problem: ParsingProblem) -> float:
        batch = gl.solve_many([problem], method, limits=gl.Limits(time=LIMIT))
        return float(batch.values[0]) if batch.statuses[0] is gl.Status.OPTIMAL else np.nan

    return solve


def result_of(method: str, **options: Any) -> Callable[[ParsingProblem], gl.Result[Any]]:
    """The whole result of a method, certificate and all."""

    def solve(problem: ParsingProblem) -> gl.Result[Any]:
        return gl.solve(problem, method, **options)

    return solve


def exact_side(method: str) -> Side[SentenceArrays, float]:
    """An exact method: from arrays to the value of a tree and its certificate, and `exact_value`."""

    def solve(arrays: SentenceArrays) -> float:
        result = gl.solve(arrays.problem(), method, limits=gl.Limits(time=LIMIT))
        return result.value if result.status is gl.Status.OPTIMAL else np.nan

    return Side(solve, exact_value(method), ready)


def result_side(method: str, **options: Any) -> Side[SentenceArrays, gl.Result[Any]]:
    """A method without a batch kernel: its search alone leaves out the problem, and has the certificate."""
    solve = result_of(method, **options)
    return Side(lambda arrays: solve(arrays.problem()), solve, ready)


def ready(arrays: SentenceArrays) -> ParsingProblem:
    """The problem with all that can be looked up before a search."""
    return prepared(arrays.problem())
