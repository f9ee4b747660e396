"""From a problem with a backbone to the search and back: arrays in, a result with its certificate out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import numpy as np

from gapless import Certificate, Problem, Result, SolveError, Stop
from gapless.core.enumerated_choices import EnumeratedChoices
from gapless.core.problem import check_start, score_of
from gapless.core.result import Stats
from gapless.core.split_certificate import SplitCertificate
from gapless.core.split_formula import LOWER_IS_FIRST, LOWER_IS_SECOND, grouped_pairs
from gapless.core.tolerance import meets
from gapless.engine.guard import guarded
from gapless.engine.search import Search
from gapless.roles import (
    Branch,
    Fixings,
    FloatArray,
    IntArray,
    NoCertificate,
    OracleError,
    Solve,
    Tightening,
    TreeCertificate,
)

S = TypeVar("S")
ENDLESS = 1 << 62
SLICE = 0.2
"""Seconds between looks at Ctrl-C and limits."""
ENUMERATED = -2
"""In the place of a leaf's multipliers: everything left was looked at."""
CHOICES = 1 << 10
"""Rests with so few choices are gone through; whoever checks goes through them again."""
LARGER = (1.0, 1e3, 1e6)
"""Losses that stand for a score of -inf are tried in this order, in units of all other scores together."""


class BackboneSearch(Generic[S]):
    """One search over a problem with a backbone.

    Parameters
    ----------
    problem : Problem
    loss : float
        Stands for a score of -inf.
    order : str
    start : int64, optional
        Decisions of a structure to begin with.
    """

    def __init__(self, problem: Problem[S], loss: float, order: str, start: IntArray | None = None) -> None:
        self.problem, self.loss = problem, loss
        self.backbone = problem.backbone()
        factors, groups = problem.search_factors, problem.decisions.choice_groups()
        self.blocks = [(c.scopes, np.maximum(c.all_scores(), -loss)) for c in factors.conjunctions]
        self.kernel: Any = Search(
            self.backbone.maximiser,
            self.backbone.weights,
            self.blocks,
            group_first=np.cumsum([0, *(group.size for group in groups)]),
            groups=np.concatenate([np.zeros(0, np.int64), *groups]),
            factors=factors.configurations,
            order=order,
            incumbent=start,
            choices=CHOICES,
        )

    @property
    def bound(self) -> float:
        """No structure scores more."""
        return float(self.kernel.bound) + self.backbone.constant

    @property
    def value(self) -> float:
        """Of the best structure met."""
        return float(self.kernel.value) + self.backbone.constant

    def structure(self) -> S | None:
        """The best structure, if it is feasible."""
        if not len(self.kernel.on):
            return EnumeratedChoices.structure(self.problem, self.kernel.on) if self.value > -math.inf else None
        return EnumeratedChoices.structure(self.problem, self.kernel.on)

    def certificate(self) -> Certificate:
        """The record of the search as a tree of split bounds."""
        proof = self.kernel.proof()
        split = SplitCertificate.splittable(self.problem)
        ways, alone, seen = [], [np.zeros(0, np.int64)], 0
        for scored in split.factors.conjunctions:
            mine = np.asarray(proof["grouped"][seen : seen + len(scored.scopes)], bool)
            way = 0
            if mine.any():
                able = {w: grouped_pairs(split, scored.scopes, w) for w in (LOWER_IS_SECOND, LOWER_IS_FIRST)}
                fits = [w for w, pairs in able.items() if not np.any(mine & ~pairs)]
                way = self._way(scored.scopes[mine], fits)
                if not way:
                    return NoCertificate("the search grouped scopes that the certificate cannot group")
                alone.append(seen + np.flatnonzero(able[way] & ~mine))
            ways.append(way)
            seen += len(scored.scopes)
        return _tree(proof, self._evidence(proof, tuple(ways), np.concatenate(alone)))

    def _way(self, pairs: IntArray, fits: list[int]) -> int:
        """The side that makes fewer columns, as the search has it."""
        group_of = self.problem.decisions.group_of()
        groups = int(group_of.max()) + 2
        count = {way: np.unique(pairs[:, 2 - way] * groups + group_of[pairs[:, way - 1]]).size for way in fits}
        return min(count, key=lambda way: (count[way], way), default=0)

    def _evidence(self, proof: Mapping[str, Any], ways: tuple[int, ...], alone: IntArray) -> Any:
        even = SplitCertificate.even(self.problem)

        def at(row: int) -> Certificate:
            if row == ENUMERATED:
                return EnumeratedChoices()
            held: FloatArray = proof["multipliers"][row] if row >= 0 else np.zeros(proof["multipliers"].shape[1])
            if not held.size and even.multipliers.size:
                return even
            return SplitCertificate(ways, held, alone, loss=self.loss)

        return at


def _tree(proof: Mapping[str, Any], at: Callable[[int], Certificate]) -> TreeCertificate:
    """The tree of a search; `at`: from a row of multipliers to what they prove. ``~d`` says that d was fixed on."""
    parents = proof["parent"].tolist()
    inner = set(parents)
    branches = [
        Branch() if parent < 0 else Branch(on=(decision,)) if on else Branch(off=(decision,))
        for parent, decision, on in zip(parents, proof["decision"].tolist(), proof["on"].tolist(), strict=True)
    ]
    leaves = {str(n): at(row) for n, row in enumerate(proof["multipliers_at"].tolist()) if n not in inner}
    tightenings: dict[str, tuple[Tightening, ...]] = {}
    for step, node in enumerate(proof["step_node"].tolist()):
        fixed = proof["off"][proof["step_first"][step] : proof["step_first"][step + 1]]
        evidence = at(int(proof["step_multipliers"][step]))
        one = Tightening(tuple(~fixed[fixed < 0]), tuple(fixed[fixed >= 0]), evidence)
        tightenings[str(node)] = (*tightenings.get(str(node), ()), one)
    return TreeCertificate(tuple(parents), tuple(branches), leaves, tightenings)


