"""Result of a solve: status, reason for stopping, solutions and bound. Contradictions raise."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

import attrs

from gapless.arrays import serial
from gapless.arrays.serial import serialisable
from gapless.arrays.tolerance import meets, score_tolerance
from gapless.certificates.certificate import (
    UNREADABLE,
    Certificate,
    DeferredCertificate,
    NoCertificate,
    ProbabilisticCertificate,
    Verdict,
    check_bound,
    within_work_limit,
)
from gapless.errors import InvalidProblem, InvalidResult
from gapless.factors.error_notes import call_problem
from gapless.limits.events import Event
from gapless.limits.limits import Stop
from gapless.limits.work import WorkLimitReached, charge_work, work_limit
from gapless.notebook import html_repr
from gapless.problems.names import Names
from gapless.problems.problem import Problem
from gapless.results.stats import Stats as Stats  # noqa: PLC0414  imported from here
from gapless.results.status import NoSolution as NoSolution  # noqa: PLC0414  imported from here
from gapless.results.status import Status as Status  # noqa: PLC0414  imported from here
from gapless.sense import Sense

S = TypeVar("S")


@runtime_checkable
class RescoringProblem(Protocol):
    """Problem that caches scores of a user's code and can compute them again."""

    def drift(self, structures: Sequence[Any]) -> tuple[int, str] | None:
        """Return the first structure whose score changes when computed again, and a sentence about it."""


def _drift(problem: Problem[Any], structures: Sequence[Any]) -> tuple[int, str] | None:
    if isinstance(problem, RescoringProblem):
        return problem.drift(structures)
    return problem.factor_set.drift([problem.encode(structure) for structure in structures])


for _enum in (Status, Stop, Sense):
    serialisable(f"gapless.{_enum.__name__}")(_enum)
serialisable("gapless.Event")(Event)


@serialisable("gapless.Solution")
@attrs.frozen(eq=False)
class Solution(Generic[S]):
    """Structure with its value in the problem's sense.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> for solution in gl.solve(problem, k=2).solutions:
    ...     print(solution.value, solution.structure)
    2.0 [1 1]
    1.0 [0 0]
    """

    structure: S
    value: float


