"""Branch, price and cut in our own tree, over a linear master."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from gapless.core.formulation import Formulation
from gapless.core.limits import Budget, Limits
from gapless.core.problem import Problem
from gapless.core.result import Result
from gapless.engine.price_and_cut import PricedRelaxation
from gapless.engine.tree_search import tree_search
from gapless.lp import LinearMaster

S = TypeVar("S")


def branch_and_price(
    problem: Problem[S],
    formulation: Formulation[S],
    budget: Budget | Limits | None = None,
    *,
    order: str = "best-first",
    k: int = 1,
    start: Sequence[S] = (),
    limit: int | None = None,
    method: str = "branch-and-price",
) -> Result[S]:
    """Solve a problem by column and row generation and branching.

    Parameters
    ----------
    problem : Problem
    formulation : Formulation
        As for `gapless.scip.branch_price_and_cut`.
    budget, order, k, start, method
        As in `tree_search`.
    limit : int, optional
        Limit on columns and rows per generator and round, which a generator may exceed a little.

    Returns
    -------
    Result
    """
    master = LinearMaster(problem, formulation)
    return tree_search(
        problem,
        PricedRelaxation(
            master,
            formulation.generators,
            problem.decisions,
            limit=limit,
            pricing=formulation.pricing,
            granularity=problem.granularity,
        ),
        formulation.brancher,
        budget,
        order=order,
        k=k,
        start=start,
        rounding=formulation.rounding,
        rounding_frequency=formulation.rounding_frequency,
        method=method,
    )
