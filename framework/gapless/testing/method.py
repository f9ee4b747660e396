"""Rules for a registered `Method`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from gapless.errors import GaplessError, SolveError, UnknownOption
from gapless.limits.events import Event
from gapless.limits.limits import Limits, SolveBudget, Stop
from gapless.plugins.call import SolveRequest
from gapless.plugins.manager import load_plugins
from gapless.plugins.registry import Method
from gapless.problems.problem import Problem
from gapless.results.result import Status
from gapless.testing.certificate import check_proofs
from gapless.testing.conformance import Check, dominates, has_evidence, same
from gapless.testing.enumeration import given_or_enumerated
from gapless.testing.trial import Instance, Trial

AnyProblem = Problem[Any]


def check_method(
    method: str | Method,
    problems: Sequence[AnyProblem],
    *,
    structures: Sequence[Iterable[Any]] | None = None,
    seed: int = 0,
    **options: Any,
) -> None:
    """Check a method against enumeration.

    Rules: the answer is the enumerated best (an exact method proves it, and infeasibility too); values and
    feasibility are true; the bound dominates; a certificate verifies, and proves nothing false
    (`check_certificate`); limits end the solve without an error and with a true bound; a seed determines the
    answer; errors of observers reach the caller with a result that is not OPTIMAL; JSON round trip; k best, start
    structures and batches where declared; unknown options are refused.

    Parameters
    ----------
    method : str or Method
        A name is looked up for each problem among the installed plug-ins.
    problems : sequence of Problem
        Small enough to enumerate, unless `structures` are given.
    structures : sequence of iterables of S, optional
        All feasible structures of each problem, instead of enumerating the assignments of decisions.
    seed : int
    **options
        Options of the method.
    """
    if structures is not None and len(structures) != len(problems):
        raise ValueError(f"{len(structures)} lists of structures for {len(problems)} problems: give one for each")
    for number, problem in enumerate(problems):
        known = None if structures is None else structures[number]
        chosen = load_plugins().registry.find_method(type(problem), method) if isinstance(method, str) else method
        run = _Run(chosen, problem, f"problem {number} ({problem!r})", seed, options, known)
        run.check_solve()
        run.check_limits()
        run.check_observers()
        run.check_options()
        if chosen.k_best:
            run.check_several()
        if chosen.warm_start:
            run.check_start()
    if problems and (isinstance(method, Method) and method.run_many is not None):
        check_batch(method, problems, seed, options)


class _Run(Trial):
    """One method on one problem, whose structures are known."""

    def __init__(
        self,
        method: Method,
        problem: AnyProblem,
        location: str,
        seed: int,
        options: dict[str, Any],
        structures: Iterable[Any] | None,
    ) -> None:
        self.feasible = sorted(given_or_enumerated(problem, structures), key=lambda f: -f.score)
        self.scores = [f.score for f in self.feasible]
        super().__init__(method, Instance(problem, self.scores), seed=seed, options=options, location=location)

    def check_solve(self) -> None:
        result = self.solve("no limits")
        self.prove(result, "no limits")
        check_proofs(result.certificate, self.problem, self.feasible, samples=5, forgeries=20, seed=self.seed)
        again = self.solve("again")
        self.require(
            [s.value for s in again.solutions] == [s.value for s in result.solutions]
            and self.codes(again) == self.codes(result)
            and again.bound == result.bound,
            "a seed fixes the answer",
            f"{result!r} and then {again!r}",
        )
        copy = self.through_json(result)
        if has_evidence(result.certificate):
            verdict = copy.verify(self.problem)
            refused = f"the copy no longer verifies: {verdict.location}: {verdict.reason}"
            self.require(verdict, "a result survives JSON", refused)

    def check_limits(self) -> None:
        for label, limits in {
            "time=0": Limits(time=0.0),
            "nodes=0": Limits(nodes=0),
            "nodes=1": Limits(nodes=1),
            "iterations=0": Limits(iterations=0),
            "iterations=2": Limits(iterations=2),
            "gap=0.5": Limits(relative_gap=0.5),
            "target": Limits(target=self.sign * self.scores[-1] if self.scores else 0.0),
        }.items():
            result, at = self.solve(label, limits), self.at(label)
            at.require(result.stop is not Stop.ERROR, "a limit is no error", repr(result))
            if label == "gap=0.5" and self.method.exact and self.scores:
                near = 0.5 * max(1.0, abs(result.value)) if result.solutions else 0.0
                keeps = result.solutions and result.gap <= near * (1 + 1e-9)
                at.require(keeps, "stopping by gap keeps the gap", repr(result))

    def check_observers(self) -> None:
        events: list[Event] = []
        self.solve("observed", observer=events.append)

        def refuse(event: Event) -> None:
            raise LookupError(f"the observer refuses {event.kind}")

        if not events:
            return
        try:
            self.run("observed", observer=refuse, passed=(SolveError, LookupError))
        except SolveError as error:
            result = error.result
            is_open = result is None or result.status is not Status.OPTIMAL
            self.require(is_open, "a failed solve is not OPTIMAL", repr(result))
        except LookupError:
            pass
        else:
            self.require(False, "errors of observers reach the caller", "the observer's error was swallowed")

    def check_options(self) -> None:
        try:
            self.method.check({"no_such_option_anywhere": 1}, 1, ())
        except UnknownOption:
            return
        self.require(False, "unknown options are refused", "no_such_option_anywhere was accepted")

    def check_several(self) -> None:
        for k in (2, 3, len(self.scores) + 2):
            self.several(k)

    def check_start(self) -> None:
        for label, start in (("best", self.feasible[:1]), ("worst", self.feasible[-1:])):
            if not start:
                continue
            at, structures = self.at(label), [start[0].structure]
            result = self.solve(f"started from the {label}", start=structures)
            if self.method.exact:
                at.require(
                    same(self.sign * result.value, self.scores[0]), "a start changes no answer", repr(result)
                )
            early = self.solve(f"no time, started from the {label}", Limits(time=0.0), start=structures)
            floor = self.sign * float(self.problem.value(structures[0]))
            no_worse = early.solutions and dominates(self.sign * early.value, floor)
            at.require(no_worse, "an answer is no worse than the start", repr(early))


def check_batch(method: Method, problems: Sequence[AnyProblem], seed: int, options: dict[str, Any]) -> None:
    """Raise `ConformanceError` unless the method's batch kernel gives the answers of single solves."""
    check = Check(f"method {method.name!r}")
    run_many, problems = method.run_many, list(problems)
    assert run_many is not None

    def request(k: int = 1) -> SolveRequest:
        return SolveRequest(SolveBudget(), k, seed=seed, method=method.name)

    batch = check.at(f"{len(problems)} problems").call("a batch answers", run_many, problems, request(), **options)
    check.require(len(batch) == len(problems), "a batch answers every problem", f"{len(batch)} answers")
    if method.batch_k_best:
        several = check.at("k=3").call("a batch finds the k best", run_many, problems, request(3), **options)
        for number, problem in enumerate(problems):
            if number not in several.errors:
                found = [s.value for s in several[number].solutions]
                alone = [s.value for s in method.run(problem, request(3), **options).solutions]
                check.at(f"problem {number}, k=3").require(
                    len(found) == len(alone) and all(map(same, found, alone)),
                    "a batch finds the k best that a solve finds",
                    f"{found}; alone {alone}",
                )
    for number, problem in enumerate(problems):
        at = check.at(f"problem {number}")
        try:
            one = method.run(problem, request(), **options)
        except GaplessError:
            at.require(number in batch.errors, "a batch fails where a solve fails")
            continue
        value, status = float(batch.values[number]), batch.statuses[number]
        stated = one.value if one.solutions else math.nan
        at.require(
            status is one.status
            and (same(value, stated) or (math.isnan(stated) and math.isnan(value)))
            and same(float(batch.bounds[number]), one.bound),
            "a batch answers as a solve does",
            f"{status}, {value}; alone {one!r}",
        )
        result = batch[number]
        # Up to rounding: a kernel may sum the scores in another order than the problem.
        is_stated = result.status is one.status and same(result.bound, float(batch.bounds[number]))
        at.require(is_stated, "a batch makes the results it states", repr(result))
