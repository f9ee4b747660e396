"""The answer to a solve: status, reason for stopping, solutions and bound. Contradictions raise."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

import attrs

from gapless.core import serial
from gapless.core.certificate import (
    UNREADABLE,
    Certificate,
    DeferredCertificate,
    NoCertificate,
    ProbabilisticCertificate,
    Verdict,
    check_bound,
    within_work_limit,
)
from gapless.core.errors import InvalidProblem, InvalidResult
from gapless.core.events import Event
from gapless.core.factors.blame import call_problem
from gapless.core.limits import Stop
from gapless.core.problem import Problem, Sense
from gapless.core.results.names import Names
from gapless.core.results.notebook import html_repr
from gapless.core.results.stats import Stats as Stats  # noqa: PLC0414  imported from here
from gapless.core.results.status import NoSolution as NoSolution  # noqa: PLC0414  imported from here
from gapless.core.results.status import Status as Status  # noqa: PLC0414  imported from here
from gapless.core.serial import serialisable
from gapless.core.tolerance import margin, meets
from gapless.core.work import OutOfWork, spend_work, work_limit

S = TypeVar("S")


@runtime_checkable
class Remembering(Protocol):
    """A problem that caches scores of a user's code and can compute them again."""

    def drift(self, structures: Sequence[Any]) -> tuple[int, str] | None:
        """The first structure whose score changes when computed again, and a sentence about it."""


def _drift(problem: Problem[Any], structures: Sequence[Any]) -> tuple[int, str] | None:
    if isinstance(problem, Remembering):
        return problem.drift(structures)
    return problem.factor_set.drift([problem.encode(structure) for structure in structures])


for _enum in (Status, Stop, Sense):
    serialisable(f"gapless.{_enum.__name__}")(_enum)
serialisable("gapless.Event")(Event)


