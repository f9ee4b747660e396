"""One method on one instance whose scores are known: every statement of its results is checked.

`check_method`, the campaigns of `gapless selftest` and the fuzzer ask here whether an answer is right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import attrs

from gapless.certificates.certificate import Verdict
from gapless.limits.limits import Limits, SolveBudget, Stop
from gapless.plugins.call import SolveRequest
from gapless.plugins.registry import Method
from gapless.problems.problem import Problem
from gapless.results.result import Result, Status
from gapless.testing.answer import check_answer, check_k_best, check_proof
from gapless.testing.conformance import Check, ConformanceError, dominates, has_evidence, same
from gapless.testing.enumeration import SpaceTooLarge


@attrs.frozen(eq=False)
class Instance:
    """A problem and the scores of its feasible structures, best first; perhaps only the best few.

    `cancels`: whether terms of a score are so large that only rounding may remain of their float64 sum; then an
    exact method may end with a small gap.
    """

    problem: Problem[Any]
    scores: Sequence[float]
    case: int = 0
    cancels: bool = False

    @property
    def best(self) -> float:
        """The best score; -inf if nothing is feasible."""
        return self.scores[0] if len(self.scores) else -math.inf


class Trial:
    """Solves of one instance by one method.

    Every solve takes a label, which error messages name after `location`.
    """

    def __init__(
        self,
        method: Method,
        instance: Instance,
        *,
        seed: int = 0,
        options: dict[str, Any] | None = None,
        location: str = "",
    ) -> None:
        self.method, self.instance, self.problem = method, instance, instance.problem
        self.seed, self.options, self.location = seed, options or {}, location
        self.check = Check(f"method {method.name!r}")

    def require(self, holds: object, rule: str, detail: str) -> None:
        """Raise `ConformanceError` unless `holds`."""
        self.check.require(holds, rule, f"{self.location}{detail}")

    def run(
        self,
        label: str,
        limits: Limits | None = None,
        *,
        k: int = 1,
        start: Sequence[Any] = (),
        observer: Any = None,
        passed: tuple[type[Exception], ...] = (),
    ) -> Result[Any]:
        """Solve without a check of the answer; exceptions other than those of `passed` break a rule."""
        expected: tuple[type[Exception], ...] = (ConformanceError, SpaceTooLarge, *passed)
        budget = SolveBudget(limits or Limits(), observers=() if observer is None else (observer,))
        solve = SolveRequest(budget, k, start, self.seed, self.method.name)
        try:
            result: Result[Any] = self.method.run(self.problem, solve, **self.options)
        except expected:
            raise
        except Exception as error:
            detail = f"{self.location}{label}: {type(error).__name__}: {error}"
            raise ConformanceError(self.check.role, "a solve ends without an error", detail) from error
        self.require(isinstance(result, Result), "a method returns a Result", f"{label}: {result!r}")
        if result.stop is Stop.INTERRUPTED:  # a solve turns Ctrl-C into a result; here it ends the whole campaign
            raise KeyboardInterrupt
        return result

    def solve(self, label: str, limits: Limits | None = None, *, as_json: bool = False, **how: Any) -> Result[Any]:
        """Solve, and check the answer; with `as_json` the answer is checked after a round trip through JSON."""
        result = self.run(label, limits, **how)
        self.require(
            result.method == self.method.name, "the result names the method", f"{label}: {result.method!r}"
        )
        if as_json:
            result = self.through_json(result)
        check_answer(self.check, self.problem, result, self.instance.best, f"{self.location}{label}")
        return result

    def through_json(self, result: Result[Any]) -> Result[Any]:
        """Write and read a result, and require that it states the same."""
        rule = "a result survives JSON"
        copy = self.check.call(rule, self.location, lambda: Result.from_json(result.to_json()))
        for name in ("status", "stop", "bound"):
            self.require(getattr(copy, name) == getattr(result, name), rule, repr(copy))
        self.require([s.value for s in copy.solutions] == [s.value for s in result.solutions], rule, repr(copy))
        return copy

    def prove(self, result: Result[Any], label: str, *, evidence: bool = False) -> bool:
        """Check that an exact method proved its answer, with `evidence` also that there is a certificate.

        Returns whether it did; False is allowed only if scores cancel and the method ended with a gap.
        """
        if self.instance.cancels and not result.proved and result.stop is Stop.GAP:
            return False
        location = f"{self.location}{label}"
        exact = self.method.exact
        check_proof(self.check, self.problem, result, self.instance.best, location, exact=exact)
        detail = f"{label}: {result.certificate!r:.80}"
        self.require(not evidence or has_evidence(result.certificate), "a proof has evidence", detail)
        return True

    def several(self, k: int, limits: Limits | None = None, **how: Any) -> Result[Any]:
        """Solve for the `k` best, and check that they are different and, of an exact method, the best."""
        label = f"k={k}"
        result = self.solve(label, limits, k=k, **how)
        codes = self.codes(result)
        self.require(
            len({tuple(code) for code in codes}) == len(codes), "the k best are different", f"{label}: {codes}"
        )
        if self.method.exact and (result.proved or not self.instance.cancels):
            check_k_best(self.check, self.problem, result, k, self.instance.scores)
            self.require(result.proved, "an exact method proves its answer", f"{label}: {result!r}")
        return result

    def codes(self, result: Result[Any]) -> list[list[int]]:
        """Encode every structure of a result."""
        return [self.problem.encode(s.structure).tolist() for s in result.solutions]


def check_verified(
    check: Check,
    instance: Instance,
    result: Result[Any],
    verdict: Verdict,
    location: str,
    *,
    rounding: float = 0.0,
) -> None:
    """Check the claims of a result that was verified although its origin is unknown.

    `rounding`: what sums of the problem's scores may lose in float64, on top of the usual tolerance.
    """
    problem, best = instance.problem, instance.best
    sign = problem.sense.sign
    for bound, rule in (
        (sign * result.bound, "a forged answer claims no bound that is false"),
        (verdict.bound, "a forged certificate proves nothing false"),
    ):
        detail = f"{location}: the bound {bound!r} is accepted, but {best!r} is feasible"
        check.require(dominates(bound + rounding, best), rule, detail)
    for solution in result.solutions:
        value = float(problem.value(solution.structure))
        true = not problem.violations(solution.structure) and _equal(solution.value, value, rounding)
        check.require(true, "a forged structure is refused", location)
    if result.status is Status.OPTIMAL:
        check.require(_equal(sign * result.value, best, rounding), "only the best is OPTIMAL", location)
    check.require(result.status is not Status.INFEASIBLE or best == -math.inf, "INFEASIBLE is true", location)


def _equal(left: float, right: float, rounding: float) -> bool:
    return same(left, right) or abs(left - right) <= rounding
