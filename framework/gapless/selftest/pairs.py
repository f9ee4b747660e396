"""Every pair of a backbone and a kind of factor, on random small instances against a list of all structures.

An instance is solved for the best structure and at times for the k best, at limits, in each order, by the readable
search and by SCIP; certificates are verified, and at times forged. All but a few instances keep the search from
looking at all structures itself, as it does where few are left.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import attrs
import numpy as np

import gapless_kernels
from gapless.core.decisions import Decisions
from gapless.core.errors import GaplessError, InvalidProblem, MissingDependency
from gapless.core.factors.conjunctions import Conjunctions
from gapless.core.limits import Budget, Limits, Stop
from gapless.core.problem import Problem, score_of
from gapless.core.result import Result, Status
from gapless.core.sparse import BoolArray, FloatArray
from gapless.engine import search as readable
from gapless.factors import SegmentLengths
from gapless.plugins.call import Solve
from gapless.plugins.registry import Method, Registry
from gapless.plugins.specimens import Specimens
from gapless.search import driver, layout
from gapless.selftest.forged import forge
from gapless.testing.addressed import AddressedTable
from gapless.testing.answer import check_answer, check_k_best
from gapless.testing.conformance import Check, ConformanceError, has_evidence, same
from gapless.testing.random_factors import SCORES, TIERS, lazy_conjunctions, random_scores

MOST = 150
"""Instances of more structures are drawn again."""
ENUMERATED = (0, 0, 0, 2, 6, 1 << 14)
"""Of a node with so many ways to choose or fewer the search looks at all; one of these for each instance."""
ORDERS = ("best-first", "depth-first", "breadth-first")
EVERY_K, EVERY_LIMIT, EVERY_TWIN, EVERY_VALUE = 4, 4, 40, 20
LARGE = 1e3
"""Parts of scores above this may leave nothing but rounding of their sum."""

Maker = Callable[[np.random.Generator, Decisions, str], Any]


def _segments(rng: np.random.Generator, decisions: Decisions, kind: str) -> Any:
    groups = [tuple(map(int, group)) for group in decisions.choice_groups() if len(group)]
    most = min(map(len, groups), default=0)
    if len(groups) < 2 or not most:
        return TIERS["soft diagram"](rng, decisions, kind)
    cut = tuple(group[:most] for group in groups)
    return SegmentLengths(int(rng.integers(most)), random_scores(rng, int(rng.integers(1, 4)), kind), cut)


def _addressed(rng: np.random.Generator, decisions: Decisions, kind: str) -> Any:
    size = min(decisions.count, int(rng.integers(1, 4)))
    scope = np.sort(rng.choice(decisions.count, size, replace=False))
    return AddressedTable(scope, random_scores(rng, 1 << size, kind))


KINDS: Mapping[str, Maker | None] = {
    "none": None,
    **TIERS,
    "segment lengths": _segments,
    "by address": _addressed,
    "lazy scores": lazy_conjunctions,
}
"""Kinds of factors; on some instances several."""


@attrs.define
class PairTally:
    """Counts of one pair of a backbone and a kind of factor.

    `instances`: against the list of all structures. `several`, `limited`, `readable`, `by_scip`: solves for the k
    best, with a limit, by the readable search, and by SCIP from the linear model. `verified`: certificates.
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
    mistakes: list[PairMistake] = attrs.field(factory=list)


@attrs.frozen
class PairMistake:
    """A broken rule on the instance drawn by ``numpy.random.default_rng([seed, case])``."""

    case: int
    reason: str
    instance: Problem[Any] = attrs.field(repr=False)


@attrs.frozen(eq=False)
class Known:
    """An instance, all structures of its backbone, and their scores, -inf where a factor forbids one.

    `cancels`: whether parts of scores are so large that what is left of them may be rounding.
    """

    problem: Problem[Any]
    structures: Sequence[Any]
    totals: FloatArray
    cancels: bool
    scores: Sequence[float] = attrs.field(init=False)

    @scores.default
    def _scores(self) -> Sequence[float]:
        """Of those that are allowed, best first."""
        return sorted(self.totals[self.totals > -np.inf].tolist(), reverse=True)

    @property
    def best(self) -> float:
        """The best score; -inf where nothing is feasible."""
        return self.scores[0] if self.scores else -math.inf

    def agrees(self) -> None:
        """Compare the list with the problem's own words; raises `ConformanceError`."""
        for structure, score in zip(self.structures, self.totals.tolist(), strict=True):
            allowed = not self.problem.violations(structure)
            own = score_of(self.problem, structure) if allowed else -math.inf
            if not same(own, score):
                said = f"{own!r}, the sum is {score!r}"
                raise ConformanceError("problem", "a structure scores what its parts do", said)


