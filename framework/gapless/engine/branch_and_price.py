"""Branch-price-and-cut with gapless's own tree: a formulation in, a result with a certificate out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from gapless.core.formulation import Formulation
from gapless.core.limits import Budget
from gapless.core.problem import Problem
from gapless.core.result import Result
from gapless.engine.price_and_cut import PricedRelaxation
from gapless.engine.tree_search import tree_search
from gapless.lp import LinearMaster

S = TypeVar("S")


def branch_and_price(
    problem: Problem[S],
    formulation: Formulation[S],
    budget: Budget | None = None,
    *,
    order: str = "best-first",
    k: int = 1,
    start: Sequence[S] = (),
    limit: int | None = None,
    method: str = "branch-and-price",
) -> Result[S]:
    """Solve `formulation` by column-and-row generation in a tree of its own.

    Parameters
    ----------
    problem : Problem
    formulation : Formulation
        Restricted master, generators and brancher; its `certify` writes the evidence.
    budget : Budget
    order : {"best-first", "depth-first", "breadth-first"}
        Depth-first reuses the LP basis best and finds answers early; best-first visits the fewest nodes.
    k : int
        How many best structures.
    start : sequence of S
        Feasible structures to begin with.
    limit : int, optional
        About how many columns and rows to ask of a generator in one round.
    method : str
        Name written into the result.

    Returns
    -------
    Result

    Raises
    ------
    SolveError
        A generator, the brancher or the LP failed; ``error.result`` holds the best so far.
    InvalidProblem
        The formulation does not fit the problem, or a `start` structure is infeasible.

    See Also
    --------
    gapless.scip.branch_price_and_cut : the same formulation with SCIP's tree.
    """
    master = LinearMaster(problem, formulation)
    relaxation = PricedRelaxation(master, formulation.generators, problem.decisions, limit=limit)
    return tree_search(
        problem,
        relaxation,
        formulation.brancher,
        budget,
        order=order,
        k=k,
        start=start,
        rounding=formulation.rounding,
        method=method,
    )
