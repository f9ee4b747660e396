"""One step of many sentences: their problems solved together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

import gapless as gl
from gapless.core.problem import Problem


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

    def solve(self, problems: Sequence[Problem[Any]], *, main: bool = True) -> list[gl.Result[Any] | gl.SolveError]:
        """Results in the order of the problems, or why there is none.

        Parameters
        ----------
        main : bool
            Whether `method` is meant for these problems.

        Raises
        ------
        Interrupted
            Ctrl-C; it has the results of those that were finished.
        """
        if not problems:
            return []
        jobs = self.jobs if len(problems) > 1 else 1
        batch = gl.solve_many(problems, self.method if main else None, jobs=jobs, limits=self.limits)
        found: list[gl.Result[Any] | gl.SolveError] = []
        for i, status in enumerate(batch.statuses):
            if i in batch.errors:
                found.append(batch.errors[i])
            elif status is None or (result := batch[i]).stop is gl.Stop.INTERRUPTED:
                raise Interrupted(found)
            else:
                found.append(result)
        return found


class Interrupted(KeyboardInterrupt):
    """Ctrl-C came; `finished` are the results of the first problems."""

    def __init__(self, finished: list[gl.Result[Any] | gl.SolveError]) -> None:
        super().__init__()
        self.finished = finished