def try_pairs(
    registry: Registry,
    specimens: Sequence[Specimens],
    *,
    cases: int,
    seed: int,
    by_scip: int = 0,
    forged: int = 0,
    advance: Callable[[int], None] = lambda _: None,
) -> tuple[list[PairTally], bool]:
    """Try every pair of a backbone that lists its structures, and a kind of factor, in turn.

    Returns the tallies, and whether Ctrl-C came between.

    Parameters
    ----------
    cases : int
        Instances in all.
    by_scip, forged : int
        Instances for SCIP, and forged answers, in all, as far as `cases` allow.
    """
    sources = [one for one in specimens if one.structures is not None]
    pairs = [(source, kind) for source in sources for kind in KINDS]
    before: dict[int, Known] = {}
    tallies: dict[tuple[str, str], PairTally] = {}
    try:
        for case in range(cases if pairs else 0):
            source, kind = pairs[case % len(pairs)]
            rng = np.random.default_rng([seed, case])
            try:
                known = _drawn(source, kind, rng)
            except Exception as error:
                place = f"specimens of {source.problem.__name__} with {kind}, case {case}"
                raise GaplessError(f"{place}: {type(error).__name__}: {error}") from error
            name = source.named(known.problem) if source.named else _name(registry, source)
            tally = tallies.setdefault((name, kind), PairTally(name, kind))
            scip_due = min(by_scip, 2 * _so_far(by_scip, case, cases))  # not all instances have a linear model
            scip_due -= sum(one.by_scip for one in tallies.values())
            other = before.get(id(source), known)
            before[id(source)] = known
            forged_due = _so_far(forged, case, cases) - sum(one.forged for one in tallies.values())
            _try(registry, known, other, tally, case, rng, scip_due > 0, forged_due)
            advance(1)
    except KeyboardInterrupt:
        return [tallies[key] for key in sorted(tallies)], True
    return [tallies[key] for key in sorted(tallies)], False


def _so_far(total: int, case: int, cases: int) -> int:
    """The part of `total` that is due after one case."""
    return total * (case + 1) // cases


def _name(registry: Registry, source: Specimens) -> str:
    return next((n for n, cls in registry.problems.items() if cls is source.problem), source.problem.__name__)


def _drawn(source: Specimens, kind: str, rng: np.random.Generator) -> Known:
    """An instance with factors of a kind, and all its structures."""
    assert source.structures is not None
    while True:
        bare = source.draw(rng)
        structures = list(source.structures(bare))
        if len(structures) <= MOST:
            break
    maker, decisions = KINDS[kind], bare.decisions
    scores = SCORES[int(rng.integers(len(SCORES)))]
    factors = []
    if maker is not None and decisions.count:
        factors = [maker(rng, decisions, scores) for _ in range(1 + int(rng.random() < 0.4))]
        for beside, share in ((TIERS["pairs"], 0.2), (lazy_conjunctions, 0.4)):
            if rng.random() < share:
                factors.append(beside(rng, decisions, scores))
    problem = source.with_factors(bare, factors) if factors else bare
    on = np.zeros((len(structures), decisions.count), bool)
    total = np.zeros(len(structures))
    for row, structure in enumerate(structures):
        on[row, bare.encode(structure)] = True
        total[row] = score_of(bare, structure)
    parts = [total, *(_values(factor, on, decisions) for factor in factors)]
    total = np.sum(parts, axis=0)
    largest = max(float(np.abs(part[np.isfinite(part)]).max(initial=0.0)) for part in parts)
    cancels = largest > LARGE or (len(factors) > 0 and scores in ("cancel", "huge"))
    return Known(problem, structures, total, cancels)


def _values(factor: Any, on: BoolArray, decisions: Decisions) -> FloatArray:
    """Value of each configuration, float64 (structures,), by the factor's definition."""
    values = np.zeros(len(on))
    if isinstance(factor, Conjunctions):
        for members, score in zip(factor.sets, factor.scores.tolist(), strict=True):
            values[on[:, members].all(axis=1)] += score
        return values
    rows, kinds = np.unique(on[:, factor.scope(decisions)], axis=0, return_inverse=True)
    return np.array([factor.value(row) for row in rows])[kinds.ravel()] if len(on) else values


def _try(
    registry: Registry,
    known: Known,
    other: Known,
    tally: PairTally,
    case: int,
    rng: np.random.Generator,
    scip: bool,
    forged: int,
) -> None:
    """All solves of one instance."""
    tally.instances += 1
    tally.infeasible += known.best == -math.inf
    methods = [
        m
        for m in registry.methods_for(type(known.problem)).values()
        if m.name in ("split-bound", "lagrangian-cut") and (m.factors or not len(known.problem.factors))
    ]
    try:
        if rng.integers(EVERY_VALUE) == 0:
            known.agrees()
        with looking_at(ENUMERATED[int(rng.integers(len(ENUMERATED)))]):
            for number, method in enumerate(methods):
                _try_method(method, known, tally, rng, other, 0 if number else forged)
        if scip:
            _try_scip(registry, known, tally)
    except ConformanceError as error:
        tally.mistakes.append(PairMistake(case, f"{error.rule}: {error.instance}", known.problem))


