"""Methods against enumeration, and so against each other, on random instances; every certificate is verified.

Nothing is trusted: answers are verified after a round trip through JSON. Fast methods come first, and what they
leave of the time goes to the slow ones, which do fewer instances.
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
from gapless.testing.conformance import Check, ConformanceError, claims
from gapless.testing.enumeration import enumerate_best
from gapless.testing.method import check_batch

_PATIENCE = Limits(time=20.0)
"""Nobody needs so long for instances that can be enumerated."""

_K = 3
_EVERY = 4
"""Every so many instances the three best are asked for."""

_PROBE = 5
"""Instances that show how fast a method is."""

_BATCH = 50

_ENOUGH = 50
"""Among so many instances some must be for a method."""


@attrs.frozen
class Mistake:
    """An answer that is wrong.

    Parameters
    ----------
    problem, method : str
    case : int
        Number of the instance: it is drawn by ``numpy.random.default_rng([seed, case])``.
    reason : str
        The rule that was broken, and how.
    instance : Problem
    """

    problem: str
    method: str
    case: int
    reason: str
    instance: Problem[Any] = attrs.field(repr=False)


@attrs.define
class Tally:
    """What one method did.

    Parameters
    ----------
    problem, method : str
    exact : bool
    instances, proved, verified, refused : int
        Instances answered, answers proved OPTIMAL or INFEASIBLE, certificates verified, and instances that the
        method says it is not for.
    seconds : float
        CPU time, checks included.
    closed : bool
        Whether it did all that there was time for; False after Ctrl-C.
    mistakes : list of Mistake
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
class _Judged:
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
) -> list[Tally]:
    """Try every method of the specimens' problem types.

    Parameters
    ----------
    registry : Registry
    specimens : sequence of Specimens
    cases : int
        Instances of each problem type.
    seconds : float
        CPU time for all; every method does some instances nevertheless.
    seed : int
    method : str, optional
        Only the method of this name.
    advance : callable
        Told how many instances were answered.

    Returns
    -------
    list of Tally
        One for each method; after Ctrl-C what was done until then.
    """
    began = time.process_time()
    runs: list[_Run] = []
    try:
        for given in specimens:
            judged = [_judged(given, number, seed) for number in range(cases)]
            name = next((name for name, cls in registry.problems.items() if cls is given.problem), "")
            methods = registry.methods_for(given.problem)
            runs += [
                _Run(Tally(name or given.problem.__name__, m.name, m.exact), m, judged, seed, advance)
                for m in methods.values()
                if method in (None, m.name)
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


def _judged(given: Specimens, number: int, seed: int) -> _Judged:
    """Instance `number` of one problem type."""
    try:
        problem = given.draw(np.random.default_rng([seed, number]))
        best = given.best or enumerate_best
        return _Judged(number, problem, [problem.sense.sign * s.value for s in best(problem, _K)])
    except Exception as error:
        place = f"specimens of {given.problem.__name__}, case {number}"
        raise GaplessError(f"{place}: {type(error).__name__}: {error}") from error


class _Run:
    """One method, on its way through the instances."""

    def __init__(
        self, tally: Tally, method: Method, judged: Sequence[_Judged], seed: int, advance: Callable[[int], None]
    ) -> None:
        self.tally, self.method, self.judged, self.seed, self.advance = tally, method, judged, seed, advance
        self.check = Check(f"method {method.name!r}")
        self._next = 0
        self._batch: list[_Judged] = []

    def go_on(self, until: int, seconds: float) -> None:
        """Answer instances up to number `until`, for about `seconds`."""
        began = time.process_time()
        for instance in self.judged[self._next :]:
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
        """What is to be said when all instances are answered."""
        self._answer_batch()
        self.tally.closed = True
        if self.tally.refused >= _ENOUGH and not self.tally.instances and not self.tally.mistakes:
            first = self.judged[0]
            reason = f"it is for none of {self.tally.refused} instances"
            self.tally.mistakes.append(Mistake(self.tally.problem, self.method.name, 0, reason, first.problem))

    def _judge(self, instance: _Judged, rules: Callable[[], None]) -> None:
        try:
            rules()
        except ConformanceError as error:
            reason = f"{error.rule}: {error.instance}"
            mistake = Mistake(self.tally.problem, self.method.name, instance.case, reason, instance.problem)
            self.tally.mistakes.append(mistake)

    def _answer(self, instance: _Judged) -> None:
        result = self._solve(instance.problem, 1)
        if result is None:
            self.check.require(not self.method.default, "the default method is for every instance", "refused")
            self.tally.refused += 1
            return
        self.tally.instances += 1
        copy = self.check.call("a result survives JSON", "", lambda: Result.from_json(result.to_json()))
        check_answer(self.check, instance.problem, copy, instance.best, "k=1")
        check_proof(self.check, instance.problem, copy, instance.best, "k=1", exact=self.method.exact)
        self.tally.proved += result.proved
        self.tally.verified += claims(result.certificate)
        if self.method.k_best and instance.case % _EVERY == 0:
            several = self._solve(instance.problem, _K)
            self.check.require(several is not None, "several are found where one is", f"k={_K} was refused")
            assert several is not None
            check_answer(self.check, instance.problem, several, instance.best, f"k={_K}")
            if self.method.exact:
                check_k_best(self.check, instance.problem, several, _K, instance.scores)
        if self.method.run_many is not None:
            self._batch.append(instance)

    def _solve(self, problem: Problem[Any], k: int) -> Result[Any] | None:
        """The answer; None when the method says that it is not for this instance."""
        try:
            result = self.method.run(problem, Solve(Budget(_PATIENCE), k, (), self.seed, self.method.name))
        except (InvalidProblem, UnknownOption, MissingDependency):
            return None
        except Exception as error:
            rule = "a solve ends without an error"
            raise ConformanceError(self.check.role, rule, f"{type(error).__name__}: {error}") from error
        if result.stop is Stop.INTERRUPTED:  # a solve turns Ctrl-C into a result; who pressed it meant all of them
            raise KeyboardInterrupt
        return result

    def _answer_batch(self) -> None:
        batch, self._batch = self._batch, []
        if batch:
            self._judge(batch[0], partial(check_batch, self.method, [one.problem for one in batch], self.seed, {}))
