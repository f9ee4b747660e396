"""The method ``lagrangian-cut``: ``split-bound`` with lazily asked scores, and a linear program where it stalls."""

from __future__ import annotations

from collections.abc import Sequence

from gapless import BatchResult, Result
from gapless.roles import Factor, SolveRequest
from gapless_dependency import DependencyTree, Grandchild, ParsingProblem
from gapless_pricecut.lagrangian_search import LagrangianSearch
from gapless_splitbound.batch import decode_many
from gapless_splitbound.tree_search import TreeSearch


def suits(problem: ParsingProblem) -> bool:
    """Return whether all factors are conjunctions, and either scored lazily or grandchildren."""
    conjunctions = [factor for factor in problem.factors if isinstance(factor, Factor)]
    if not conjunctions or len(conjunctions) < len(problem.factors):
        return False
    return any(f.bounded for f in conjunctions) or all(isinstance(f, Grandchild) for f in conjunctions)


def run(
    problem: ParsingProblem,
    request: SolveRequest,
    *,
    order: str = "best-first",
    certificate: bool = True,
) -> Result[DependencyTree]:
    """Find the best tree, or the k best, and prove it.

    The rows that tie parts to arcs (Riedel et al. 2012, section 3.2) are priced into the arcs' weights, under which
    the best tree is found. Parts are scored only where their upper bounds matter for a tree that was met. Raises
    `UnknownOption`: an unknown order. `InvalidProblem`: the start tree is infeasible, or a score exceeds its upper
    bound.

    Parameters
    ----------
    order : {"best-first", "depth-first", "breadth-first"}
        Choice of the next open node.
    certificate : bool
        Whether to keep what `Result.verify` needs.
    """
    return TreeSearch(order=order, driver=LagrangianSearch).run(problem, request, certificate=certificate)


def run_many(
    problems: Sequence[ParsingProblem],
    request: SolveRequest,
    *,
    order: str = "best-first",
    certificate: bool = True,
) -> BatchResult[DependencyTree]:
    """Decode sentences one after another, as `gapless_splitbound.batch.run_many` does."""
    return decode_many(problems, request, TreeSearch(order=order, driver=LagrangianSearch), certificate=certificate)