@serialisable("gapless.Result")
@attrs.frozen(eq=False, repr=False)
class Result(Generic[S]):
    """Result of one solve. Build it with `Result.of`, which computes every value from the problem.

    Parameters
    ----------
    status : Status
    stop : Stop
    solutions : sequence of Solution
        Best first.
    bound : float
        No structure has a better value, in the problem's sense.
    certificate : Certificate
        Evidence for `bound` (on scores: negated if the problem minimises). `certified` is True if it exists,
        `proof` describes it.
    sense : Sense
    method : str
    stats : Stats
    trace : sequence of Event
    explanation : sequence of str
        Reasons for infeasibility, or notes for the user.
    requested_k : int
        Number of requested structures.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> result = gl.solve(problem)
    >>> result.status, result.value, result.bound
    (<Status.OPTIMAL: 'optimal'>, 2.0, 2.0)
    >>> result.best
    array([1, 1])
    >>> result.verify(problem).holds
    True
    """

    status: Status
    stop: Stop
    solutions: Sequence[Solution[S]]
    bound: float
    _certificate: Certificate = attrs.field(factory=NoCertificate, alias="certificate")
    sense: Sense = Sense.MAXIMISE
    method: str = ""
    stats: Stats = attrs.field(factory=Stats)
    trace: Sequence[Event] = ()
    explanation: Sequence[str] = ()
    requested_k: int = 1
    _repr_html_ = html_repr

    def __attrs_post_init__(self) -> None:
        complaint = self._contradiction()
        if complaint:
            raise InvalidResult(f"a result contradicts itself: {complaint}")

    def _contradiction(self) -> str | None:
        for name, kind in (("status", Status), ("stop", Stop), ("sense", Sense)):
            if not isinstance(getattr(self, name), kind):
                return f"{name} is {getattr(self, name)!r}, expected a {kind.__name__}"
        # All comparisons are on scores, which are maximised; NaN comes first, since it passes every comparison.
        sign = self.sense.sign
        scores = [sign * s.value for s in self.solutions]
        if math.isnan(self.bound) or any(math.isnan(s) for s in scores):
            return "a value or the bound is NaN"
        if not self.requested_k >= 1:
            return f"{self.requested_k} structures were asked for, it must be 1 or more"
        if any(a < b for a, b in pairwise(scores)):
            return "solutions are not best first"
        if scores and not meets(scores[0], sign * self.bound):
            return f"the best value {self.solutions[0].value!r} is better than the bound {self.bound!r}"
        return self._status_contradiction(bool(scores))

    def _status_contradiction(self, has_solution: bool) -> str | None:
        proved = self.stop is Stop.PROVED
        if has_solution == (self.status in (Status.INFEASIBLE, Status.NO_SOLUTION)):
            return f"status {self.status.name} with {len(self.solutions)} solutions"
        if self.status is Status.OPTIMAL:
            if not proved:
                return f"OPTIMAL, but the reason for stopping is {self.stop.name}"
            if not meets(self.sense.sign * self.bound, self.sense.sign * self.solutions[0].value):
                return f"OPTIMAL with a gap of {self.gap:.3g}"
        if self.status is Status.INFEASIBLE and not proved:
            return f"INFEASIBLE, but the reason for stopping is {self.stop.name}"
        if self.status is Status.INFEASIBLE and self.sense.sign * self.bound != -math.inf:
            return f"INFEASIBLE with the bound {self.bound!r}"
        if self.status is Status.LIKELY_OPTIMAL and self.stop is Stop.ERROR:
            return "LIKELY_OPTIMAL, but the reason for stopping is ERROR"
        if self.status is Status.LIKELY_OPTIMAL and not isinstance(self._certificate, ProbabilisticCertificate):
            return "LIKELY_OPTIMAL needs a probabilistic certificate"
        if proved and self.status not in (Status.OPTIMAL, Status.INFEASIBLE):
            return f"the reason for stopping is PROVED, but the status is {self.status.name}"
        return None

    @classmethod
    def of(
        cls,
        problem: Problem[S],
        structures: Iterable[S | Solution[S]],
        bound: float,
        stop: Stop,
        *,
        certificate: Certificate | None = None,
        method: str = "",
        stats: Stats | None = None,
        trace: Sequence[Event] = (),
        explanation: Sequence[str] = (),
        complete: bool = True,
        wanted: int = 1,
    ) -> Result[S]:
        """Make the result of an engine that maximised scores.

        Values are recomputed by ``problem.value``; the status follows from the solutions and the bound. The bound
        of a minimising problem is negated.

        Parameters
        ----------
        structures : iterable of S or of Solution
            Feasible structures, in any order; the value of a `Solution` must be ``problem.value`` of its structure.
        bound : float
            On scores.
        complete : bool
            If False, fewer structures than requested were found in time: the status is then never OPTIMAL,
            although the first structure may be the best.
        wanted : int
            Number of requested structures.
        stop : Stop
            Reason for the end of the search. Becomes PROVED, unless it is ERROR, when the bound equals the best
            score up to rounding in the last digits.
        """
        solutions = sorted(
            (
                s if isinstance(s, Solution) else Solution(s, float(call_problem(problem, problem.value, s)))
                for s in structures
            ),
            key=lambda s: -problem.sense.sign * s.value,
        )
        status = Status.NO_SOLUTION
        if solutions:
            best = problem.sense.sign * solutions[0].value
            status = Status.FEASIBLE
            # After an early stop only a few units of rounding are accepted: the tolerance would hide a real gap.
            tolerance = score_tolerance(best) if stop is Stop.PROVED else 16 * math.ulp(best)
            if complete and stop is not Stop.ERROR and (bound == best or abs(bound - best) <= tolerance):
                status, stop, bound = Status.OPTIMAL, Stop.PROVED, max(bound, best)
            elif isinstance(certificate, ProbabilisticCertificate) and stop is not Stop.ERROR:
                status = Status.LIKELY_OPTIMAL
        elif bound == -math.inf and stop is Stop.PROVED:
            status = Status.INFEASIBLE
        return cls(
            status,
            stop,
            tuple(solutions),
            problem.sense.turn(bound),
            certificate if certificate is not None else NoCertificate(),
            problem.sense,
            method,
            stats if stats is not None else Stats(),
            tuple(trace),
            tuple(explanation),
            wanted,
        )

    @property
    def certificate(self) -> Certificate:
        """Evidence for `bound`; a search stores it as arrays until it is first read."""
        stored = self._certificate
        return stored.resolve() if isinstance(stored, DeferredCertificate) else stored

    def to_fields(self) -> dict[str, Any]:
        """Return the constructor's arguments, for JSON."""
        return {
            str(f.alias): self.certificate if f.alias == "certificate" else getattr(self, f.name)
            for f in attrs.fields(Result)
        }

    @property
    def best(self) -> S:
        """The best structure; raises `NoSolution` when there is none."""
        if not self.solutions:
            raise NoSolution(f"this result holds no solution: {self.outcome}")
        return self.solutions[0].structure

    @property
    def value(self) -> float:
        """Value of the best structure; raises `NoSolution` when there is none."""
        if not self.solutions:
            raise NoSolution(f"this result holds no solution: {self.outcome}")
        return self.solutions[0].value

    def describe(self, problem: Problem[S], words: Sequence[str] = ()) -> Names:
        """Describe the best structure in names: labels, words with their heads, titles; see `Problem.describe`.

        Raises `NoSolution`: there is none. `words`: those of a `Record`, if `problem` has none.
        """
        return problem.describe(self.best, words)

    @property
    def gap(self) -> float:
        """``|bound - value|``, the unproved difference; infinite without a solution.

        For an unproved list of several structures, the difference to the last requested one: a structure that the
        list lacks is better by at most that much. Infinite while the list is shorter.
        """
        last = 0 if self.proved else self.requested_k - 1
        if len(self.solutions) <= last:
            return math.inf
        value = self.solutions[last].value
        return 0.0 if self.bound == value else max(0.0, self.sense.sign * (self.bound - value))

    @property
    def proved(self) -> bool:
        """Whether the status is final: OPTIMAL or INFEASIBLE. `certified` says if there is evidence."""
        return self.stop is Stop.PROVED

    @property
    def certified(self) -> bool:
        """Whether the claim has evidence. Only its presence is checked; `verify` checks its content."""
        return not self._missing

    @property
    def proof(self) -> str:
        """State of the proof and of its certificate in words: ``"proved, with certificate"``."""
        missing = self._missing
        if self.proved:
            prover = getattr(self._certificate, "prover", "")
            proved = f"proved by {prover}" if prover else "proved"
            return f"{proved}, no certificate: {missing}" if missing else f"{proved}, with certificate"
        evidence = f"has no certificate: {missing}" if missing else "has a certificate"
        claimed = "no bound is claimed" if self.unbounded else f"the bound {evidence}"
        if isinstance(self._certificate, ProbabilisticCertificate):
            return f"optimal except with probability {self._certificate.failure_probability:.3g}; {claimed}"
        return f"not proved; {claimed}"

    @property
    def _missing(self) -> str:
        if self.unbounded and isinstance(self._certificate, ProbabilisticCertificate):
            return ""  # the result claims only a probability, for which the certificate suffices
        try:
            return self._certificate.missing
        except UNREADABLE as error:  # fields may come from a file
            return f"it cannot be read ({type(error).__name__})"

    @property
    def unbounded(self) -> bool:
        """Whether the bound is infinite and so claims nothing."""
        return self.sense.sign * self.bound == math.inf

    def verify(self, problem: Problem[S], *, work: float | None = None) -> Verdict:
        """Verify feasibility and value of each solution, and the evidence for the bound.

        Cached scores of a user's code are computed again, because evidence about scores that change from call to
        call proves nothing.

        Parameters
        ----------
        problem : Problem
        work : float, optional
            Limit on the steps of the check; beyond it the verdict is "undecided", which does not hold. A forged
            certificate may be made to keep its verifier busy. A thousand million steps take about a second. By
            default the limit of an enclosing `gapless.work_limit`, else 1e11; `math.inf` lifts the limit.

        Raises
        ------
        InvalidLimits
            `work` is not a number above 0.
        """
        if not isinstance(problem, Problem):
            raise InvalidProblem(f"verify() takes the problem that was solved, got {type(problem).__name__}")
        with contextlib.nullcontext() if work is None else work_limit(work):
            return attrs.evolve(within_work_limit(lambda: self._checked(problem)), sense=self.sense)

    def _checked(self, problem: Problem[S]) -> Verdict:
        verified: list[list[int]] = []
        for number, solution in enumerate(self.solutions):
            location = f"solutions[{number}]"
            # The last term is the search for duplicates, which is quadratic in the number of solutions.
            charge_work(problem.decisions.count, 10 + len(verified) / 10)
            try:
                violations = list(problem.violations(solution.structure))
                # `value` and `encode` are defined for feasible structures only.
                value = math.nan if violations else float(problem.value(solution.structure))
                on = [] if violations else sorted(int(d) for d in problem.encode(solution.structure))
            except UNREADABLE as error:
                return Verdict(False, f"not a structure of this problem: {error}", location)
            if violations:
                return Verdict(False, f"infeasible: {violations[0]}", location)
            if not (value == solution.value or abs(value - solution.value) <= 1e-9 * max(1.0, abs(value))):
                return Verdict(
                    False,
                    f"the stated value is {solution.value!r}; recomputed from the problem, it is {value!r}",
                    location,
                )
            if on in verified:
                return Verdict(False, f"the same structure as solutions[{verified.index(on)}]", location)
            verified.append(on)
        if isinstance(problem, RescoringProblem) or len(problem.factors):
            try:
                drift = _drift(problem, [solution.structure for solution in self.solutions])
            except UNREADABLE as error:
                return Verdict(False, f"scores cannot be computed again: {error}", "solutions")
            if drift is not None:
                return Verdict(False, drift[1], f"solutions[{drift[0]}]")
        if problem.sense is not self.sense:
            return Verdict(False, f"the result is for a problem to {self.sense.value}", "sense")
        likely = self.status is Status.LIKELY_OPTIMAL
        if self.unbounded and not likely:
            facts = "values are as stated" if self.solutions else "no structure is held"
            return Verdict(True, f"{facts}; no bound is claimed")
        try:
            verdict = self.certificate.verify(problem)
        except WorkLimitReached:
            raise
        except UNREADABLE as error:
            return Verdict(False, f"the evidence cannot be read: {type(error).__name__}: {error}", "certificate")
        # A certificate that proves less than a verified solution has a wrong formula, whatever it states.
        if (
            self.solutions
            and verdict
            and self.sense.sign * self.value > verdict.bound + score_tolerance(self.value)
        ):
            reason = f"the evidence proves a bound of {verdict.bound!r}, beyond which solutions[0] lies"
            return Verdict(False, reason, "certificate")
        if self.unbounded:
            return verdict
        checked = check_bound(verdict, self.sense.sign * self.bound, problem)
        if checked and not self.solutions:
            facts = "nothing is feasible" if self.status is Status.INFEASIBLE else "no structure is held"
            return attrs.evolve(checked, reason=f"{facts}; {checked.reason}")
        return checked

    def to_json(self) -> str:
        """Return one line of JSON; `Result.from_json` reads it back."""
        return serial.dumps(self)

    @classmethod
    def from_json(cls, text: str) -> Result[Any]:
        """Read a result written by `to_json`; contradictions raise here, too."""
        result = serial.loads(text)
        if not isinstance(result, Result):
            raise InvalidResult("this JSON holds no result")
        return result

    @property
    def outcome(self) -> str:
        """Status and reason for stopping in words: ``"optimal (proved)"``, ``"feasible (time limit)"``."""
        return f"{self.status.value} ({self.stop.words})"

    def __repr__(self) -> str:
        numbers = f"value={self.value:.6g}, gap={self.gap:.3g}" if self.solutions else f"bound={self.bound:.6g}"
        more = f", {len(self.solutions)} solutions" if len(self.solutions) > 1 else ""
        reason = "" if self.proved else f" ({self.stop.words})"
        return f"<Result {self.status.name}{reason}: {numbers}{more}, {self.stats.seconds:.3g} s; {self.proof}>"
