"""The explicit model of a problem in SCIP: written to a file, or solved as an independent check."""

from __future__ import annotations

import math
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyscipopt
from pyscipopt import SCIP_PARAMSETTING  # type: ignore[attr-defined]  # missing from the stubs

from gapless.arrays.serial import require_folder
from gapless.arrays.sparse import IntArray
from gapless.arrays.tolerance import meets, score_tolerance
from gapless.decisions.linear_model import LinearModel
from gapless.errors import InconsistentBound, InvalidProblem, OracleError
from gapless.factors.error_notes import call_problem
from gapless.limits.limits import SolveBudget, Stop
from gapless.problems.problem import Problem, check_start, score_of
from gapless.results.result import Result, Stats
from gapless.scip.status import QUIET_SCALE, UNRECORDED, apply_limits, bound_of, stop_of
from gapless.tree_search.role_calls import decoded, encoded

S = TypeVar("S")
FEASIBILITY = 1e-9
"""Tolerance of rows, as `apply_limits` sets it."""
SUFFIXES = (".cip", ".lp", ".mps")


def write_model(problem: Problem[Any], path: str | os.PathLike[str]) -> None:
    """Write the problem's linear model, atomically; the suffix selects the format.

    The objective is to maximise scores: a problem that minimises is written with negated values.

    Parameters
    ----------
    problem : Problem
        A problem with `linear_model`.
    path : path
        File name with the suffix ``.cip``, ``.lp`` or ``.mps``.

    Raises
    ------
    InvalidProblem
        Another suffix, or the problem offers no linear model.
    """
    target = Path(path)
    if target.suffix not in SUFFIXES:
        raise InvalidProblem(f"{target}: the suffix must be one of {', '.join(SUFFIXES)}")
    require_folder(target)
    model, _ = scip_model(_linear_model(problem))
    try:
        # SCIP writes into a folder next to the target, so that the file appears complete or not at all.
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as folder:
            aside = Path(folder) / f"model{target.suffix}"
            model.writeProblem(str(aside), verbose=False)
            aside.replace(target)
    finally:
        model.freeProb()


def solve_monolithic(
    problem: Problem[S],
    budget: SolveBudget | None = None,
    *,
    start: Sequence[S] = (),
    method: str = "ilp",
    presolve: bool = False,
) -> Result[S]:
    """Solve the whole linear model with SCIP, independently of all oracles: the reference in tests.

    The answer is compared with ``problem.value``: SCIP's value of its structure, and the bound that SCIP claims.

    Parameters
    ----------
    problem : Problem
        A problem with `linear_model`.
    budget : SolveBudget
    start : sequence of S
        Feasible structures to start from: SCIP gets their decisions and completes them.
    method : str
        Name written into the result.
    presolve : bool
        Whether SCIP simplifies the model first, which is faster for large ones. A reference should not: SCIP 10.0
        proves another optimum of some small models after presolving (decision 059).

    Returns
    -------
    Result
        "Proved by SCIP" and without a certificate: SCIP's proof is not recorded. ``stats.extra["model_seconds"]``
        is the CPU time of building the model. After Ctrl-C, the best answer of SCIP so far; while the model is
        still being built, only `start`.

    Raises
    ------
    InvalidProblem
        The problem offers no linear model, or one that allows infeasible structures, or a `start` structure is
        infeasible.
    InconsistentBound
        SCIP and ``problem.value`` disagree: on the value of SCIP's structure, or on a structure of `start` that is
        better than what SCIP claims to be best. ``error.result`` holds the best structure, without a bound.
    """
    budget = budget or SolveBudget()
    check_start(problem, start)
    try:
        return _solved(problem, budget, start, method, presolve)
    except KeyboardInterrupt:
        budget.interrupt()
        return Result.of(problem, start, math.inf, Stop.INTERRUPTED, method=method)


def _solved(problem: Problem[S], budget: SolveBudget, start: Sequence[S], method: str, presolve: bool) -> Result[S]:
    began = time.thread_time()
    linear = _linear_model(problem)
    model, columns = scip_model(linear, QUIET_SCALE)
    written = time.thread_time() - began
    try:
        apply_limits(model, budget, scale=QUIET_SCALE)
        # SCIP 10.0 proves a wrong optimum of some small models after presolving (decision 059).
        if not presolve:
            model.setPresolve(SCIP_PARAMSETTING.OFF)
        for structure in start:
            _suggest(model, columns, linear, encoded(problem, structure))
        model.optimize()
        structures = list(start)
        if model.getNSols():
            point = model.getBestSol()
            chosen = np.array([model.getSolVal(point, columns[c]) for c in linear.decision_columns.tolist()])
            structure = decoded(problem, np.flatnonzero(chosen > 0.5))
            broken = call_problem(problem, problem.violations, structure)
            if broken:
                raise InvalidProblem(
                    f"the linear model of {type(problem).__name__} allows a structure that the problem forbids: "
                    f"{broken[0]}"
                )
            structures.append(structure)
        best = sorted(structures, key=lambda structure: -score_of(problem, structure))[:1]
        bound, stop = bound_of(model, constant=0.0, scale=QUIET_SCALE), stop_of(model, budget)
        claimed = float(model.getObjVal()) / QUIET_SCALE if model.getNSols() else -math.inf
        disagreement = _disagreement(problem, linear, structures, claimed, bound, stop)
        if disagreement:
            failure = InconsistentBound(disagreement)
            failure.result = Result.of(problem, best, math.inf, Stop.ERROR, method=method)
            raise failure
        return Result.of(
            problem,
            best,
            bound,
            stop,
            certificate=UNRECORDED,
            method=method,
            stats=Stats(
                seconds=budget.elapsed,
                nodes=int(model.getNTotalNodes()),
                warm_start_used=bool(start),
                extra={"model_seconds": written},
            ),
            explanation=problem.infeasibility() if model.getStatus() == "infeasible" else (),
        )
    finally:
        model.freeProb()


