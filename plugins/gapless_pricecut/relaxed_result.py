"""From a relaxation to a result: limits, Ctrl-C, errors, and what is said about it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gapless import Certificate, Result, SolveError, Stop
from gapless.core.problem import check_start
from gapless.core.tolerance import margin, meets
from gapless.engine.guard import guarded
from gapless.roles import NoCertificate, Solve, Stats
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_pricecut.pricing_tables import Parts
from gapless_pricecut.proof import Proof
from gapless_pricecut.relaxation_loop import Relaxing

ROUNDED = 2.0**-46
"""Rounding error of sums in float64, relative to the largest score."""

Make = Callable[[Parts, Proof], Relaxing]


def solve_relaxation(problem: ParsingProblem, solve: Solve, make: Make) -> Result[DependencyTree]:
    """Solve a relaxation and round it.

    The result is OPTIMAL when the bound meets the rounded tree; else FEASIBLE with the relaxation's bound, stop
    being RELAXED unless a limit came first. Raises `InvalidProblem`: a factor is no conjunction, or the start tree
    is infeasible. `SolveError`: the LP solver failed, or an observer raised. `make`: makes the relaxation.
    """
    check_start(problem, solve.start)
    budget = solve.budget
    parts = Parts(problem)
    proof = Proof.of_all(parts)
    for tree in solve.start:
        proof.offer(tree)
    relaxing = make(parts, proof)

    def ended() -> Stop | None:
        stop = _reached(problem, solve, proof)
        return None if stop is Stop.PROVED and not relaxing.early else stop

    def enough() -> bool:
        guarded(
            budget,
            budget.emit,
            "round",
            proof.bound,
            proof.value,
            restricted=relaxing.objective,
            columns=relaxing.program.program.columns,
            rows=relaxing.program.program.rows,
        )
        return ended() is not None

    try:
        if relaxing.begin() and ended() is None and budget.spent_between_nodes() is None:
            budget.nodes = 1
            relaxing.run(budget, enough)
    except KeyboardInterrupt:
        budget.interrupt()
    except SolveError as error:
        error.result = _result(problem, solve, relaxing, Stop.ERROR)
        raise
    stop = _reached(problem, solve, proof) or (Stop.RELAXED if relaxing.complete else None)
    return _result(problem, solve, relaxing, stop or budget.spent_between_nodes() or Stop.RELAXED)


def _reached(problem: ParsingProblem, solve: Solve, proof: Proof) -> Stop | None:
    """Reason to stop; None when there is none yet."""
    if proof.closed:
        return Stop.PROVED
    limits = solve.budget.limits
    if proof.tree is None:
        return None
    if limits.target is not None and problem.sense.sign * proof.value >= problem.sense.sign * limits.target:
        return Stop.TARGET
    if limits.gap > 0 and meets(proof.bound, proof.value, limits.gap):
        return Stop.GAP
    return None


def _checked(proof: Proof, problem: ParsingProblem) -> tuple[Certificate, float]:
    """The evidence and its bound; beside scores that are so large that float64 may decide, what a checker says."""
    evidence = proof.certificate()
    if evidence is None:
        return NoCertificate("it ended before there was a bound"), proof.bound
    if ROUNDED * proof.parts.largest <= 0.25 * margin(0.0 if proof.tree is None else proof.value):
        return evidence, proof.bound
    verdict = evidence.verify(problem)
    if not verdict:
        return NoCertificate(f"the prices prove nothing: {verdict.reason}"), math.inf
    return evidence, float(verdict.bound)


def _result(problem: ParsingProblem, solve: Solve, relaxing: Relaxing, stop: Stop) -> Result[DependencyTree]:
    proof, parts, program = relaxing.proof, relaxing.parts, relaxing.program
    evidence, bound = _checked(proof, problem)
    if stop is Stop.PROVED and bound > -math.inf and not (proof.tree is not None and meets(bound, proof.value)):
        stop = Stop.GAP
    none = bound == -math.inf
    said = (problem.infeasibility() or ["every tree has a factor that forbids it"]) if none else []
    extra: dict[str, Any] = {"rounds": relaxing.rounds}
    if relaxing.complete:
        extra |= {"objective": relaxing.objective, "integral": relaxing.integral}
    elif proof.closed and not none:
        # The bound on what is left met a tree: no program says more of it.
        extra |= {"objective": proof.value, "integral": True}
    return Result.of(
        problem,
        [] if proof.tree is None else [proof.tree],
        max(bound, proof.value) if stop in (Stop.PROVED, Stop.GAP) else bound,
        stop,
        certificate=evidence,
        method=solve.method,
        stats=Stats(
            seconds=solve.budget.elapsed,
            nodes=solve.budget.nodes,
            iterations=solve.budget.iterations,
            oracle_calls=proof.calls,
            columns=program.program.columns,
            rows=program.program.rows,
            parts_scored=parts.scored,
            parts_added=program.added,
            parts_total=parts.total,
            warm_start_used=bool(solve.start),
            extra=extra,
        ),
        trace=solve.budget.events,
        explanation=said,
    )
