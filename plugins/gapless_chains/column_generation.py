"""The method ``column-generation``: `price_and_cut` over label domains and a reduced-cost oracle."""

from __future__ import annotations

from gapless import Result, Solve, Status
from gapless.core.sparse import IntArray
from gapless_chains.domain_generation import generate_labels
from gapless_chains.domain_k_best import k_best_in_domains
from gapless_chains.messages import DomainMessages
from gapless_chains.problem import ChainProblem
from gapless_chains.reduced_cost import ReducedCostOracle


def run(problem: ChainProblem, solve: Solve, *, first: str = "greedy") -> Result[IntArray]:
    """Decode one chain by column generation.

    Source: Belanger, Passos, Riedel, McCallum, MAP Inference in Chains using Column Generation, 2012, section 4,
    with the reduced cost of both directions (eq. 12). Every round has an answer and a true bound, so any limit may
    end it: ``Limits(gap=...)`` is the paper's termination by duality gap (section 5, appendix A.2).

    For ``k > 1`` the labels that a k-th best labelling could need join the domains, see `k_best_in_domains`.

    Parameters
    ----------
    first : {"greedy", "local"}
        First domains, see `DomainMessages`. A start structure joins them.

    Raises
    ------
    InvalidProblem
        The start structure is infeasible.
    SolveError
        See `price_and_cut`; ``error.result`` says that nothing is known. Also when scores cancel so far that
        float64 cannot close the gap; ``error.result`` then holds the answer and its bound.
    """
    result = generate_labels(problem, solve, DomainMessages(problem, first=first), ReducedCostOracle(problem))
    if solve.k == 1 or result.status is not Status.OPTIMAL:
        return result
    return k_best_in_domains(problem, result, solve.k)