def _disagreement(
    problem: Problem[S], linear: LinearModel, structures: Sequence[S], claimed: float, bound: float, stop: Stop
) -> str:
    """A contradiction between SCIP and ``problem.value``, in words; empty where there is none.

    Parameters
    ----------
    structures : sequence of S
        Those of `start`; last, if there is one, SCIP's own.
    claimed, bound : float
        SCIP's score of its own structure, -inf without one, and its bound.
    """
    scores = [score_of(problem, structure) for structure in structures]
    turn, name = problem.sense.turn, type(problem).__name__
    if claimed > -math.inf:
        # SCIP accepts rows that are violated by a billionth of their size, once for each column.
        tolerance = max(score_tolerance(claimed), FEASIBILITY * float(np.abs(linear.objective).sum()))
        # At a limit the columns that are no decisions need not be at their best: the score may then be higher.
        if claimed - scores[-1] > tolerance or (stop is Stop.PROVED and scores[-1] - claimed > tolerance):
            return (
                f"SCIP values its structure at {turn(claimed)!r}, {name}.value at {turn(scores[-1])!r}: the linear "
                "model differs from the problem, or SCIP is wrong"
            )
    best = max(scores, default=-math.inf)
    if not meets(best, bound):
        return (
            f"SCIP claims that {problem.sense.beyond(bound)}, but a structure of `start` has the value "
            f"{turn(best)!r}: SCIP is wrong, or the linear model forbids what the problem allows"
        )
    return ""


def _suggest(model: pyscipopt.Model, columns: list[Any], linear: LinearModel, on_ids: IntArray) -> None:
    """Give SCIP the decisions of a structure; SCIP completes all other columns."""
    # The problem knows its decisions only; auxiliary columns of the linear model follow from them.
    on = np.zeros(linear.decision_columns.size, bool)
    on[on_ids] = True
    suggested = model.createPartialSol()
    for column, value in zip(linear.decision_columns.tolist(), on.tolist(), strict=True):
        model.setSolVal(suggested, columns[column], float(value))
    model.addSol(suggested)


def _linear_model(problem: Problem[Any]) -> LinearModel:
    try:
        return call_problem(problem, problem.linear_model)
    except OracleError as error:
        if isinstance(error.__cause__, NotImplementedError):
            raise InvalidProblem(str(error.__cause__)) from error
        raise


def scip_model(linear: LinearModel, scale: float = 1.0) -> tuple[pyscipopt.Model, list[Any]]:
    """Make the unsolved model and its variables; SCIP maximises, and no dual is ever requested.

    Scores are multiplied by `scale`.
    """
    model = pyscipopt.Model("gapless")
    model.hideOutput()
    names = linear.column_names or [f"x{c}" for c in range(linear.objective.size)]
    columns = [
        model.addVar(
            name,
            vtype="I" if integer else "C",
            lb=None if lower == -math.inf else lower,
            ub=None if upper == math.inf else upper,
            obj=objective,
        )
        for name, integer, lower, upper, objective in zip(
            names,
            linear.integer.tolist(),
            linear.column_lower.tolist(),
            linear.column_upper.tolist(),
            (scale * linear.objective).tolist(),
            strict=True,
        )
    ]
    model.setMaximize()
    model.addObjoffset(scale * linear.constant)
    for number in range(len(linear.rows)):
        indices, values = linear.rows.row(number)
        lower, upper = float(linear.row_lower[number]), float(linear.row_upper[number])
        name = linear.row_names[number] if linear.row_names else f"r{number}"
        row = pyscipopt.quicksum(v * columns[c] for c, v in zip(indices.tolist(), values.tolist(), strict=True))
        if lower == upper:
            model.addCons(row == lower, name=name)
        elif lower > -math.inf or upper < math.inf:
            lower, upper = max(lower, -model.infinity()), min(upper, model.infinity())
            model.addCons((row <= upper) if lower <= -model.infinity() else (lower <= (row <= upper)), name=name)
    return model, columns
