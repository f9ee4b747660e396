"""The methods over linear programs: relaxations that are rounded, and exact methods that branch."""

from __future__ import annotations

import math
from functools import partial

import attrs

from gapless import Result, Status
from gapless.arrays.spelling_hint import check_choice
from gapless.arrays.tolerance import meets
from gapless.column_generation import branch_and_price
from gapless.roles import SolveRequest
from gapless.tree_search.frontier import ORDERS
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_pricecut.formulation import BranchPriceAndCut
from gapless_pricecut.program import ROW_SETS
from gapless_pricecut.relaxation_loop import DelayedPricing, FullProgram, PaperPricing
from gapless_pricecut.relaxed_result import solve_relaxation

VARIANTS = ("default", "paper")
TREES = ("cut-sets", "flow")
OWNERS = ("scip", "own")


def full(
    problem: ParsingProblem, request: SolveRequest, *, rows: str = "lean", tree: str = "cut-sets"
) -> Result[DependencyTree]:
    """Solve the whole relaxation as one linear program (the brute force of section 6).

    Raises `UnknownOption`: other names. `InvalidProblem`: a factor that is no conjunction, or an infeasible start
    tree.

    Parameters
    ----------
    rows : {"lean", "all", "arcgp-gparc", "onegp-nogp"}
        Rows that tie pairs in groups to their arcs, see `ROW_SETS`.
    tree : {"cut-sets", "flow"}
        Rows that make arcs a tree: cut-sets, found when violated, or a single-commodity flow (section 3.1).
    """
    check_choice("rows", rows, ROW_SETS)
    check_choice("tree", tree, TREES)
    return solve_relaxation(problem, request, partial(FullProgram, rows=ROW_SETS[rows], flow=tree == "flow"))


def price_and_cut(
    problem: ParsingProblem, request: SolveRequest, *, variant: str = "default", fix: bool = True
) -> Result[DependencyTree]:
    """Solve the relaxation with delayed columns and rows (algorithm 1).

    Parameters
    ----------
    variant : {"default", "paper"}
        Joint pricing over cut-sets and lean rows, or algorithm 1 as printed.
    fix : bool
        Whether the default variant drops arcs that no better tree has, and stops once the bound meets the tree.

    Raises
    ------
    UnknownOption
        An unknown variant.
    InvalidProblem
        A factor that is no conjunction, or an infeasible start tree.
    """
    check_choice("variant", variant, VARIANTS)
    check_choice("fix", fix, (True, False))
    return solve_relaxation(
        problem, request, PaperPricing if variant == "paper" else partial(DelayedPricing, fix=fix)
    )


def branch_price_and_cut(
    problem: ParsingProblem, request: SolveRequest, *, tree: str = "scip", order: str = "best-first"
) -> Result[DependencyTree]:
    """Find the best tree by the same columns and rows, and by branching.

    Raises `UnknownOption`: other names. `InvalidProblem`: a factor that is no conjunction, or an infeasible start
    tree. `SolveError`: SCIP or a role failed; ``error.result`` holds the best so far.

    Parameters
    ----------
    tree : {"scip", "own"}
        Owner of the search tree: SCIP, which leaves no certificate, or our own, which does.
    order : {"best-first", "depth-first", "breadth-first"}
        Choice of the next open node.
    """
    from gapless import scip  # noqa: PLC0415  keeps loading this plug-in light

    check_choice("tree", tree, OWNERS)
    check_choice("order", order, ORDERS)
    roles = BranchPriceAndCut(problem)
    search = scip.branch_price_and_cut if tree == "scip" else branch_and_price
    formulation = roles.formulation()
    start = request.start or ([] if roles.proof.tree is None else [roles.proof.tree])
    result = search(problem, formulation, request.budget, order=order, start=start, method=request.method)
    value = result.value if result.solutions else -math.inf
    unfinished = tree == "scip" and result.status in (Status.FEASIBLE, Status.NO_SOLUTION)
    if unfinished and result.bound > roles.first_bound > value and not meets(roles.first_bound, value):
        # SCIP was stopped before its first linear program: the bound computed before it is better.
        result = attrs.evolve(result, bound=roles.first_bound)
    stats = attrs.evolve(
        result.stats,
        oracle_calls=roles.proof.calls,
        scopes_scored=roles.parts.scored,
        scopes_total=roles.parts.total,
        warm_start_used=result.stats.warm_start_used and bool(request.start),
    )
    explanation = result.explanation
    if result.status is Status.INFEASIBLE and not explanation:
        explanation = ["every tree has a factor that forbids it"]
    return attrs.evolve(result, stats=stats, explanation=tuple(explanation))


def integer_program(
    problem: ParsingProblem, request: SolveRequest, *, presolve: bool = False
) -> Result[DependencyTree]:
    """Solve the monolithic integer program by SCIP: an independent check of any problem with a linear model.

    Parameters
    ----------
    presolve : bool
        Whether SCIP simplifies the model first: faster, and wrong in some cases (decision 059).

    Raises `InvalidProblem`: a factor that cannot be written into a linear model.
    """
    from gapless import scip  # noqa: PLC0415  as above

    result = scip.solve_monolithic(problem, request.budget, method=request.method, presolve=presolve)
    scored = sum(factor.scored for factor in problem.conjunctions)
    total = sum(len(factor.scopes) for factor in problem.conjunctions)
    return attrs.evolve(result, stats=attrs.evolve(result.stats, scopes_scored=scored, scopes_total=total))
