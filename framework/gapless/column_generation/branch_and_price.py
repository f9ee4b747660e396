"""Branch, price and cut in our own tree, over a linear master."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from gapless.column_generation.formulation import Formulation
from gapless.column_generation.master import LinearMaster
from gapless.column_generation.price_and_cut import PricedRelaxation
from gapless.limits.limits import Limits, SolveBudget
from gapless.oracles.views import LinearView
from gapless.problems.problem import Problem
from gapless.results.result import Result
from gapless.tree_search.tree_search import tree_search

S = TypeVar("S")


def branch_and_price(
    problem: Problem[S],
    formulation: Formulation[S],
    budget: SolveBudget | Limits | None = None,
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
    return tree_search(
        problem,
        linear_relaxation(problem, formulation, limit),
        formulation.brancher,
        budget,
        order=order,
        k=k,
        start=start,
        rounding=formulation.rounding,
        rounding_frequency=formulation.rounding_frequency,
        method=method,
    )


def linear_relaxation(
    problem: Problem[S], formulation: Formulation[S], limit: int | None
) -> PricedRelaxation[S, LinearView]:
    """Make the relaxation of a formulation: a new linear master, completed by the generators."""
    return PricedRelaxation(
        LinearMaster(problem, formulation),
        formulation.generators,
        problem.decisions,
        limit=limit,
        pricing=formulation.pricing,
        granularity=problem.granularity,
    )
