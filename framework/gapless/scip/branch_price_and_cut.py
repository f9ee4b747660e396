"""Branch-price-and-cut with SCIP's tree: the formulation of `branch_and_price`, for hard instances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeVar

from pyscipopt import SCIP_PARAMSETTING, Model  # type: ignore[attr-defined]  # missing from the stubs

from gapless.column_generation.formulation import Formulation
from gapless.errors import InconsistentBound, SolveError, UnknownOption
from gapless.limits.limits import Limits, SolveBudget, Stop, budget_of
from gapless.problems.problem import Problem, check_start
from gapless.results.result import Result, Stats
from gapless.scip.callback_guard import CallbackGuard
from gapless.scip.status import UNRECORDED, apply_limits, stop_of
from gapless.scip.tree import Enforcer, GeneratorPricer, Tree

S = TypeVar("S")

NODE_SELECTION = {"best-first": "bfs", "depth-first": "dfs", "breadth-first": "breadthfirst"}

AFTER_ALL_ROWS = -2_000_000
"""Enforcing priority below that of SCIP's linear rows (-1,000,000)."""

GRACE = 0.5
"""Seconds after the limit at which SCIP's own clock ends a linear program."""

LONGEST = 1e20
"""Largest time limit of SCIP, in seconds."""

UNSOUND_UNDER_PRICING: dict[str, Any] = {
    # Each of these draws conclusions that hold only if no more columns come.
    "propagating/maxrounds": 0,
    "propagating/maxroundsroot": 0,
    "misc/allowstrongdualreds": False,
    "misc/allowweakdualreds": False,
    "conflict/enable": False,
    "presolving/maxrestarts": 0,
}


def branch_price_and_cut(
    problem: Problem[S],
    formulation: Formulation[S],
    budget: SolveBudget | Limits | None = None,
    *,
    order: str = "best-first",
    start: Sequence[S] = (),
    limit: int | None = None,
    method: str = "branch-price-and-cut",
) -> Result[S]:
    """Solve `formulation` by column-and-row generation in SCIP's tree.

    Parameters
    ----------
    problem : Problem
    formulation : Formulation
        As for `gapless.column_generation.branch_and_price`. Its `certify` is not called.
    budget : SolveBudget or Limits
    order : {"best-first", "depth-first", "breadth-first"}
    start : sequence of S
        Feasible structures to start from; SCIP prunes with the best of them.
    limit : int, optional
        Approximate limit on columns and rows per generator and round.
    method : str
        Name written into the result.

    Returns
    -------
    Result
        Without a certificate: SCIP's tree is not recorded. After Ctrl-C or at a limit, the best answer so far with
        its true bound. A second Ctrl-C also aborts the running generator.

    Raises
    ------
    SolveError
        A role raised or contradicted itself. ``error.result`` holds the best answer so far, with `Stop.ERROR`.
    InvalidProblem
        The formulation does not fit the problem, or a `start` structure is infeasible.
    """
    if order not in tuple(NODE_SELECTION):
        raise UnknownOption(f"order is {order!r}, expected one of {', '.join(NODE_SELECTION)}")
    check_start(problem, start)
    budget = budget_of(budget)
    budget.sense = problem.sense
    model = _model(order)
    # SCIP owns the tree, and gapless owns bounds, incumbents and branching (decision 005).
    try:
        guard = CallbackGuard(model, budget)
        tree = Tree(problem, formulation, budget, model, guard, limit)
        # SCIP holds bare pointers to its plug-ins: these names must outlive it.
        pricer, enforcer = GeneratorPricer(tree), Enforcer(tree)
        model.includePricer(pricer, "generators", "columns and rows from gapless generators")
        model.includeConshdlr(
            enforcer,
            "gapless",
            "bounds, incumbents and branching",
            enfopriority=AFTER_ALL_ROWS,
            chckpriority=AFTER_ALL_ROWS,
            needscons=False,
        )
        apply_limits(model, budget)
        if budget.limits.time is not None:
            # Callbacks leave a node at the limit by legal ways; SCIP's clock, in the midst of pricing, does not.
            model.setParam("limits/time", min(budget.time_left + GRACE, LONGEST))
        # SCIP would measure the gap to its objective limit; `Tree` measures it to the incumbent.
        model.setParam("limits/gap", 0.0)
        failure = _run(tree, start)
        stop = tree.stop or (Stop.INTERRUPTED if budget.interrupted else stop_of(model, budget))
        if failure is None and stop is Stop.ERROR:
            failure = SolveError(f"SCIP ended with status {model.getStatus()!r}")
        result = _result(tree, stop, failure, method, warm=bool(start))
        if failure is not None:
            failure.result = result
            raise failure
        return result
    finally:
        # A model with Python plug-ins is in a reference cycle that the collector cannot break: 1 MB per solve.
        model.freeProb()
        if hasattr(model, "free"):  # newer PySCIPOpt
            model.free()


def _model(order: str) -> Any:
    model = Model("branch-price-and-cut")
    model.hideOutput()
    # Presolving and cuts would change rows that generators read by key; heuristics would offer points that SCIP
    # must not accept.
    model.setPresolve(SCIP_PARAMSETTING.OFF)
    model.setHeuristics(SCIP_PARAMSETTING.OFF)
    model.setSeparating(SCIP_PARAMSETTING.OFF)
    model.setParams(
        {
            **UNSOUND_UNDER_PRICING,
            # `CallbackGuard.ctrl_c` handles Ctrl-C, for SCIP and for running callbacks alike.
            "misc/catchctrlc": False,
            # Duals would be those of a scaled objective.
            "misc/scaleobj": False,
            f"nodeselection/{NODE_SELECTION[order]}/stdpriority": 1_000_000,
        }
    )
    return model


def _run(tree: Tree[S], start: Sequence[S]) -> SolveError | None:
    """Run SCIP; return the failure, if any."""
    guard = tree.guard
    try:
        for structure in start:
            tree.accept(structure)
        with guard.ctrl_c():
            tree.model.optimize()
    except KeyboardInterrupt:
        guard.interrupted()
    except SolveError as error:  # raised by an observer or the problem before SCIP began
        return error
    except Exception as error:  # pyscipopt raises nothing more specific
        failure = guard.failure()
        if failure is None and not guard.halted and not tree.stumbled_at_limit():
            failure = SolveError(f"SCIP failed: {error}")
            failure.__cause__ = error
        return failure
    return guard.failure()


def _result(tree: Tree[S], stop: Stop, failure: SolveError | None, method: str, *, warm: bool) -> Result[S]:
    budget, problem = tree.budget, tree.problem
    columns, rows = tree.master.size
    budget.nodes = int(tree.model.getNTotalNodes())
    if failure is not None:
        stop = Stop.ERROR
    # One wrong bound makes all earlier ones doubtful.
    if isinstance(failure, InconsistentBound):
        bound = math.inf
    elif stop is Stop.PROVED:
        # No node is open: closed nodes and the incumbent bound all structures.
        bound = max(tree.best, tree.closed)
    else:
        bound = tree.bound
    return Result.of(
        problem,
        [] if tree.incumbent is None else [tree.incumbent],
        bound,
        stop,
        certificate=UNRECORDED,
        method=method,
        stats=Stats(
            seconds=budget.elapsed,
            nodes=budget.nodes,
            iterations=budget.iterations,
            oracle_calls=budget.oracle_calls,
            columns=columns,
            rows=rows,
            warm_start_used=warm,
        ),
        trace=budget.events,
        explanation=problem.infeasibility() if bound == -math.inf else (),
    )
