"""The compiled search: the relaxation of the roles, in steps of its own and without Python inside a node.

The optimum is the same. Bounds, nodes and iterations on the way to it are not: the two take different steps.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

import attrs
import numpy as np

import gapless_kernels
from gapless import InvalidProblem, Result, SolveError, Stop
from gapless.core.certificate import Certificate
from gapless.core.limits import Budget
from gapless.core.problem import check_start
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.core.tolerance import margin, meets
from gapless.engine.guard import guarded
from gapless.roles import InconsistentBound, NoCertificate, ScoredFactor, Solve, Stats
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_splitbound.record_certificates import SearchRecord
from gapless_splitbound.scopes import penalty_of
from gapless_splitbound.uncompiled import reasons

if gapless_kernels.COMPILED:
    from gapless_kernels.search._split_bound import PROVED, SplitBoundSearch

ROUNDED = 1e-10
"""Loss of sums in float64, relative to the largest score."""
ASKED_FOR_NONE = "none was asked for (certificate=False)"
OUTGROWN = (
    "the record of the search outgrew its memory, so that its bound cannot be checked; "
    "a limit on nodes or time that ends it before gives a checkable, weaker bound"
)
SLICE = 0.05
"""Seconds between two looks at Ctrl-C and the clock."""
ENDLESS = 1 << 60
"""Nodes or steps."""


def fits(problem: ParsingProblem, solve: Solve, backbone: str) -> bool:
    """Whether the compiled search can take this solve; `uncompiled.reasons` says why not."""
    return not reasons(problem, solve, backbone) and not problem.infeasibility()


LARGEST_LOSS = float(np.finfo(np.float64).max)
ROOT_STEPS, ROOT_TREND = 120, 7
CHOICES = 1 << 14
"""Once a node has no more ways to choose heads than this, all its trees are looked at."""


@attrs.frozen
class Tables:
    """The scores of a problem's conjunctions as the compiled search takes them.

    Parameters
    ----------
    blocks : sequence of (scopes int64 (scopes, width), scores float64 (scopes,))
        With a finite loss in the place of -inf.
    floor : float
        Less than any allowed tree scores, where there is such a loss; else -inf.
    loss : float
        That loss; so large that it cuts no score down where there is none.
    unknown : bool (scopes of all blocks,), optional
        Scopes whose score is only bounded yet by the number in its place.
    ask : callable, optional
        From numbers of scopes, int64 (m,), counted over all blocks, to their scores, float64 (m,).
    """

    blocks: Sequence[tuple[IntArray, FloatArray]]
    floor: float
    loss: float = LARGEST_LOSS
    unknown: BoolArray | None = None
    ask: Callable[[IntArray], FloatArray] | None = None

    @classmethod
    def of(cls, problem: ParsingProblem) -> Tables:
        """Score whatever is not yet scored."""
        blocks = [(scored.scopes, scored.all_scores()) for scored in problem.conjunctions if scored.scopes.size]
        if not any(scores.min() == -math.inf for _, scores in blocks):
            return cls(blocks, -math.inf)
        loss, floor = penalty_of(problem, blocks)
        return cls([(scopes, np.maximum(scores, -loss)) for scopes, scores in blocks], floor, loss)

    def among(self, kept: BoolArray) -> list[tuple[IntArray, FloatArray]]:
        """The scopes of these arcs alone, by the numbers that the arcs have among themselves."""
        numbers = np.cumsum(kept) - 1
        whole = [kept[scopes].all(axis=1) for scopes, _ in self.blocks]
        return [
            (numbers[scopes[rows]], scores[rows]) for (scopes, scores), rows in zip(self.blocks, whole, strict=True)
        ]


class Search:
    """One compiled search over a problem.

    Parameters
    ----------
    start : DependencyTree, optional
        Feasible.
    kept : bool (arcs,), optional
        Only trees of these arcs. No certificate can be made of such a search.
    tables : Tables, optional
        Of the problem, where many searches share them.
    root_steps, root_trend : int
        The root branches after so many steps, or when its gap has hardly fallen within so many.
    compact : bool
        Whether `certificate` is made of a sparse record.
    """

    def __init__(
        self,
        problem: ParsingProblem,
        variant: str,
        order: str,
        start: DependencyTree | None = None,
        *,
        keep_proof: bool = True,
        kept: BoolArray | None = None,
        tables: Tables | None = None,
        root_steps: int = ROOT_STEPS,
        root_trend: int = ROOT_TREND,
        compact: bool = False,
    ) -> None:
        self.problem, self.variant = problem, variant
        arcs = problem.decisions
        heads, modifiers = arcs.heads, arcs.modifiers
        tables = tables or Tables.of(problem)
        self.floor, self.loss = tables.floor, tables.loss
        blocks = list(tables.blocks)
        if kept is not None:
            blocks = tables.among(kept)
            heads, modifiers = heads[kept], modifiers[kept]
        self.kernel = SplitBoundSearch(
            problem.scores,
            blocks,
            heads,
            modifiers,
            projective=problem.projective,
            single_root=problem.single_root,
            variant=variant,
            order=order,
            incumbent_heads=None if start is None else np.concatenate([[0], start.heads]),
            keep_proof=keep_proof,
            granularity=problem.granularity or 0.0,
            choices=CHOICES,
            root_steps=root_steps,
            root_trend=root_trend,
            compact=compact,
            checked=True,  # by ScoredFactor
            unknown=tables.unknown,
            ask=tables.ask,
        )

    def advance(self, seconds: float, nodes: int, steps: int = ENDLESS) -> bool:
        """Work until so many nodes are done in all, for a slice and so many steps at most; whether all is done."""
        return bool(self.kernel.advance(min(SLICE, seconds), nodes, steps) == PROVED)

    def finish(self, nodes: int = ENDLESS, seconds: float = math.inf) -> bool:
        """Run to the proof, or until so many nodes or seconds are spent; whether there is a proof.

        Ctrl-C comes through between slices.
        """
        end = time.perf_counter() + seconds
        while self.kernel.nodes < nodes and seconds > 0:
            if self.advance(seconds, nodes):
                return True
            seconds = end - time.perf_counter()
        return False

    @property
    def bound(self) -> float:
        """No tree scores more; -inf when that is less than an allowed tree can score."""
        bound = float(self.kernel.bound)
        return -math.inf if bound < self.floor - margin(self.floor) else bound

    @property
    def inside_root(self) -> bool:
        """Whether the root is in work, or about to be."""
        return self.kernel.nodes == 0 or (self.kernel.nodes == 1 and self.kernel.working)

    def step(self, budget: Budget) -> None:
        """Tell what a step inside the root has found."""
        bound = max(min(self.bound, float(self.kernel.step_bound)), self.value)
        guarded(budget, budget.emit, "step", bound, self.value, free=int(self.kernel.free))

    @property
    def value(self) -> float:
        """Of the best tree; -inf when there is none or a factor forbids it."""
        value = float(self.kernel.value)
        return -math.inf if value < self.floor - margin(self.floor) else value

    @property
    def tree(self) -> DependencyTree | None:
        """The best tree."""
        return self.problem.tree(self.kernel.heads[1:]) if self.value > -math.inf else None

    @property
    def exact(self) -> float:
        """The value of the best tree by the problem; -inf where there is none."""
        tree = self.tree
        return -math.inf if tree is None else self.problem.value(tree)

    def rough(self, exact: float) -> bool:
        """Whether scores cancel so much that only the checker can tell what is proved.

        `exact`: the value of the best tree by the problem.
        """
        if self.kernel.rough:
            return True
        return self.value > -math.inf and abs(exact - self.value) > 0.25 * margin(exact)

    @property
    def parts_scored(self) -> int:
        """Scopes whose score is known by now."""
        return sum(scored.scored for scored in self.problem.conjunctions)

    @property
    def added(self) -> int:
        """Scopes that a linear program was made of."""
        return 0

    @property
    def extra(self) -> dict[str, float]:
        """For `Stats`."""
        kernel = self.kernel
        return {
            "dp_calls": int(kernel.dp_calls),
            "root_closed": bool(kernel.root_closed),
            "fixed": int(kernel.fixed),
            "enumerated": int(kernel.enumerated),
        }

    def certificate(self) -> Certificate:
        """The record of the search; where it outgrew its memory, that of the root alone."""
        return SearchRecord.of(self.kernel, self.problem.conjunctions, self.loss, shares=True).deferred()


Start = Callable[[DependencyTree | None, bool], "Search"]
"""Makes a search from a tree to begin with, and whether it is to keep its proof."""


def search(
    problem: ParsingProblem, solve: Solve, *, variant: str, order: str, certificate: bool
) -> Result[DependencyTree]:
    """Branch and bound by one compiled search."""

    def begin(start: DependencyTree | None, keep_proof: bool) -> Search:
        return Search(problem, variant, order, start, keep_proof=keep_proof)

    return run(problem, solve, begin, certificate=certificate)


def run(problem: ParsingProblem, solve: Solve, begin: Start, *, certificate: bool) -> Result[DependencyTree]:
    """A search in slices, so that Ctrl-C and limits are heeded, and what came of it."""
    budget = solve.budget
    for tree in solve.start:
        if not isinstance(tree, DependencyTree):
            raise InvalidProblem(f"start is a {type(tree).__name__}, it must be one DependencyTree")
    check_start(problem, solve.start)
    start = max(solve.start, key=problem.value, default=None)
    work = begin(start, certificate)
    try:
        guarded(budget, budget.emit, "start", math.inf, work.value)
        stop = _advance(work, solve)
        if stop is Stop.PROVED and not certificate and work.rough(work.exact):
            # Rounding may have decided: only the checker can tell, and it needs the record.
            work = begin(work.tree or start, True)
            stop = _advance(work, solve)
    except KeyboardInterrupt:
        budget.interrupt()
        stop = Stop.INTERRUPTED
    except SolveError as error:
        error.result = _result(work, solve, Stop.ERROR, start is not None, certificate)
        raise
    work.kernel.settle()
    try:
        guarded(budget, budget.emit, "stop", work.bound, work.value)
    except SolveError as error:
        error.result = _result(work, solve, Stop.ERROR, start is not None, certificate)
        raise
    return _result(work, solve, stop, start is not None, certificate)


def _result(run: Search, solve: Solve, stop: Stop, warm: bool, certificate: bool) -> Result[DependencyTree]:
    """The answer as of now, with the bound that the certificate proves where that is another."""
    problem, budget = run.problem, solve.budget
    run.kernel.settle()
    bound, value, exact = run.bound, run.value, run.exact
    budget.nodes, rough = budget.nodes + int(run.kernel.nodes), run.rough(exact)
    asked_for_none = NoCertificate(ASKED_FOR_NONE)
    evidence: Certificate = asked_for_none
    if bound == math.inf:
        evidence = NoCertificate("nothing was bounded yet") if certificate else asked_for_none
    elif run.kernel.proof_dropped and not rough:
        evidence = NoCertificate(OUTGROWN)
    elif certificate or rough:
        evidence, bound = _checked(run, bound, exact, rough)
    if not certificate:
        evidence = asked_for_none
    explanation = ["every tree has a factor that forbids it"] if bound == -math.inf else []
    if certificate and evidence == NoCertificate(OUTGROWN):
        explanation.append(OUTGROWN)
    tree = run.tree
    if tree is not None:
        noisy = bound_with_rounding(problem, exact, bound, value)
        bound = bound if rough else noisy
    if stop is Stop.PROVED and not meets(bound, exact):
        # Beside scores that are so much larger than their sum, nothing more can be told in float64.
        stop = Stop.GAP
        explanation = [f"every tree was ruled out or scored, but for what float64 rounds away: {bound - exact:.3g}"]
    return Result.of(
        problem,
        [] if tree is None else [tree],
        max(bound, exact),
        stop,
        certificate=evidence,
        method=solve.method,
        stats=Stats(
            seconds=budget.elapsed,
            nodes=int(run.kernel.nodes),
            iterations=int(run.kernel.dp_calls),
            oracle_calls=int(run.kernel.dp_calls),
            parts_scored=run.parts_scored,
            parts_added=run.added,
            parts_total=sum(len(scored.scopes) for scored in problem.conjunctions),
            warm_start_used=warm,
            extra=run.extra,
        ),
        trace=budget.events,
        explanation=explanation,
    )


def bound_with_rounding(problem: ParsingProblem, exact: float, bound: float, value: float) -> float:
    """The bound, raised by the rounding seen in the value of the tree, which may be in the bound as well.

    Raises `InconsistentBound`: the search scored its tree otherwise than the problem does, by more than rounding
    explains.
    """
    noise = abs(exact - value)
    if noise <= margin(exact):
        return bound
    largest = max([float(np.abs(problem.arc_weights).max()), *map(_largest, problem.conjunctions)])
    if not noise <= ROUNDED * largest:
        raise InconsistentBound(f"the compiled search scores its tree {value!r}, the problem {exact!r}")
    return max(bound, exact) + noise


def _largest(scored: ScoredFactor) -> float:
    scores = scored.all_scores()
    return float(np.abs(scores[np.isfinite(scores)]).max(initial=0.0))


def _checked(run: Search, bound: float, value: float, rough: bool) -> tuple[Certificate, float]:
    """The certificate, and the bound it proves where scores cancel."""
    try:
        evidence = run.certificate()
    except MemoryError:
        return NoCertificate("there was no memory to write the record of the search"), bound
    if not (rough or run.kernel.proof_dropped):
        return evidence, bound
    verdict = evidence.verify(run.problem)
    if not verdict:
        return NoCertificate(f"the record of the search proves nothing: {verdict.reason}"), math.inf
    return evidence, max(float(verdict.bound), value)


def _advance(run: Search, solve: Solve) -> Stop:
    """Slices until the proof is done or something is spent."""
    budget, limits = solve.budget, solve.budget.limits
    listened = bool(budget.observers or budget.trace)
    # Whoever listens, or stops at a value or a gap, is asked after every node; who listens, also inside the root.
    each = listened or limits.target is not None or limits.gap > 0
    while True:
        nodes = int(run.kernel.nodes)
        stepping = listened and run.inside_root
        whole = not (stepping and nodes)  # in the middle of the root nothing is judged: telling changes no answer
        if whole and limits.target is not None and run.value >= limits.target:
            return Stop.TARGET
        if whole and limits.gap > 0 and run.value > -math.inf and meets(run.bound, run.value, limits.gap):
            return Stop.GAP
        spent = budget.spent()
        if spent is not None:
            return spent
        if whole and limits.nodes is not None and nodes >= limits.nodes:
            return Stop.NODES
        until = 1 if stepping else nodes + 1 if each else ENDLESS
        until = min(until, limits.nodes if limits.nodes is not None else ENDLESS)
        if run.advance(budget.time_left, until, 1 if stepping else ENDLESS):
            return Stop.PROVED
        if stepping and run.inside_root:
            run.step(budget)
        else:
            guarded(budget, budget.emit, "node", run.bound, run.value, node=int(run.kernel.nodes))
