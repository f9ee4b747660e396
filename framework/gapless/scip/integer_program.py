"""Method ``ilp`` of any problem type with a linear model: a reference that shares no code with other methods."""

from __future__ import annotations

from typing import TypeVar

from gapless.plugins.call import SolveRequest
from gapless.problems.problem import Problem
from gapless.results.result import Result

S = TypeVar("S")


def run(problem: Problem[S], request: SolveRequest, *, presolve: bool = False) -> Result[S]:
    """Solve the whole linear model with SCIP, see `gapless.scip.solve_monolithic`.

    Parameters
    ----------
    presolve : bool
        Whether SCIP simplifies the model first: faster, and wrong in some cases (decision 059).
    """
    from gapless import scip  # noqa: PLC0415  SCIP is imported when it is asked for

    return scip.solve_monolithic(
        problem, request.budget, start=request.start, method=request.method, presolve=presolve
    )
