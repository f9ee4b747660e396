"""Verification of an answer before it is returned (decision 024)."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any, TypeVar

import attrs

from gapless.certificates.certificate import UNREADABLE, NoCertificate, Verdict
from gapless.errors import VerificationFailed
from gapless.limits.limits import Stop
from gapless.problems.problem import Problem
from gapless.results.result import Result

S = TypeVar("S")
SECONDS = "verify_seconds"
"""Key of ``stats.extra`` for the duration of the verification."""


def require_verified(problem: Problem[S], result: Result[S]) -> Result[S]:
    """Return `result` once `Result.verify` has accepted it.

    After Ctrl-C during the verification, return the answer without a bound, because none was checked. Raises
    `VerificationFailed`: the result does not hold, or has no certificate to check.
    """
    began = time.perf_counter()
    try:
        verdict = result.verify(problem)
    except KeyboardInterrupt:
        return _without_bound(problem, result, "the check of the answer was interrupted (Ctrl-C)", Stop.INTERRUPTED)
    # A plug-in's certificate may raise anything; the caller asked for a checked answer and gets none.
    except Exception as error:
        verdict = Verdict(False, f"the check raised {type(error).__name__}: {error}", "certificate")
        raise _failure(problem, result, verdict) from error
    if not verdict:
        raise _failure(problem, result, verdict)
    extra = {**result.stats.extra, SECONDS: time.perf_counter() - began}
    return attrs.evolve(result, stats=attrs.evolve(result.stats, extra=extra))


def _failure(problem: Problem[S], result: Result[S], verdict: Verdict) -> VerificationFailed:
    if verdict.missing:
        reason = (
            f"the answer cannot be checked: {verdict.reason}; drop verify, or use a method and "
            "options that write a certificate"
        )
    elif verdict.undecided:
        reason = f"the check of the answer was not completed: {verdict.reason}"
    else:
        reason = f"the answer fails its check: {verdict.location}: {verdict.reason}"
    failure = VerificationFailed(f"{result.method}: {reason}" if result.method else reason)
    failure.result = _without_bound(problem, result, reason, Stop.ERROR)
    failure.claimed, failure.verdict = result, verdict
    return failure


def _without_bound(problem: Problem[S], result: Result[S], reason: str, stop: Stop) -> Result[S]:
    """Make a result of the feasible structures, without a bound."""
    claimed = f"claimed, but not checked: {result.status.value}, bound {result.bound:.12g}"
    return Result.of(
        problem,
        list(_feasible_structures(problem, result)),
        math.inf,
        stop,
        certificate=NoCertificate(reason),
        method=result.method,
        stats=result.stats,
        trace=result.trace,
        explanation=[*result.explanation, reason, claimed],
    )


def _feasible_structures(problem: Problem[S], result: Result[S]) -> Iterator[Any]:
    for solution in result.solutions:
        try:
            usable = not problem.violations(solution.structure) and not math.isnan(
                problem.value(solution.structure)
            )
        except UNREADABLE:
            continue
        if usable:
            yield solution.structure
