"""Outcome of a solve."""

from __future__ import annotations

import enum

from gapless.errors import GaplessError


class Status(enum.Enum):
    """Outcome of a solve; the reason for its end is `Stop`.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> gl.solve(problem).status is gl.Status.OPTIMAL
    True
    >>> gl.solve(problem, "beam", width=1, bound=False).status
    <Status.FEASIBLE: 'feasible'>
    """

    OPTIMAL = "optimal"
    """The best structure, with a bound that meets its value."""
    LIKELY_OPTIMAL = "likely optimal"
    """A structure that is optimal except with a known probability."""
    FEASIBLE = "feasible"
    """A structure that is not proved to be the best."""
    INFEASIBLE = "infeasible"
    """Proof that there is no structure."""
    NO_SOLUTION = "no solution"
    """No structure, and no proof that there is none."""


class NoSolution(GaplessError, LookupError):
    """The result holds no solution.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_chains import ChainProblem
    >>> infeasible = ChainProblem([[float("-inf")]], [[0.0]])
    >>> try:
    ...     gl.solve(infeasible).best
    ... except gl.NoSolution:
    ...     print("no labelling is allowed")
    no labelling is allowed
    """
