"""The method ``lagrangian-cut``: the linear program's dual by an arborescence oracle, with lazily scored parts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from gapless import BatchResult, Result
from gapless.roles import Factor, Solve
from gapless_dependency import DependencyTree, Grandchild, ParsingProblem
from gapless_dependency.backbones import backbone_needed
from gapless_pricecut.lagrangian_search import LagrangianSearch
from gapless_splitbound.batch import decode_many
from gapless_splitbound.method import check_options
from gapless_splitbound.tree_layout import tree_layout
from gapless_splitbound.tree_search import search


def suits(problem: ParsingProblem) -> bool:
    """Whether all factors are conjunctions, and either scored lazily or grandchildren."""
    conjunctions = [factor for factor in problem.factors if isinstance(factor, Factor)]
    if not conjunctions or len(conjunctions) < len(problem.factors):
        return False
    return any(f.bounded for f in conjunctions) or all(isinstance(f, Grandchild) for f in conjunctions)


def run(
    problem: ParsingProblem,
    solve: Solve,
    *,
    order: str = "best-first",
    certificate: bool = True,
) -> Result[DependencyTree]:
    """Find the best tree, or the k best, and prove it.

    The rows that tie parts to arcs (Riedel et al. 2012, section 3.2) are priced into the arcs' weights, over which
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
    check_options("default", order)
    layout = tree_layout(problem, backbone_needed(problem), lazily=solve.k == 1)
    begin = partial(LagrangianSearch, order=order)
    return search(layout, solve, begin, certificate=certificate, order=order)


def run_many(
    problems: Sequence[ParsingProblem], solve: Solve, *, order: str = "best-first", certificate: bool = True
) -> BatchResult[DependencyTree]:
    """Decode sentences one after another, as `gapless_splitbound.batch.run_many` does."""
    check_options("default", order)

    def alone(problem: ParsingProblem, solve: Solve) -> Result[DependencyTree]:
        return run(problem, solve, order=order, certificate=certificate)

    def begin(problem: ParsingProblem) -> LagrangianSearch | None:
        if problem.infeasibility():
            return None
        layout = tree_layout(problem, backbone_needed(problem), lazily=True)
        return LagrangianSearch(layout, order=order, keep_proof=False)

    return decode_many(problems, solve, alone, begin)
