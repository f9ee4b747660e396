"""From a relaxation to a result: limits, Ctrl-C, errors and explanations."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gapless import Certificate, Result, SolveError, Stop
from gapless.arrays.tolerance import meets, score_tolerance
from gapless.problems.problem import check_start
from gapless.roles import NoCertificate, SolveRequest, Stats
from gapless.tree_search.role_calls import call_role
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_pricecut.bound_state import BoundState
from gapless_pricecut.pricing_tables import PricingTables
from gapless_pricecut.relaxation_loop import RelaxationLoop

ROUNDED = 2.0**-46
"""Rounding error of sums in float64, relative to the largest score."""

Make = Callable[[PricingTables, BoundState], RelaxationLoop]


def solve_relaxation(problem: ParsingProblem, request: SolveRequest, make: Make) -> Result[DependencyTree]:
    """Solve a relaxation and round it.

    The result is OPTIMAL when the bound meets the rounded tree; else FEASIBLE with the relaxation's bound, stop
    being RELAXED unless a limit came first. Raises `InvalidProblem`: a factor is no conjunction, or the start tree
    is infeasible. `SolveError`: the LP solver failed, or an observer raised. `make`: makes the relaxation.
    """
    check_start(problem, request.start)
    budget = request.budget
    parts = PricingTables(problem)
    proof = BoundState.of_all(parts)
    for tree in request.start:
        proof.offer(tree)
    relaxing = make(parts, proof)

    def ended() -> Stop | None:
        stop = _reached(problem, request, proof)
        # The optimum of the program is part of the result: only the variant that stops early may end before it.
        return None if stop is Stop.PROVED and not relaxing.early else stop

    def enough() -> bool:
        call_role(
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
        # The bound without a program may already decide, or the budget may be spent by now.
        if relaxing.begin() and ended() is None and budget.stop_reason_between_nodes() is None:
            budget.nodes = 1
            relaxing.run(budget, enough)
    except KeyboardInterrupt:
        budget.interrupt()
    except SolveError as error:
        error.result = _result(problem, request, relaxing, Stop.ERROR)
        raise
    stop = _reached(problem, request, proof) or (Stop.RELAXED if relaxing.complete else None)
    return _result(problem, request, relaxing, stop or budget.stop_reason_between_nodes() or Stop.RELAXED)


def _reached(problem: ParsingProblem, request: SolveRequest, proof: BoundState) -> Stop | None:
    """Return the reason to stop; None if there is none yet."""
    if proof.closed:
        return Stop.PROVED
    limits = request.budget.limits
    if proof.tree is None:
        return None
    if limits.target is not None and problem.sense.sign * proof.value >= problem.sense.sign * limits.target:
        return Stop.TARGET
    if limits.relative_gap > 0 and meets(proof.bound, proof.value, limits.relative_gap):
        return Stop.GAP
    return None


def _checked(proof: BoundState, problem: ParsingProblem) -> tuple[Certificate, float]:
    """Return the certificate and its bound: the verifier's bound where float64 rounding may decide."""
    evidence = proof.certificate()
    if evidence is None:
        return NoCertificate("it ended before there was a bound"), proof.bound
    # Scores so small that their rounding cannot reach a quarter of the tolerance: no need to verify.
    if ROUNDED * proof.parts.largest <= 0.25 * score_tolerance(0.0 if proof.tree is None else proof.value):
        return evidence, proof.bound
    verdict = evidence.verify(problem)
    if not verdict:
        return NoCertificate(f"the prices prove nothing: {verdict.reason}"), math.inf
    return evidence, float(verdict.bound)


def _result(
    problem: ParsingProblem, request: SolveRequest, relaxing: RelaxationLoop, stop: Stop
) -> Result[DependencyTree]:
    proof, parts, program = relaxing.proof, relaxing.parts, relaxing.program
    evidence, bound = _checked(proof, problem)
    if stop is Stop.PROVED and bound > -math.inf and not (proof.tree is not None and meets(bound, proof.value)):
        # The verifier counts rounding; with it, the bound may fail to meet a tree that floats called optimal.
        stop = Stop.GAP
    infeasible = bound == -math.inf
    reasons = (problem.infeasibility() or ["every tree has a factor that forbids it"]) if infeasible else []
    extra: dict[str, Any] = {"rounds": relaxing.rounds}
    if relaxing.complete:
        extra |= {"objective": relaxing.objective, "integral": relaxing.integral}
    elif proof.closed and not infeasible:
        # The bound on the alive trees met one of them: the program over these arcs has that optimum.
        extra |= {"objective": proof.value, "integral": True}
    return Result.of(
        problem,
        [] if proof.tree is None else [proof.tree],
        max(bound, proof.value) if stop in (Stop.PROVED, Stop.GAP) else bound,
        stop,
        certificate=evidence,
        method=request.method,
        stats=Stats(
            seconds=request.budget.elapsed,
            nodes=request.budget.nodes,
            iterations=request.budget.iterations,
            oracle_calls=proof.calls,
            columns=program.program.columns,
            rows=program.program.rows,
            scopes_scored=parts.scored,
            scopes_added=program.added,
            scopes_total=parts.total,
            warm_start_used=bool(request.start),
            extra=extra,
        ),
        trace=request.budget.events,
        explanation=reasons,
    )
