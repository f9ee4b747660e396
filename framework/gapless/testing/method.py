"""Rules for a registered `Method`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import attrs
import numpy as np

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
        super().__init__(
            method, Instance(problem, self.scores), seed=seed, options=options, location=f"{location}: "
        )

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
            detail = f"the copy no longer verifies: {verdict.location}: {verdict.reason}"
            self.require(verdict, "a result survives JSON", detail)

    def check_limits(self) -> None:
        for label, limits in {
            "time=0": Limits(time=0.0),
            "nodes=0": Limits(nodes=0),
            "nodes=1": Limits(nodes=1),
            "iterations=0": Limits(iterations=0),
            "iterations=2": Limits(iterations=2),
            "gap=0.5": Limits(relative_gap=0.5),
            "target": Limits(target=self.problem.sense.sign * self.scores[-1] if self.scores else 0.0),
        }.items():
            result = self.solve(label, limits)
            self.require(result.stop is not Stop.ERROR, "a limit is no error", f"{label}: {result!r}")
            if label == "gap=0.5" and self.method.exact and self.scores:
                near = 0.5 * max(1.0, abs(result.value)) if result.solutions else 0.0
                self.require(
                    result.solutions and result.gap <= near * (1 + 1e-9),
                    "stopping by gap keeps the gap",
                    f"{label}: {result!r}",
                )

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
            self.require(
                result is None or result.status is not Status.OPTIMAL, "a failed solve is not OPTIMAL", repr(result)
            )
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
        sign = self.problem.sense.sign
        for label, start in (("best", self.feasible[:1]), ("worst", self.feasible[-1:])):
            if not start:
                continue
            structures = [start[0].structure]
            result = self.solve(f"started from the {label}", start=structures)
            if self.method.exact:
                detail = f"{label}: {result!r}"
                self.require(same(sign * result.value, self.scores[0]), "a start changes no answer", detail)
            early = self.solve(f"no time, started from the {label}", Limits(time=0.0), start=structures)
            floor = sign * float(self.problem.value(structures[0]))
            self.require(
                early.solutions and dominates(sign * early.value, floor),
                "an answer is no worse than the start",
                f"{label}: {early!r}",
            )


def check_batch(method: Method, problems: Sequence[AnyProblem], seed: int, options: dict[str, Any]) -> None:
    """Raise `ConformanceError` unless the method's batch kernel gives the answers of single solves."""
    check = Check(f"method {method.name!r}")
    assert method.run_many is not None
    solve = SolveRequest(SolveBudget(), seed=seed, method=method.name)
    batch = check.call(
        "a batch answers", f"{len(problems)} problems", method.run_many, list(problems), solve, **options
    )
    check.require(len(batch) == len(problems), "a batch answers every problem", f"{len(batch)} answers")
    if method.batch_k_best:
        _check_several_of_a_batch(check, method, problems, seed, options)
    for number, problem in enumerate(problems):
        try:
            alone = method.run(problem, SolveRequest(SolveBudget(), seed=seed, method=method.name), **options)
        except GaplessError:
            check.require(number in batch.errors, "a batch fails where a solve fails", f"problem {number}")
            continue
        value = alone.value if alone.solutions else math.nan
        check.require(
            batch.statuses[number] is alone.status
            and (same(float(batch.values[number]), value) or (math.isnan(value) and np.isnan(batch.values[number])))
            and same(float(batch.bounds[number]), alone.bound),
            "a batch answers as a solve does",
            f"problem {number}: {batch.statuses[number]}, {batch.values[number]}; alone {alone!r}",
        )
        result = batch[number]
        check.require(
            # up to rounding: a kernel may sum the scores in another order than the problem
            result.status is alone.status and same(result.bound, float(batch.bounds[number])),
            "a batch makes the results it states",
            f"problem {number}: {result!r}",
        )


def _check_several_of_a_batch(
    check: Check, method: Method, problems: Sequence[AnyProblem], seed: int, options: dict[str, Any]
) -> None:
    how = SolveRequest(SolveBudget(), 3, seed=seed, method=method.name)
    assert method.run_many is not None
    batch = check.call("a batch finds the k best", f"k={how.k}", method.run_many, list(problems), how, **options)
    for number, problem in enumerate(problems):
        if number in batch.errors:
            continue
        found = [s.value for s in batch[number].solutions]
        alone = [s.value for s in method.run(problem, attrs.evolve(how, budget=SolveBudget()), **options).solutions]
        check.require(
            len(found) == len(alone) and all(map(same, found, alone)),
            "a batch finds the k best that a solve finds",
            f"problem {number}, k={how.k}: {found}; alone {alone}",
        )
