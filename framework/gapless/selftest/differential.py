"""Methods against enumeration, and so against each other, on random instances; every certificate is verified.

Answers are verified after a round trip through JSON. Fast methods run first, and leave the rest of the time to the
slow ones, which solve fewer instances.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import attrs
import numpy as np

from gapless.core.errors import GaplessError, InvalidProblem, MissingDependency, UnknownOption
from gapless.core.limits import Budget, Limits, Stop
from gapless.core.problem import Problem
from gapless.core.result import Result
from gapless.plugins.call import Solve
from gapless.plugins.registry import Method, Registry
from gapless.plugins.specimens import Specimens
from gapless.testing.answer import check_answer, check_k_best, check_proof
from gapless.testing.conformance import Check, ConformanceError, has_evidence
from gapless.testing.enumeration import SpaceTooLarge, enumerate_best
from gapless.testing.method import check_batch

_PATIENCE = Limits(time=20.0)
"""Time limit of one solve in seconds, ample for instances that can be enumerated."""

_K = 3
_EVERY = 4
"""Interval between instances that are solved for the three best."""

_PROBE = 5
"""Instances used to estimate the speed of a method."""

_BATCH = 50

_ENOUGH = 50
"""Number of instances among which a method must accept some."""


@attrs.frozen
class Mistake:
    """A wrong answer.

    `case`: number of the instance, which is drawn by ``numpy.random.default_rng([seed, case])``. `reason`: the
    broken rule, with details.
    """

    problem: str
    method: str
    case: int
    reason: str
    instance: Problem[Any] = attrs.field(repr=False)


@attrs.define
class Tally:
    """Results of one method.

    `instances`, `proved`, `verified`, `refused`: instances answered, answers proved OPTIMAL or INFEASIBLE,
    certificates verified, and instances that the method refused. `closed`: whether the method completed its share;
    False after Ctrl-C.
    """

    problem: str
    method: str
    exact: bool
    instances: int = 0
    proved: int = 0
    verified: int = 0
    refused: int = 0
    seconds: float = 0.0
    closed: bool = False
    mistakes: list[Mistake] = attrs.field(factory=list)


@attrs.frozen(eq=False)
class _Solved:
    """An instance and its best scores by brute force, best first."""

    case: int
    problem: Problem[Any]
    scores: Sequence[float]

    @property
    def best(self) -> float:
        return self.scores[0] if self.scores else -math.inf


def differential(
    registry: Registry,
    specimens: Sequence[Specimens],
    *,
    cases: int,
    seconds: float,
    seed: int,
    method: str | None = None,
    advance: Callable[[int], None] = lambda _: None,
    skipped: list[str] | None = None,
) -> list[Tally]:
    """Test every method of the specimens' problem types.

    Returns one tally per method; after Ctrl-C, the results so far.

    Parameters
    ----------
    seconds : float
        CPU time in total; every method solves some instances regardless.
    method : str, optional
        Restriction to the method of this name.
    advance : callable
        Called with the number of instances just answered.
    skipped : list of str, optional
        Takes a sentence for each of the specimens that cannot be enumerated, which are left out; without the list
        the first one raises.

    Raises
    ------
    GaplessError
        Specimens cannot be drawn or enumerated, and no list is given for `skipped`.
    """
    began = time.process_time()
    runs: list[_Run] = []
    try:
        for specimen in specimens:
            try:
                references = _references(specimen, cases, seed, 0.5 * seconds / len(specimens))
            except GaplessError as error:
                if skipped is None or not isinstance(error.__cause__, SpaceTooLarge):
                    raise
                skipped.append(str(error))
                continue
            name = next((name for name, cls in registry.problems.items() if cls is specimen.problem), "")
            name = (name or specimen.problem.__name__) + ("+factors" if specimen.factors else "")
            if any(run.tally.problem == name for run in runs):  # several specimens of one type
                name += f" ({specimen.named(references[0].problem) if specimen.named else 'more'})"
            methods = registry.methods_for(specimen.problem)
            runs += [
                _Run(Tally(name, m.name, m.exact), m, references, seed, advance)
                for m in methods.values()
                if method in (None, m.name) and (m.factors or not specimen.factors)
            ]
        for run in runs:
            run.go_on(_PROBE, math.inf)
        for place, run in enumerate(sorted(runs, key=lambda run: run.tally.seconds)):
            left = seconds - (time.process_time() - began)
            run.go_on(cases, left / (len(runs) - place))
            run.close()
    except KeyboardInterrupt:
        pass
    return [run.tally for run in runs]


def _references(specimen: Specimens, cases: int, seed: int, seconds: float) -> list[_Solved]:
    """So many instances of one problem type, fewer after `seconds` of CPU time; always those of the first look."""
    began, found = time.process_time(), list[_Solved]()
    while len(found) < cases and (len(found) < _PROBE or time.process_time() - began <= seconds):
        found.append(_reference(specimen, len(found), seed))
    return found


def _reference(specimen: Specimens, number: int, seed: int) -> _Solved:
    """Instance `number` of one problem type."""
    try:
        problem = specimen.draw(np.random.default_rng([seed, number]))
        best = specimen.best or enumerate_best
        return _Solved(number, problem, [problem.sense.sign * s.value for s in best(problem, _K)])
    except Exception as error:
        place = f"specimens of {specimen.problem.__name__}, case {number}"
        raise GaplessError(f"{place}: {type(error).__name__}: {error}") from error


class _Run:
    """One method with its progress through the instances."""

    def __init__(
        self, tally: Tally, method: Method, references: Sequence[_Solved], seed: int, advance: Callable[[int], None]
    ) -> None:
        self.tally, self.method, self.references, self.seed, self.advance = tally, method, references, seed, advance
        self.check = Check(f"method {method.name!r}")
        self._next = 0
        self._batch: list[_Solved] = []

    def go_on(self, until: int, seconds: float) -> None:
        """Answer instances up to number `until`, for about `seconds`."""
        began = time.process_time()
        for instance in self.references[self._next :]:
            if instance.case >= until or time.process_time() - began > seconds:
                break
            start = time.process_time()
            self._judge(instance, partial(self._answer, instance))
            if len(self._batch) == _BATCH:
                self._answer_batch()
            self._next = instance.case + 1
            self.tally.seconds += time.process_time() - start
            self.advance(1)

    def close(self) -> None:
        """Apply the rules that concern all instances of the method."""
        self._answer_batch()
        self.tally.closed = True
        if self.tally.refused >= _ENOUGH and not self.tally.instances and not self.tally.mistakes:
            first = self.references[0]
            reason = f"it accepts none of {self.tally.refused} instances"
            self.tally.mistakes.append(Mistake(self.tally.problem, self.method.name, 0, reason, first.problem))

    def _judge(self, instance: _Solved, rules: Callable[[], None]) -> None:
        try:
            rules()
        except ConformanceError as error:
            reason = f"{error.rule}: {error.instance}"
            mistake = Mistake(self.tally.problem, self.method.name, instance.case, reason, instance.problem)
            self.tally.mistakes.append(mistake)

    def _answer(self, instance: _Solved) -> None:
        result = self._solve(instance.problem, 1)
        if result is None:
            self.check.require(not self.method.default, "the default method accepts every instance", "refused")
            self.tally.refused += 1
            return
        self.tally.instances += 1
        copy = self.check.call("a result survives JSON", "", lambda: Result.from_json(result.to_json()))
        check_answer(self.check, instance.problem, copy, instance.best, "k=1")
        check_proof(self.check, instance.problem, copy, instance.best, "k=1", exact=self.method.exact)
        self.tally.proved += result.proved
        self.tally.verified += has_evidence(result.certificate)
        if self.method.k_best and instance.case % _EVERY == 0:
            several = self._solve(instance.problem, _K)
            self.check.require(several is not None, "k best are found where the best is", f"k={_K} was refused")
            assert several is not None
            check_answer(self.check, instance.problem, several, instance.best, f"k={_K}")
            if self.method.exact:
                check_k_best(self.check, instance.problem, several, _K, instance.scores)
        if self.method.run_many is not None:
            self._batch.append(instance)

    def _solve(self, problem: Problem[Any], k: int) -> Result[Any] | None:
        """The answer; None when the method refuses the instance."""
        try:
            result = self.method.run(problem, Solve(Budget(_PATIENCE), k, (), self.seed, self.method.name))
        except (InvalidProblem, UnknownOption, MissingDependency):
            return None
        except Exception as error:
            rule = "a solve ends without an error"
            raise ConformanceError(self.check.role, rule, f"{type(error).__name__}: {error}") from error
        if result.stop is Stop.INTERRUPTED:  # a solve turns Ctrl-C into a result, but it was meant for all of them
            raise KeyboardInterrupt
        return result

    def _answer_batch(self) -> None:
        batch, self._batch = self._batch, []
        if batch:
            self._judge(batch[0], partial(check_batch, self.method, [one.problem for one in batch], self.seed, {}))
