"""The method ``lagrangian-cut``: the linear program's dual by an arborescence oracle, with lazily scored parts."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from gapless import BatchResult, Result
from gapless.roles import Factor, NoCertificate, Solve
from gapless_dependency import DependencyTree, Grandchild, ParsingProblem
from gapless_pricecut.lagrangian_search import LagrangianSearch
from gapless_splitbound import compiled_search, k_best
from gapless_splitbound.batch import decode_many
from gapless_splitbound.method import backbone_needed, check_options
from gapless_splitbound.role_search import search as search_by_roles
from gapless_splitbound.uncompiled import reasons, told


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
    if solve.k > 1 and _fits(problem, solve):
        return k_best.search(problem, solve, variant="default", order=order, certificate=certificate)
    if not _fits(problem, solve):
        backbone = backbone_needed(problem)
        result = search_by_roles(problem, solve, variant="default", order=order, backbone=backbone)
        result = told(result, reasons(problem, solve, backbone))
        return (
            result
            if certificate
            else attrs.evolve(result, certificate=NoCertificate(compiled_search.ASKED_FOR_NONE))
        )

    def begin(start: DependencyTree | None, keep_proof: bool) -> LagrangianSearch:
        return LagrangianSearch(problem, order, start, keep_proof=keep_proof)

    return compiled_search.run(problem, solve, begin, certificate=certificate)


def run_many(
    problems: Sequence[ParsingProblem], solve: Solve, *, order: str = "best-first", certificate: bool = True
) -> BatchResult[DependencyTree]:
    """Decode sentences one after another, as `gapless_splitbound.batch.run_many` does."""
    check_options("default", order)

    def alone(problem: ParsingProblem, solve: Solve) -> Result[DependencyTree]:
        return run(problem, solve, order=order, certificate=certificate)

    def begin(problem: ParsingProblem) -> LagrangianSearch | None:
        return LagrangianSearch(problem, order, keep_proof=False) if _fits(problem, solve) else None

    return decode_many(problems, solve, alone, begin)


def _fits(problem: ParsingProblem, solve: Solve) -> bool:
    return compiled_search.fits(problem, solve, backbone_needed(problem))
