"""The methods: linear relaxations, rounded and not branched; and the exact ones that branch."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial
from typing import Any

import attrs

from gapless import Result, Status, UnknownOption
from gapless.core.nearest import nearest
from gapless.core.tolerance import meets
from gapless.engine import branch_and_price
from gapless.engine.frontier import ORDERS
from gapless.roles import Solve
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_pricecut.delayed import Delayed
from gapless_pricecut.formulation import BranchPriceAndCut
from gapless_pricecut.paper import Paper
from gapless_pricecut.program import ROW_SETS
from gapless_pricecut.relaxation_loop import Full
from gapless_pricecut.relaxed_result import solve_relaxation

VARIANTS = ("default", "paper")
TREES = ("cut-sets", "flow")
OWNERS = ("scip", "own")


def full(
    problem: ParsingProblem, solve: Solve, *, rows: str = "lean", tree: str = "cut-sets"
) -> Result[DependencyTree]:
    """The whole relaxation in one linear program (the brute force of section 6).

    Raises `UnknownOption`: other names. `InvalidProblem`: a factor that is no conjunction, or an infeasible start
    tree.

    Parameters
    ----------
    rows : {"lean", "all", "arcgp-gparc", "onegp-nogp"}
        Rows that tie pairs in groups to their arcs, see `ROW_SETS`.
    tree : {"cut-sets", "flow"}
        Rows that make arcs a tree: cut-sets, found when violated, or a single-commodity flow (section 3.1).
    """
    one_of("rows", rows, ROW_SETS)
    one_of("tree", tree, TREES)
    return solve_relaxation(problem, solve, partial(Full, rows=ROW_SETS[rows], flow=tree == "flow"))


def price_and_cut(
    problem: ParsingProblem, solve: Solve, *, variant: str = "default", fix: bool = True
) -> Result[DependencyTree]:
    """The relaxation with delayed columns and rows.

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
    one_of("variant", variant, VARIANTS)
    one_of("fix", fix, (True, False))
    return solve_relaxation(problem, solve, Paper if variant == "paper" else partial(Delayed, fix=fix))


def branch_price_and_cut(
    problem: ParsingProblem, solve: Solve, *, tree: str = "scip", order: str = "best-first"
) -> Result[DependencyTree]:
    """The best tree, by the same columns and rows and by branching.

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

    one_of("tree", tree, OWNERS)
    one_of("order", order, ORDERS)
    roles = BranchPriceAndCut(problem)
    search = scip.branch_price_and_cut if tree == "scip" else branch_and_price
    formulation = roles.formulation()
    start = solve.start or ([] if roles.proof.tree is None else [roles.proof.tree])
    result = search(problem, formulation, solve.budget, order=order, start=start, method=solve.method)
    value = result.value if result.solutions else -math.inf
    unfinished = tree == "scip" and result.status in (Status.FEASIBLE, Status.NO_SOLUTION)
    if unfinished and result.bound > roles.first_bound > value and not meets(roles.first_bound, value):
        # SCIP was stopped before its first linear program: what began it says more.
        result = attrs.evolve(result, bound=roles.first_bound)
    stats = attrs.evolve(
        result.stats,
        oracle_calls=roles.proof.calls,
        parts_scored=roles.parts.scored,
        parts_total=roles.parts.total,
        warm_start_used=result.stats.warm_start_used and bool(solve.start),
    )
    explanation = result.explanation
    if result.status is Status.INFEASIBLE and not explanation:
        explanation = ["every tree has a factor that forbids it"]
    return attrs.evolve(result, stats=stats, explanation=tuple(explanation))


def integer_program(problem: ParsingProblem, solve: Solve, *, presolve: bool = False) -> Result[DependencyTree]:
    """The monolithic integer program on SCIP: the judge, for every problem with a linear model.

    Parameters
    ----------
    presolve : bool
        Whether SCIP simplifies the model first: faster, and wrong in some cases (decision 059).

    Raises `InvalidProblem`: a factor that cannot be written into a linear model.
    """
    from gapless import scip  # noqa: PLC0415  as above

    result = scip.solve_monolithic(problem, solve.budget, method=solve.method, presolve=presolve)
    scored = sum(factor.scored for factor in problem.conjunctions)
    total = sum(len(factor.scopes) for factor in problem.conjunctions)
    return attrs.evolve(result, stats=attrs.evolve(result.stats, parts_scored=scored, parts_total=total))


def one_of(name: str, value: Any, known: Iterable[Any]) -> None:
    """Raise `UnknownOption` unless an option has a known value."""
    values = list(known)
    names = list(map(str, values))
    if value not in values:
        raise UnknownOption(
            f"{name} is {value!r}{nearest(str(value), names)}; it must be one of: {', '.join(names)}"
        )