@serialisable("gapless.Solution")
@attrs.frozen(eq=False)
class Solution(Generic[S]):
    """A structure and its value, in the problem's own sense.

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
    """The answer to one solve. Build it with `Result.of`, which computes every value from the problem.

    Parameters
    ----------
    status : Status
    stop : Stop
    solutions : sequence of Solution
        Best first.
    bound : float
        No structure has a better value, in the problem's own sense.
    certificate : Certificate
        Evidence for `bound` (on scores: negated when the problem minimises). `certified` tells whether it is there,
        `proof` describes it.
    sense : Sense
    method : str
    stats : Stats
    trace : sequence of Event
    explanation : sequence of str
        Reasons for infeasibility, or notes for the user.
    wanted : int
        Number of structures that were asked for.

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
    wanted: int = 1
    _repr_html_ = html_repr

    def __attrs_post_init__(self) -> None:
        complaint = self._contradiction()
        if complaint:
            raise InvalidResult(f"a result contradicts itself: {complaint}")

    def _contradiction(self) -> str | None:
        for name, known in (("status", Status), ("stop", Stop), ("sense", Sense)):
            if not isinstance(getattr(self, name), known):
                return f"{name} is {getattr(self, name)!r}, expected a {known.__name__}"
        sign = self.sense.sign
        scores = [sign * s.value for s in self.solutions]
        if math.isnan(self.bound) or any(math.isnan(s) for s in scores):
            return "a value or the bound is NaN"
        if not self.wanted >= 1:
            return f"{self.wanted} structures were asked for, it must be 1 or more"
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
        """The result of an engine that maximised scores.

        Values are recomputed by ``problem.value``; the status follows from the solutions and the bound. Here the
        scores of a minimising problem are turned back into values.

        Parameters
        ----------
        structures : iterable of S or of Solution
            Feasible structures, in any order; the value of a `Solution` is known to be ``problem.value``'s.
        bound : float
            On scores.
        complete : bool
            False when fewer structures than requested were found in time: the status is then never OPTIMAL,
            although the best structure may be.
        wanted : int
            Number of structures that were asked for.
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
            # An early stop proves nothing about values within the margin, unless the bound is the value itself.
            slack = margin(best) if stop is Stop.PROVED else 16 * math.ulp(best)
            if complete and stop is not Stop.ERROR and (bound == best or abs(bound - best) <= slack):
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
        """Evidence for `bound`; a search keeps it as arrays until somebody asks."""
        held = self._certificate
        return held.made() if isinstance(held, DeferredCertificate) else held

    def to_fields(self) -> dict[str, Any]:
        """The constructor's arguments, for JSON."""
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

    def named(self, problem: Problem[S], words: Sequence[str] = ()) -> Names:
        """The best structure in names: labels, words with their heads, titles; see `Problem.named`.

        Raises `NoSolution`: there is none. `words`: those of a `Record`, where `problem` knows none.
        """
        return problem.named(self.best, words)

    @property
    def gap(self) -> float:
        """``|bound - value|``, the unproved difference; infinite without a solution.

        For a list of several structures that is not proved, the difference to the last one that was asked for: a
        structure that the list misses is better by that much at most. Infinite while the list is shorter.
        """
        last = 0 if self.proved else self.wanted - 1
        if len(self.solutions) <= last:
            return math.inf
        value = self.solutions[last].value
        return 0.0 if self.bound == value else max(0.0, self.sense.sign * (self.bound - value))

    @property
    def proved(self) -> bool:
        """Whether the answer is final: OPTIMAL or INFEASIBLE. Evidence for that is `certified`."""
        return self.stop is Stop.PROVED

    @property
    def certified(self) -> bool:
        """Whether there is evidence for the claim. Only its presence is checked; `verify` checks its content."""
        return not self._missing

    @property
    def proof(self) -> str:
        """State of the proof and of its certificate in words: ``"proved, with certificate"``."""
        why = self._missing
        if self.proved:
            prover = getattr(self._certificate, "prover", "")
            proved = f"proved by {prover}" if prover else "proved"
            return f"{proved}, no certificate: {why}" if why else f"{proved}, with certificate"
        shown = f"has no certificate: {why}" if why else "has a certificate"
        claimed = "no bound is claimed" if self.unbounded else f"the bound {shown}"
        if isinstance(self._certificate, ProbabilisticCertificate):
            return f"optimal except with probability {self._certificate.failure_probability:.3g}; {claimed}"
        return f"not proved; {claimed}"

    @property
    def _missing(self) -> str:
        if self.unbounded and isinstance(self._certificate, ProbabilisticCertificate):
            return ""  # only a probability is claimed
        try:
            return self._certificate.missing
        except UNREADABLE as error:  # a file may bring anything
            return f"it cannot be read ({type(error).__name__})"

    @property
    def unbounded(self) -> bool:
        """Whether the bound is infinite and so claims nothing."""
        return self.sense.sign * self.bound == math.inf

    def verify(self, problem: Problem[S], *, work: float | None = None) -> Verdict:
        """Check everything again: feasibility and value of each solution, and the evidence for the bound.

        Cached scores of a user's code are computed again: evidence about scores that change from call to call
        proves nothing.

        Parameters
        ----------
        problem : Problem
        work : float, optional
            Limit on the steps of the check; beyond it the verdict is "undecided", which does not hold. A
            certificate may come from anyone, and may be made to keep its checker busy. A thousand million steps
            take about a second. By default the limit of an enclosing `gapless.work_limit`, else 1e11; `math.inf`
            lifts the limit.

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
        seen: list[list[int]] = []
        for number, solution in enumerate(self.solutions):
            place = f"solutions[{number}]"
            spend_work(problem.decisions.count, 10 + len(seen) / 10)
            try:
                broken = list(problem.violations(solution.structure))
                value = math.nan if broken else float(problem.value(solution.structure))
                on = [] if broken else sorted(int(d) for d in problem.encode(solution.structure))
            except UNREADABLE as error:
                return Verdict(False, f"not a structure of this problem: {error}", place)
            if broken:
                return Verdict(False, f"infeasible: {broken[0]}", place)
            if not (value == solution.value or abs(value - solution.value) <= 1e-9 * max(1.0, abs(value))):
                return Verdict(
                    False,
                    f"the stated value is {solution.value!r}; recomputed from the problem, it is {value!r}",
                    place,
                )
            if on in seen:
                return Verdict(False, f"the same structure as solutions[{seen.index(on)}]", place)
            seen.append(on)
        if isinstance(problem, Remembering) or len(problem.factors):
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
            held = "values are as stated" if self.solutions else "no structure is held"
            return Verdict(True, f"{held}; no bound is claimed")
        try:
            verdict = self.certificate.verify(problem)
        except OutOfWork:
            raise
        except UNREADABLE as error:
            return Verdict(False, f"the evidence cannot be read: {type(error).__name__}: {error}", "certificate")
        if self.solutions and verdict and self.sense.sign * self.value > verdict.bound + margin(self.value):
            said = f"the evidence proves a bound of {verdict.bound!r}, beyond which solutions[0] lies"
            return Verdict(False, said, "certificate")
        if self.unbounded:
            return verdict
        checked = check_bound(verdict, self.sense.sign * self.bound, problem)
        if checked and not self.solutions:
            said = "nothing is feasible" if self.status is Status.INFEASIBLE else "no structure is held"
            return attrs.evolve(checked, reason=f"{said}; {checked.reason}")
        return checked

    def to_json(self) -> str:
        """One line of JSON; `Result.from_json` reads it back."""
        return serial.dumps(self)

    @classmethod
    def from_json(cls, text: str) -> Result[Any]:
        """The result written by `to_json`; contradictions raise here too."""
        result = serial.loads(text)
        if not isinstance(result, Result):
            raise InvalidResult("this JSON holds no result")
        return result

    @property
    def outcome(self) -> str:
        """Status and reason for stopping in words: ``"optimal (proved)"``, ``"feasible (time limit)"``."""
        return f"{self.status.value} ({self.stop.words})"

    def __repr__(self) -> str:
        held = f"value={self.value:.6g}, gap={self.gap:.3g}" if self.solutions else f"bound={self.bound:.6g}"
        more = f", {len(self.solutions)} solutions" if len(self.solutions) > 1 else ""
        reason = "" if self.proved else f" ({self.stop.words})"
        return f"<Result {self.status.name}{reason}: {held}{more}, {self.stats.seconds:.3g} s; {self.proof}>"
