"""The campaigns of ``gapless selftest``: every registered method on random instances with known scores.

Instances come from the hook `gapless_selftest_instances`, and `Trial` judges the answers. `try_methods` tests each
method of each problem type against brute force. `try_pairs` tests the general methods on each pair of a backbone
and a kind of factor: it asks for the best structure and at times for the k best, at limits, in each order, from the
readable search and from SCIP, and forges certificates. In most of its instances the search must not enumerate a
node with few structures, as it otherwise does, so that bounds, fixing and branching are tested.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import attrs
import numpy as np

import gapless_kernels
from gapless.errors import GaplessError, InvalidProblem, MissingDependency, UnknownOption
from gapless.limits.limits import Limits
from gapless.plugins.registry import Method, Registry
from gapless.plugins.selftest_instances import SelftestInstances
from gapless.problems.problem import Problem
from gapless.results.result import Status
from gapless.search import driver, layout
from gapless.search.reference_search import ReferenceSearch
from gapless.testing.conformance import ConformanceError, has_evidence, same
from gapless.testing.enumeration import SpaceTooLarge, enumerate_best
from gapless.testing.forgery import forge
from gapless.testing.listed_instances import KINDS, ListedInstance, draw_listed
from gapless.testing.method import check_batch
from gapless.testing.trial import Instance, Trial

_REFUSALS = (InvalidProblem, UnknownOption, MissingDependency)
_PATIENCE = Limits(time=20.0)
"""Time limit of one solve in seconds, ample for instances that can be enumerated."""

_K = 3
_PROBE = 5
"""Instances used to estimate the speed of a method."""

_BATCH = 50
_ENOUGH = 50
"""Number of instances among which a method must accept some."""

_EVERY_K, _EVERY_LIMIT, _EVERY_TWIN, _EVERY_VALUE = 4, 4, 40, 20
"""Intervals between instances that are solved for several structures, at a limit, and by the readable search, and
between those of which every listed score is compared with the problem's own."""

ENUMERATED = (0, 0, 0, 2, 6, 1 << 14)
"""The search enumerates a node with at most so many choices; one of these is drawn for each instance of a pair."""
_ORDERS = ("best-first", "depth-first", "breadth-first")

_SCIP_TOLERANCE = 1e-6
"""Relative error that SCIP's value may have: its default tolerance of feasibility."""


@attrs.frozen
class Mistake:
    """A broken rule on the instance drawn by ``numpy.random.default_rng([seed, case])``."""

    case: int
    reason: str
    instance: Problem[Any] = attrs.field(repr=False)


