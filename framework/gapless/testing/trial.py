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


class Trial(Check):
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
        super().__init__(f"method {method.name!r}", location)
        self.method, self.instance, self.problem = method, instance, instance.problem
        self.seed, self.options, self.sign = seed, options or {}, instance.problem.sense.sign

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
        budget = SolveBudget(limits or Limits(), observers=() if observer is None else (observer,))
        request = SolveRequest(budget, k, start, self.seed, self.method.name)
        at = self.at(label)
        expected: tuple[type[Exception], ...] = (ConformanceError, SpaceTooLarge, *passed)
        try:
            result: Result[Any] = self.method.run(self.problem, request, **self.options)
        except expected:
            raise
        except Exception as error:
            rule = "a solve ends without an error"
            raise ConformanceError(self.role, rule, f"{at.location}: {type(error).__name__}: {error}") from error
        at.require(isinstance(result, Result), "a method returns a Result", repr(result))
        if result.stop is Stop.INTERRUPTED:  # a solve turns Ctrl-C into a result; here it ends the whole campaign
            raise KeyboardInterrupt
        return result

    def solve(self, label: str, limits: Limits | None = None, *, as_json: bool = False, **how: Any) -> Result[Any]:
        """Solve, and check the answer; with `as_json` the answer is checked after a round trip through JSON.

        Solutions are feasible, values are the problem's own, the bound dominates the best score, INFEASIBLE occurs
        only where nothing is feasible, and a certificate verifies.
        """
        result, at = self.run(label, limits, **how), self.at(label)
        at.require(result.method == self.method.name, "the result names the method", repr(result.method))
        if as_json:
            result = self.through_json(result)
        for solution in result.solutions:
            broken = list(self.problem.violations(solution.structure))
            at.require(not broken, "solutions are feasible", str(broken))
            true = same(solution.value, float(self.problem.value(solution.structure)))
            at.require(true, "values are the problem's own", repr(solution.value))
        best = self.instance.best
        at.require(
            dominates(self.sign * result.bound, best),
            "the bound dominates every feasible value",
            f"bound {result.bound!r}, but {self.sign * best!r} is feasible",
        )
        true = result.status is not Status.INFEASIBLE or best == -math.inf
        at.require(true, "INFEASIBLE only where nothing is feasible")
        if has_evidence(result.certificate):
            verdict = at.call("a certificate verifies", result.verify, self.problem)
            at.require(verdict, "a certificate verifies", f"{verdict.location}: {verdict.reason}")
        return result

    def through_json(self, result: Result[Any]) -> Result[Any]:
        """Write and read a result, and require that it states the same."""
        rule = "a result survives JSON"
        copy = self.call(rule, lambda: Result.from_json(result.to_json()))
        for name in ("status", "stop", "bound"):
            self.require(getattr(copy, name) == getattr(result, name), rule, repr(copy))
        self.require([s.value for s in copy.solutions] == [s.value for s in result.solutions], rule, repr(copy))
        return copy

    def prove(self, result: Result[Any], label: str, *, evidence: bool = False) -> bool:
        """Check that an exact method proved its answer, and with `evidence` that there is a certificate.

        Every OPTIMAL answer is the best. Returns whether the method proved it; False is allowed only if scores
        cancel and the method ended with a gap.
        """
        if self.instance.cancels and not result.proved and result.stop is Stop.GAP:
            return False
        at, best = self.at(label), self.instance.best
        if self.method.exact:
            expected = Status.OPTIMAL if best > -math.inf else Status.INFEASIBLE
            at.require(result.status is expected, "an exact method proves its answer", repr(result))
        if result.status is Status.OPTIMAL:
            at.require(
                same(self.sign * result.value, best),
                "the answer is the enumerated best",
                f"{result.value!r}, but the best is {self.sign * best!r}",
            )
        has_proof = not evidence or has_evidence(result.certificate)
        at.require(has_proof, "a proof has evidence", f"{result.certificate!r:.80}")
        return True

    def several(self, k: int, limits: Limits | None = None, **how: Any) -> Result[Any]:
        """Solve for the `k` best, and check that they are different and, of an exact method, the best."""
        at = self.at(f"k={k}")
        result = self.solve(f"k={k}", limits, k=k, **how)
        codes = self.codes(result)
        at.require(len({tuple(code) for code in codes}) == len(codes), "the k best are different", str(codes))
        if self.method.exact and (result.proved or not self.instance.cancels):
            found = [self.sign * solution.value for solution in result.solutions]
            expected = list(self.instance.scores[:k])
            true = len(found) == len(expected) and all(map(same, found, expected))
            at.require(true, "the k best are the enumerated ones", f"{found}, expected {expected}")
            at.require(result.proved, "an exact method proves its answer", repr(result))
        return result

    def codes(self, result: Result[Any]) -> list[list[int]]:
        """Encode every structure of a result."""
        return [self.problem.encode(s.structure).tolist() for s in result.solutions]


def check_verified(
    check: Check, instance: Instance, result: Result[Any], verdict: Verdict, *, rounding: float = 0.0
) -> None:
    """Check the claims of a result that was verified although its origin is unknown.

    `rounding`: what sums of the problem's scores may lose in float64, on top of the usual tolerance.
    """
    problem, best = instance.problem, instance.best
    sign = problem.sense.sign

    def equal(left: float, right: float) -> bool:
        return same(left, right) or abs(left - right) <= rounding

    for bound, rule in (
        (sign * result.bound, "a forged answer claims no bound that is false"),
        (verdict.bound, "a forged certificate proves nothing false"),
    ):
        detail = f"the bound {bound!r} is accepted, but {best!r} is feasible"
        check.require(dominates(bound + rounding, best), rule, detail)
    for solution in result.solutions:
        value = float(problem.value(solution.structure))
        true = not problem.violations(solution.structure) and equal(solution.value, value)
        check.require(true, "a forged structure is refused")
    if result.status is Status.OPTIMAL:
        check.require(equal(sign * result.value, best), "only the best is OPTIMAL")
    check.require(result.status is not Status.INFEASIBLE or best == -math.inf, "INFEASIBLE is true")