def search(problem: Problem[S], solve: Solve, *, order: str) -> Result[S] | None:
    """Branch and bound by one search; None where it cannot tell what is forbidden from what is bad."""
    check_start(problem, solve.start)
    best = max(solve.start, key=lambda structure: score_of(problem, structure), default=None)
    start = None if best is None else np.sort(problem.encode(best))
    unit = _unit(problem)
    for times in LARGER:
        work = BackboneSearch(problem, unit * times, order, start)
        stop = _run(work, solve)
        if work.structure() is not None or (work.kernel.value == -math.inf and work.bound == -math.inf):
            return _result(work, solve, stop, best)
        if stop is not Stop.PROVED:
            return _result(work, solve, stop, best)
    return None


def _unit(problem: Problem[Any]) -> float:
    """All finite scores together, and what the backbone and the factors reach."""
    backbone = problem.backbone()
    weights = np.where(backbone.weights > -np.inf, backbone.weights, 0.0)
    state = np.where(backbone.weights > -np.inf, -1, 0)
    size = float(np.abs(weights).sum()) + 1.0
    for sign in (1.0, 0.0):
        found = guarded(backbone.maximiser, backbone.maximiser.solve, sign * weights, Fixings(state))
        size += abs(found.value) if math.isfinite(found.value) else 0.0
    for scored in problem.search_factors.conjunctions:
        scores = scored.all_scores()
        size += float(np.abs(scores[np.isfinite(scores)]).sum())
    for factor, scope in problem.search_factors.configurations:
        most = float(guarded(factor, factor.best, np.zeros(scope.size))[0])
        size += abs(most) if math.isfinite(most) else 0.0
    return 2.0 * size


def _run(work: BackboneSearch[S], solve: Solve) -> Stop:
    budget = solve.budget
    try:
        return _advance(work, solve)
    except KeyboardInterrupt:
        budget.interrupt()
        return Stop.INTERRUPTED
    except SolveError as error:
        error.result = _result(work, solve, Stop.ERROR, None)
        raise
    except Exception as error:
        wrapped = OracleError(
            f"{solve.method}: a role returned an unusable answer: {type(error).__name__}: {error}"
        )
        wrapped.result = _result(work, solve, Stop.ERROR, None)
        raise wrapped from error


def _advance(work: BackboneSearch[S], solve: Solve) -> Stop:
    """Slices until the proof is done or something is spent."""
    budget, limits, kernel = solve.budget, solve.budget.limits, work.kernel
    sign = work.problem.sense.sign
    heard = bool(budget.observers or budget.trace)
    each = heard or limits.target is not None or limits.gap > 0
    guarded(budget, budget.emit, "start", math.inf, work.value)
    begun = budget.iterations
    while True:
        if limits.target is not None and work.value >= sign * limits.target and work.structure() is not None:
            return Stop.TARGET
        near = limits.gap > 0 and work.value > -math.inf and meets(work.bound, work.value, limits.gap)
        if near and work.structure() is not None:
            return Stop.GAP
        spent = budget.spent()
        if spent is not None:
            return spent
        if limits.nodes is not None and kernel.nodes >= limits.nodes:
            return Stop.NODES
        steps = ENDLESS if limits.iterations is None else limits.iterations - budget.iterations
        until = ENDLESS if limits.nodes is None else limits.nodes
        until = min(until, kernel.nodes + 1) if each else until
        if kernel.advance(min(SLICE, budget.time_left), until, 1 if heard else steps) == 0:
            budget.iterations = begun + int(kernel.dp_calls)
            return Stop.PROVED
        budget.iterations = begun + int(kernel.dp_calls)
        guarded(budget, budget.emit, "step", max(work.bound, work.value), work.value, node=int(kernel.nodes))


def _result(work: BackboneSearch[S], solve: Solve, stop: Stop, start: S | None) -> Result[S]:
    """The answer as of now."""
    problem, kernel, budget = work.problem, work.kernel, solve.budget
    if stop is not Stop.ERROR:
        kernel.settle()
    budget.nodes = int(kernel.nodes)
    found = work.structure()
    structures = [one for one in (found if found is not None else start,) if one is not None]
    exact = score_of(problem, structures[0]) if structures else -math.inf
    bound = math.inf if stop is Stop.ERROR else work.bound
    evidence: Certificate = NoCertificate("nothing was bounded yet")
    if bound < math.inf:
        evidence = work.certificate()
    explanation = list(problem.infeasibility()) if bound == -math.inf else []
    if stop is Stop.PROVED and not meets(bound, exact):
        stop = Stop.GAP
        explanation = [f"everything was ruled out or scored, but for what float64 rounds away: {bound - exact:.3g}"]
    return Result.of(
        problem,
        structures,
        max(bound, exact),
        stop,
        certificate=evidence,
        method=solve.method,
        stats=Stats(
            seconds=budget.elapsed,
            nodes=int(kernel.nodes),
            iterations=int(kernel.dp_calls),
            oracle_calls=int(kernel.dp_calls),
            warm_start_used=bool(solve.start),
            extra={"fixed": int(kernel.fixed), "enumerated": int(kernel.enumerated)},
        ),
        trace=budget.events,
        explanation=explanation,
    )