def _try_method(
    method: Method, known: Known, tally: PairTally, rng: np.random.Generator, other: Known, forged: int
) -> None:
    check = Check(f"method {method.name!r}")
    options = {"order": ORDERS[int(rng.integers(3))]} if method.name == "split-bound" else {}
    result = _solve(check, method, known, Limits(), 1, options)
    _judge(check, known, result, tally)
    for _ in range(forged):
        tally.forged += 1
        tally.refused += forge(check, known, other, result, rng)
    if rng.integers(EVERY_K) == 0:
        k = int(rng.integers(2, 6))
        several = _solve(check, method, known, Limits(), k, options)
        tally.several += 1
        check_answer(check, known.problem, several, known.best, f"k={k}")
        if several.proved:
            check_k_best(check, known.problem, several, k, known.scores)
        elif not known.cancels:
            check.require(False, "an exact method proves its answer", f"k={k}: {several!r}")
    if rng.integers(EVERY_LIMIT) == 0:
        limits = (
            Limits(nodes=int(rng.integers(1, 4)))
            if rng.random() < 0.5
            else Limits(iterations=int(rng.integers(1, 9)))
        )
        tally.limited += 1
        early = _solve(check, method, known, limits, 1, options)
        check_answer(check, known.problem, early, known.best, str(limits))
        if early.proved and has_evidence(early.certificate):
            _judge(check, known, early, tally)
    if gapless_kernels.COMPILED and method.name == "split-bound" and rng.integers(EVERY_TWIN) == 0:
        tally.readable += 1
        with readable_search():
            again = _solve(check, method, known, Limits(), 1, options)
        _judge(check, known, again, tally)


def _solve(
    check: Check, method: Method, known: Known, limits: Limits, k: int, options: dict[str, Any]
) -> Result[Any]:
    try:
        result: Result[Any] = method.run(known.problem, Solve(Budget(limits), k, (), 0, method.name), **options)
    except Exception as error:
        rule = "a solve ends without an error"
        raise ConformanceError(check.role, rule, f"{type(error).__name__}: {error}") from error
    if result.stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    return result


def _judge(check: Check, known: Known, result: Result[Any], tally: PairTally) -> None:
    """The best structure, proved and with evidence; where scores cancel, a bound near it."""
    place = "k=1"
    check_answer(check, known.problem, result, known.best, place)
    tally.verified += has_evidence(result.certificate)
    expected = Status.OPTIMAL if known.best > -math.inf else Status.INFEASIBLE
    if result.status is not expected and result.stop is Stop.GAP and known.cancels:
        tally.rounded += 1
        return
    check.require(result.status is expected, "an exact method proves its answer", f"{place}: {result!r}")
    check.require(has_evidence(result.certificate), "a proof has evidence", f"{place}: {result.certificate!r:.80}")
    if expected is Status.OPTIMAL:
        found = known.problem.sense.sign * result.value
        check.require(
            same(found, known.best), "the answer is the best of the list", f"{found!r}, not {known.best!r}"
        )


def _try_scip(registry: Registry, known: Known, tally: PairTally) -> None:
    """SCIP on the linear model, where there is one."""
    method = registry.methods_for(type(known.problem)).get("ilp")
    if method is None:
        return
    try:
        result = method.run(known.problem, Solve(Budget(Limits()), 1, (), 0, "ilp"))
    except (InvalidProblem, MissingDependency, NotImplementedError):
        return
    tally.by_scip += 1
    expected = Status.OPTIMAL if known.best > -math.inf else Status.INFEASIBLE
    found = known.problem.sense.sign * result.value if result.solutions else -math.inf
    near = same(found, known.best) or abs(found - known.best) <= 1e-6 * max(1.0, abs(known.best))
    if result.status is not expected or not near:
        place = f"{result!r} {found!r}, the best of the list is {known.best!r}"
        raise ConformanceError("SCIP", "SCIP and the list agree", place)


@contextmanager
def looking_at(choices: int) -> Iterator[None]:
    """Let the search look at all structures of a node only where they are so few."""
    before, layout.CHOICES = layout.CHOICES, choices
    try:
        yield
    finally:
        layout.CHOICES = before


@contextmanager
def readable_search() -> Iterator[None]:
    """Let the readable search run in the compiled one's place.

    Modules that look whether kernels are compiled when they are loaded should be, before.
    """
    places: list[tuple[Any, str, Any]] = [(driver, "kernels", readable), (gapless_kernels, "COMPILED", False)]
    before = [getattr(module, name) for module, name, _ in places]
    for module, name, value in places:
        setattr(module, name, value)
    try:
        yield
    finally:
        for (module, name, _), value in zip(places, before, strict=True):
            setattr(module, name, value)
