"""The method ``column-generation`` for trees: `price_and_cut` over label domains and a reduced-cost oracle."""

from __future__ import annotations

from gapless import Result, Solve
from gapless.core.sparse import IntArray
from gapless_chains.domain_generation import generate_labels
from gapless_chains.trees.messages import TreeMessages
from gapless_chains.trees.problem import TreeProblem
from gapless_chains.trees.reduced_cost import TreeReducedCostOracle


def run(problem: TreeProblem, solve: Solve, *, first: str = "greedy") -> Result[IntArray]:
    """Decode one tree or forest by column generation.

    Source: Belanger, Passos, Riedel, McCallum, MAP Inference in Chains using Column Generation, 2012, section 4 and
    appendix A.1. Every round has an answer and a true bound, so any limit may end it.

    Parameters
    ----------
    first : {"greedy", "local"}
        First domains, see `TreeMessages`. A start structure joins them.

    Raises
    ------
    InvalidProblem
        The start structure is infeasible.
    SolveError
        See `generate_labels`.
    """
    return generate_labels(problem, solve, TreeMessages(problem, first=first), TreeReducedCostOracle(problem))
