"""One step of many sentences: their problems solved together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

import gapless as gl
from gapless.problems.problem import Problem

Outcome = gl.Result[Any] | gl.SolveError
"""The end of a solve."""


@attrs.frozen
class StepProof:
    """Problem of a sentence with its result.

    Parameters
    ----------
    step : str
        Such as "tags".
    """

    step: str
    problem: Problem[Any]
    result: gl.Result[Any]

    def document(self) -> dict[str, Any]:
        """Convert the scores to JSON data."""
        result = self.result
        return {
            "status": result.status.value,
            "value": result.value if result.solutions else None,
            "bound": result.bound,
            "gap": result.gap,
            "proved": result.proved,
        }


@attrs.frozen
class Solver:
    """Settings of the solver.

    Parameters
    ----------
    limits : Limits
        For each problem.
    jobs : int
        Processes.
    method : str or None
        Of the main step; None is the problem type's default.
    """

    limits: gl.Limits = gl.Limits()  # noqa: RUF009  frozen
    jobs: int = 1
    method: str | None = None

    def solve(self, problems: Sequence[Problem[Any]], *, main: bool = True) -> tuple[list[Outcome], bool]:
        """Solve problems; return results in their order, or the reason why there is none.

        Parameters
        ----------
        main : bool
            Whether `method` is meant for these problems.

        Returns
        -------
        list of Result or SolveError, bool
            Those of the problems that were finished, and whether Ctrl-C ended the work before the others.
        """
        if not len(problems):
            return [], False
        jobs = self.jobs if len(problems) > 1 else 1
        batch = gl.solve_many(problems, self.method if main else None, jobs=jobs, limits=self.limits)
        outcomes: list[Outcome] = []
        for i, status in enumerate(batch.statuses):
            if i in batch.errors:
                outcomes.append(batch.errors[i])
            elif status is None or (result := batch[i]).stop is gl.Stop.INTERRUPTED:
                return outcomes, True
            else:
                outcomes.append(result)
        return outcomes, False
