"""The method ``ilp``: the paper's integer program on SCIP, as the paper gave it to lp_solve."""

from __future__ import annotations

from gapless import Result
from gapless.core.sparse import IntArray
from gapless.roles import Solve
from gapless_ordering.problem import OrderingProblem


def run(problem: OrderingProblem, solve: Solve) -> Result[IntArray]:
    """Solve `integer_program` as it stands (Deshpande et al. 2007, section 4).

    The model has 2 n^2 columns and n^2 rows that couple them, and its relaxation is weak: at n = 50 it takes
    seconds, at n = 100 half a minute, and at n = 200 minutes and most of a gigabyte. Beyond, it is of no use.
    No certificate: SCIP's tree is not recorded. Raises `InvalidProblem`: an infeasible start path.
    """
    from gapless import scip  # noqa: PLC0415  keeps loading this plug-in light

    return scip.solve_monolithic(problem, solve.budget, start=solve.start, method=solve.method)
