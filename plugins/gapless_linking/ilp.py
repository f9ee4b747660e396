"""The method ``ilp``: the whole problem as an integer program on SCIP."""

from __future__ import annotations

from gapless import Result
from gapless.core.sparse import IntArray
from gapless.roles import Solve
from gapless_linking.problem import LinkingProblem


def run(problem: LinkingProblem, solve: Solve) -> Result[IntArray]:
    """Solve `integer_program` as it stands: a judge that shares no code with the other methods.

    The model has a column for each pair of candidates of different sets. A few hundred candidates in five sets, or
    50 in eight, take seconds; twelve sets of 96 are out of reach.

    No certificate: SCIP's tree is not recorded. Raises `InvalidProblem`: an infeasible start structure.
    """
    from gapless import scip  # noqa: PLC0415  keeps loading this plug-in light

    return scip.solve_monolithic(problem, solve.budget, start=solve.start, method=solve.method)
