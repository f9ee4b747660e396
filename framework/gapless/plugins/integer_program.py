"""The method ``ilp`` of any problem type with a linear model: a judge that shares no code with other methods."""

from __future__ import annotations

from typing import TypeVar

from gapless.core.problem import Problem
from gapless.core.result import Result
from gapless.plugins.call import Solve

S = TypeVar("S")


def run(problem: Problem[S], solve: Solve, *, presolve: bool = False) -> Result[S]:
    """Solve the whole linear model with SCIP, see `gapless.scip.solve_monolithic`.

    Parameters
    ----------
    presolve : bool
        Whether SCIP simplifies the model first: faster, and wrong in some cases (decision 059).
    """
    from gapless import scip  # noqa: PLC0415  SCIP is imported when it is asked for

    return scip.solve_monolithic(problem, solve.budget, start=solve.start, method=solve.method, presolve=presolve)