@attrs.define
class Tally:
    """Results of one method on one problem type.

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


@attrs.define
class PairTally:
    """Counts of one pair of a backbone and a kind of factor.

    `instances`: compared with a list of all structures. `several`, `limited`, `readable`, `by_scip`: solves for the
    k best, with a limit, by the readable search, and by SCIP from the linear model. `verified`: certificates.
    `forged`, `refused`: forged answers, and those that were refused; the others claim nothing false. `rounded`:
    answers without proof because scores cancel.
    """

    backbone: str
    factors: str
    instances: int = 0
    infeasible: int = 0
    several: int = 0
    limited: int = 0
    readable: int = 0
    by_scip: int = 0
    verified: int = 0
    forged: int = 0
    refused: int = 0
    rounded: int = 0
    mistakes: list[Mistake] = attrs.field(factory=list)


def try_methods(
    registry: Registry,
    specimens: Sequence[SelftestInstances],
    *,
    cases: int,
    seconds: float,
    seed: int,
    method: str | None = None,
    advance: Callable[[int], None] = lambda _: None,
    skipped: list[str] | None = None,
) -> list[Tally]:
    """Test every method of the specimens' problem types.

    Returns one tally per method; after Ctrl-C, the results so far. Fast methods run first and leave the rest of the
    time to the slow ones, which solve fewer instances.

    Parameters
    ----------
    seconds : float
        CPU time in total; every method solves some instances regardless.
    method : str, optional
        Restriction to the method of this name.
    advance : callable
        Called with the number of instances just answered.
    skipped : list of str, optional
        Receives a sentence for each of the specimens that cannot be enumerated, which are left out; without the
        list the first one raises.

    Raises
    ------
    GaplessError
        Specimens cannot be drawn or enumerated, and no list is given for `skipped`.
    """
    start = time.process_time()
    runs: list[_MethodRun] = []
    try:
        for source in specimens:
            try:
                instances = _draw_instances(source, cases, seed, 0.5 * seconds / len(specimens))
            except GaplessError as error:
                if skipped is None or not isinstance(error.__cause__, SpaceTooLarge):
                    raise
                skipped.append(str(error))
                continue
            name = _name_of(registry, source) + ("+factors" if source.factors else "")
            if any(run.tally.problem == name for run in runs):  # several specimens of one type
                name += f" ({source.named(instances[0].problem) if source.named else 'more'})"
            runs += [
                _MethodRun(Tally(name, m.name, m.exact), m, instances, seed, advance)
                for m in registry.methods_for(source.problem).values()
                if method in (None, m.name) and (m.supports_factors or not source.factors)
            ]
        for run in runs:
            run.advance_to(_PROBE, math.inf)
        for index, run in enumerate(sorted(runs, key=lambda run: run.tally.seconds)):
            remaining = seconds - (time.process_time() - start)
            run.advance_to(cases, remaining / (len(runs) - index))
            run.close()
    except KeyboardInterrupt:
        pass
    return [run.tally for run in runs]


def _name_of(registry: Registry, source: SelftestInstances) -> str:
    return next((n for n, cls in registry.problems.items() if cls is source.problem), source.problem.__name__)


def _draw_instances(source: SelftestInstances, cases: int, seed: int, seconds: float) -> list[Instance]:
    """Draw `cases` instances, fewer after `seconds` of CPU time, but always those of the first look."""
    start, instances = time.process_time(), list[Instance]()
    while len(instances) < cases and (len(instances) < _PROBE or time.process_time() - start <= seconds):
        case = len(instances)
        try:
            problem = source.draw(np.random.default_rng([seed, case]))
            best = (source.best or enumerate_best)(problem, _K)
        except Exception as error:
            location = f"specimens of {source.problem.__name__}, case {case}"
            raise GaplessError(f"{location}: {type(error).__name__}: {error}") from error
        instances.append(Instance(problem, [problem.sense.sign * solution.value for solution in best], case))
    return instances


class _MethodRun:
    """One method with its progress through the instances."""

    def __init__(
        self, tally: Tally, method: Method, instances: Sequence[Instance], seed: int, advance: Callable[[int], None]
    ) -> None:
        self.tally, self.method, self.instances, self.seed, self.advance = tally, method, instances, seed, advance
        self._next = 0
        self._batch: list[Instance] = []

    def advance_to(self, end: int, seconds: float) -> None:
        """Answer the instances before number `end`, for about `seconds`."""
        start = time.process_time()
        for instance in self.instances[self._next :]:
            if instance.case >= end or time.process_time() - start > seconds:
                break
            began = time.process_time()
            _collect(self.tally.mistakes, instance.case, instance.problem, partial(self._answer, instance))
            if len(self._batch) == _BATCH:
                self._answer_batch()
            self._next = instance.case + 1
            self.tally.seconds += time.process_time() - began
            self.advance(1)

    def close(self) -> None:
        """Apply the rules that concern all instances of the method."""
        self._answer_batch()
        self.tally.closed = True
        if self.tally.refused >= _ENOUGH and not self.tally.instances and not self.tally.mistakes:
            reason = f"it accepts none of {self.tally.refused} instances"
            self.tally.mistakes.append(Mistake(0, reason, self.instances[0].problem))

    def _answer(self, instance: Instance) -> None:
        trial = Trial(self.method, instance, seed=self.seed)
        try:
            result = trial.solve("k=1", _PATIENCE, as_json=True, passed=_REFUSALS)
        except _REFUSALS:
            trial.require(not self.method.default, "the default method accepts every instance", "refused")
            self.tally.refused += 1
            return
        self.tally.instances += 1
        trial.prove(result, "k=1")
        self.tally.proved += result.proved
        self.tally.verified += has_evidence(result.certificate)
        if self.method.k_best and instance.case % _EVERY_K == 0:
            trial.several(_K, _PATIENCE)
        if self.method.run_many is not None:
            self._batch.append(instance)

    def _answer_batch(self) -> None:
        batch, self._batch = self._batch, []
        if batch:
            problems = [instance.problem for instance in batch]
            check = partial(check_batch, self.method, problems, self.seed, {})
            _collect(self.tally.mistakes, batch[0].case, problems[0], check)


def _collect(mistakes: list[Mistake], case: int, problem: Problem[Any], check: Callable[[], None]) -> None:
    try:
        check()
    except ConformanceError as error:
        mistakes.append(Mistake(case, f"{error.rule}: {error.instance}", problem))


def try_pairs(
    registry: Registry,
    specimens: Sequence[SelftestInstances],
    *,
    cases: int,
    seed: int,
    scip_cases: int = 0,
    forged_cases: int = 0,
    advance: Callable[[int], None] = lambda _: None,
) -> tuple[list[PairTally], bool]:
    """Test every pair of a backbone that lists its structures, and a kind of factor, in turn.

    Returns the tallies, and whether Ctrl-C ended the campaign.

    Parameters
    ----------
    cases : int
        Instances in total.
    scip_cases, forged_cases : int
        Instances for SCIP, and forged answers, in total, as far as `cases` allow.
    """
    pairs = [(source, kind) for source in specimens if source.structures is not None for kind in KINDS]
    previous: dict[int, ListedInstance] = {}
    tallies: dict[tuple[str, str], PairTally] = {}
    interrupted = False
    try:
        for case in range(cases if pairs else 0):
            source, kind = pairs[case % len(pairs)]
            rng = np.random.default_rng([seed, case])
            try:
                instance = draw_listed(source, kind, rng, case)
            except Exception as error:
                location = f"specimens of {source.problem.__name__} with {kind}, case {case}"
                raise GaplessError(f"{location}: {type(error).__name__}: {error}") from error
            name = source.named(instance.problem) if source.named else _name_of(registry, source)
            tally = tallies.setdefault((name, kind), PairTally(name, kind))
            # Not every instance has a linear model: SCIP is due at up to twice the rate until it has its share.
            scip_due = min(scip_cases, 2 * _share(scip_cases, case, cases)) - sum(
                t.by_scip for t in tallies.values()
            )
            forged_due = _share(forged_cases, case, cases) - sum(t.forged for t in tallies.values())
            run = _PairRun(registry, instance, previous.get(id(source), instance), tally, rng)
            _collect(tally.mistakes, case, instance.problem, partial(run.check, scip_due > 0, forged_due))
            previous[id(source)] = instance
            advance(1)
    except KeyboardInterrupt:
        interrupted = True
    return [tallies[key] for key in sorted(tallies)], interrupted


def _share(total: int, case: int, cases: int) -> int:
    """Compute the part of `total` that is due after one case."""
    return total * (case + 1) // cases


class _PairRun:
    """All solves of one instance of a pair."""

    def __init__(
        self,
        registry: Registry,
        instance: ListedInstance,
        other: ListedInstance,
        tally: PairTally,
        rng: np.random.Generator,
    ) -> None:
        self.instance, self.other, self.tally, self.rng = instance, other, tally, rng
        self.methods = registry.methods_for(type(instance.problem))

    def check(self, use_scip: bool, forged: int) -> None:
        """Solve by the general methods and perhaps by SCIP; forge `forged` answers of the first method."""
        self.tally.instances += 1
        self.tally.infeasible += self.instance.best == -math.inf
        if self._is_due(_EVERY_VALUE):
            self.instance.check_scores()
        has_factors = len(self.instance.problem.factors) > 0
        with enumeration_limit(ENUMERATED[int(self.rng.integers(len(ENUMERATED)))]):
            for name, method in self.methods.items():
                if name in ("split-bound", "lagrangian-cut") and (method.supports_factors or not has_factors):
                    self._check_method(method, forged)
                    forged = 0
        if use_scip and "ilp" in self.methods:
            self._check_scip(self.methods["ilp"])

    def _is_due(self, interval: int) -> bool:
        return int(self.rng.integers(interval)) == 0

    def _check_method(self, method: Method, forged: int) -> None:
        rng, tally = self.rng, self.tally
        options = {"order": _ORDERS[int(rng.integers(3))]} if method.name == "split-bound" else {}
        trial = Trial(method, self.instance, options=options)
        result = trial.solve("k=1")
        tally.verified += has_evidence(result.certificate)
        tally.rounded += not trial.prove(result, "k=1", evidence=True)
        for _ in range(forged):
            tally.forged += 1
            tally.refused += forge(trial, self.instance, self.other, result, rng)
        if self._is_due(_EVERY_K):
            tally.several += 1
            trial.several(int(rng.integers(2, 6)))
        if self._is_due(_EVERY_LIMIT):
            by_nodes = rng.random() < 0.5
            limits = (
                Limits(nodes=int(rng.integers(1, 4))) if by_nodes else Limits(iterations=int(rng.integers(1, 9)))
            )
            tally.limited += 1
            trial.solve(str(limits), limits)
        if gapless_kernels.COMPILED and method.name == "split-bound" and self._is_due(_EVERY_TWIN):
            tally.readable += 1
            with readable_search():
                trial.prove(trial.solve("readable"), "readable", evidence=True)

    def _check_scip(self, method: Method) -> None:
        """Compare with SCIP on the linear model, if there is one."""
        trial = Trial(method, self.instance)
        try:
            result = trial.run("by SCIP", passed=(InvalidProblem, MissingDependency, NotImplementedError))
        except (InvalidProblem, MissingDependency, NotImplementedError):
            return
        self.tally.by_scip += 1
        best = self.instance.best
        score = self.instance.problem.sense.sign * result.value if result.solutions else -math.inf
        near = same(score, best) or abs(score - best) <= _SCIP_TOLERANCE * max(1.0, abs(best))
        expected = Status.OPTIMAL if best > -math.inf else Status.INFEASIBLE
        if result.status is not expected or not near:
            detail = f"{result!r} {score!r}, the best of the list is {best!r}"
            raise ConformanceError("SCIP", "SCIP and the list agree", detail)


@contextmanager
def enumeration_limit(choices: int) -> Iterator[None]:
    """Let the search enumerate a node only if at most `choices` assignments remain."""
    previous, layout.CHOICES = layout.CHOICES, choices
    try:
        yield
    finally:
        layout.CHOICES = previous


@contextmanager
def readable_search() -> Iterator[None]:
    """Run the readable search in place of the compiled one.

    Import all modules first that look once, when they are loaded, whether the kernels are compiled.
    """
    changes: list[tuple[Any, str, Any]] = [
        (driver, "NodeSearch", ReferenceSearch),
        (gapless_kernels, "COMPILED", False),
    ]
    previous = [getattr(module, name) for module, name, _ in changes]
    for module, name, value in changes:
        setattr(module, name, value)
    try:
        yield
    finally:
        for (module, name, _), value in zip(changes, previous, strict=True):
            setattr(module, name, value)
