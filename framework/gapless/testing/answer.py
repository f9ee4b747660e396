"""The rules for answers that all methods share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gapless.problems.problem import Problem
from gapless.results.result import Result, Status
from gapless.testing.conformance import Check, dominates, has_evidence, same


def check_answer(check: Check, problem: Problem[Any], result: Result[Any], best: float, location: str) -> None:
    """Raise `ConformanceError` unless all statements of a result are true.

    Solutions are feasible, values are the problem's own, the bound dominates `best` (the enumerated best score,
    -inf when nothing is feasible), INFEASIBLE occurs only in that case, and a certificate verifies.
    """
    sign = problem.sense.sign
    for solution in result.solutions:
        broken = list(problem.violations(solution.structure))
        check.require(not broken, "solutions are feasible", f"{location}: {broken}")
        check.require(
            same(solution.value, float(problem.value(solution.structure))),
            "values are the problem's own",
            f"{location}: {solution.value!r}",
        )
    check.require(
        dominates(sign * result.bound, best),
        "the bound dominates every feasible value",
        f"{location}: bound {result.bound!r}, but {sign * best!r} is feasible",
    )
    check.require(
        result.status is not Status.INFEASIBLE or best == -math.inf,
        "INFEASIBLE only where nothing is feasible",
        location,
    )
    if has_evidence(result.certificate):
        verdict = check.call("a certificate verifies", location, result.verify, problem)
        check.require(verdict, "a certificate verifies", f"{location}: {verdict.location}: {verdict.reason}")


def check_proof(
    check: Check, problem: Problem[Any], result: Result[Any], best: float, location: str, *, exact: bool
) -> None:
    """Raise `ConformanceError` unless an exact method proved its answer, and every OPTIMAL answer is the best."""
    if exact:
        expected = Status.OPTIMAL if best > -math.inf else Status.INFEASIBLE
        check.require(result.status is expected, "an exact method proves its answer", f"{location}: {result!r}")
    if result.status is Status.OPTIMAL:
        check.require(
            same(problem.sense.sign * result.value, best),
            "the answer is the enumerated best",
            f"{location}: {result.value!r}, but the best is {problem.sense.sign * best!r}",
        )


def check_k_best(check: Check, problem: Problem[Any], result: Result[Any], k: int, scores: Sequence[float]) -> None:
    """Raise `ConformanceError` unless an exact method's `k` best structures are those of the enumerated scores."""
    found = [problem.sense.sign * solution.value for solution in result.solutions]
    expected = scores[:k]
    check.require(
        len(found) == len(expected) and all(map(same, found, expected)),
        "the k best are the enumerated ones",
        f"k={k}: {found}, expected {expected}",
    )
