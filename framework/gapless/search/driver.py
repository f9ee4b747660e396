"""One search over a problem: slices between which limits and Ctrl-C are heeded, and what came of it."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Generic, TypeVar

import attrs
import numpy as np

import gapless_kernels
from gapless.core.certificate import Certificate, NoCertificate
from gapless.core.decisions import OFF, ON, Fixings
from gapless.core.errors import GaplessError, OracleError
from gapless.core.factor import guide_of
from gapless.core.factors.blame import call_problem
from gapless.core.limits import Budget, Limits, Stop
from gapless.core.problem import check_start, score_of
from gapless.core.result import Result, Solution, Stats
from gapless.core.sparse import FloatArray, IntArray
from gapless.core.tolerance import margin, meets
from gapless.engine.choice_groups import State
from gapless.engine.guard import decoded, encoded, guarded
from gapless.plugins.call import Solve
from gapless.search.allocator import keep_heap_for
from gapless.search.found import bound_with_rounding, check_found
from gapless.search.layout import Layout
from gapless.search.named_factor import NamedFactor
from gapless.search.record import SearchRecord

if gapless_kernels.COMPILED:
    from gapless_kernels.search import _search as kernels
    from gapless_kernels.search.python_roles import PythonFactor, PythonMaximiser
else:
    from gapless.engine import search as kernels  # type: ignore[no-redef]

S = TypeVar("S")

ASKED_FOR_NONE = "none was asked for (certificate=False)"
OUTGROWN = (
    "the record of the search outgrew its memory, so that its bound cannot be checked; "
    "a limit on nodes or time that ends it before gives a checkable, weaker bound"
)
SLICE = 0.05
"""Seconds between two looks at Ctrl-C and the clock."""
ENDLESS = 1 << 60
"""Nodes or steps."""
ROOT_STEPS, ROOT_TREND = 120, 7
INFEASIBLE = "every structure has a factor that forbids it"


class Search(Generic[S]):
    """One search over a problem.

    Parameters
    ----------
    layout : Layout
        Of the problem; many searches may share it.
    start : int64, optional
        The decisions of a feasible structure.
    part : int8 (decisions,), optional
        Only structures that agree with this state: -1 free, 0 off, 1 on. The certificate holds under the same
        fixings.
    root_steps, root_trend : int
        The root branches after so many steps, or when its gap has hardly fallen within so many.
    told : bool
        Whether what happens is kept for `tell`.
    """

    def __init__(
        self,
        layout: Layout[S],
        *,
        variant: str = "default",
        order: str = "best-first",
        start: IntArray | None = None,
        keep_proof: bool = True,
        part: State | None = None,
        root_steps: int = ROOT_STEPS,
        root_trend: int = ROOT_TREND,
        told: bool = False,
    ) -> None:
        self.layout, self.problem = layout, layout.problem
        self.floor, self.constant = layout.floor, layout.backbone.constant
        self._least = self.floor - margin(self.floor)
        self.variant, self.told = variant, told
        weights, blocks, known = layout.backbone.weights, layout.blocks, layout.known
        lazy: dict[str, Any] = {} if known is None else {"unknown": ~known, "ask": layout.ask}
        on = None
        if part is not None:
            kept, on = part != OFF, np.flatnonzero(part == ON)
            weights = np.where(kept, weights, -np.inf)
            if not keep_proof:  # a record counts scopes as the problem does
                left = (kept[scopes].all(axis=1) for scopes, _ in blocks)
                blocks = [
                    (scopes[in_part], scores[in_part])
                    for (scopes, scores), in_part in zip(blocks, left, strict=True)
                ]
        keep_heap_for(blocks)
        first, members = layout.groups
        maximiser = _maximiser(layout)
        self.by_python = getattr(maximiser, "maximiser", maximiser) is layout.backbone.maximiser
        self.kernel = kernels.Search(
            maximiser,
            weights,
            blocks,
            group_first=first,
            groups=members,
            factors=_factors(layout),
            guides=_guides(layout),
            variant=variant,
            order=order,
            incumbent=start,
            on=on,
            keep_proof=keep_proof,
            granularity=(self.problem.granularity or 0.0) if not self.constant else 0.0,
            choices=layout.choices,
            root_steps=root_steps,
            root_trend=root_trend,
            lifted=layout.lifted,
            checked=True,  # by ScoredFactor
            largest_term=layout.own_size,
            events="steps" if told else None,
            **lazy,
        )

    def advance(
        self, seconds: float, nodes: int = ENDLESS, steps: int = ENDLESS, limits: Limits | None = None
    ) -> Stop | None:
        """Work for a slice, until so many nodes are done in all, or for so many steps; why it ended, or None."""
        target, gap = math.inf, 0.0
        if limits is not None and limits.target is not None:
            target = self.problem.sense.turn(limits.target) - self.constant
        if limits is not None and not self.constant:
            gap = limits.gap
        status = self.kernel.advance(min(SLICE, seconds), nodes, steps, target, gap)
        return _STOPS.get(status)

    def finish(self, nodes: int = ENDLESS, seconds: float = math.inf) -> bool:
        """Run to the proof, or until so many nodes or seconds are spent; whether there is a proof.

        Ctrl-C comes through between slices.
        """
        end = time.perf_counter() + seconds
        while self.kernel.nodes < nodes and seconds > 0:
            if self.advance(seconds, nodes) is Stop.PROVED:
                return True
            seconds = end - time.perf_counter()
        return False

    def tell(self, budget: Budget) -> None:
        """Hand on what happened since the last time."""
        if not self.told:
            return
        for nodes, step, _, free, bound, value in self.kernel.events().tolist():
            best = self._score(value)
            known = max(self._bound(bound), best)
            if step:
                guarded(budget, budget.emit, "step", known, best, free=free)
            else:
                guarded(budget, budget.emit, "node", known, best, node=nodes)

    def _bound(self, bound: float) -> float:
        return -math.inf if bound < self._least else bound + self.constant

    def _score(self, value: float) -> float:
        return -math.inf if value < self._least else value + self.constant

    @property
    def bound(self) -> float:
        """No structure scores more; -inf when that is less than an allowed structure can score."""
        return self._bound(float(self.kernel.bound))

    @property
    def value(self) -> float:
        """Score of the best structure; -inf when there is none or a factor forbids it."""
        return self._score(float(self.kernel.value))

    @property
    def structure(self) -> S | None:
        """The best structure."""
        return decoded(self.problem, self.kernel.on) if self.value > -math.inf else None

    def rough(self, exact: float, least: float = -math.inf) -> bool:
        """Whether only the checker can tell what is proved: scores cancel, or a loss may not suffice.

        `exact`: score of the best structure by the problem; `least`: only higher scores were searched for.
        """
        against = max(self.value, least)
        if self.kernel.lost > 0.25 * margin(against if against > -math.inf else 0.0):
            return True
        if self.value == -math.inf:
            return self.layout.harsh
        return exact > -math.inf and abs(exact - self.value) > 0.25 * margin(exact)

    @property
    def exact(self) -> float:
        """Score of the best structure by the problem; -inf where there is none."""
        structure = self.structure
        return -math.inf if structure is None else score_of(self.problem, structure)

    @property
    def added(self) -> int:
        """Scopes that a linear program was made of."""
        return 0

    @property
    def extra(self) -> dict[str, Any]:
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
        return SearchRecord.of(self.layout, self.kernel).deferred()


def _maximiser(layout: Layout[Any]) -> Any:
    role = layout.backbone.maximiser
    if not gapless_kernels.COMPILED:
        return role
    compiled = role.compiled() or PythonMaximiser(role, layout.decisions.count, Fixings, layout.own_size)
    if layout.rivals is not None:  # the verifier goes by them
        compiled.take_rivals(layout.rivals)
    return compiled


def _factors(layout: Layout[Any]) -> list[Any]:
    found: list[Any] = []
    for factor, scope in layout.configurations:
        compiled = factor.compiled(layout.decisions) if gapless_kernels.COMPILED else None
        if compiled is None:
            named = NamedFactor(factor, layout.problem.search_factors.place(factor))
            is_compiled, term = gapless_kernels.COMPILED, layout.own_size
            compiled = PythonFactor(scope, named, largest_term=term) if is_compiled else (scope, named)
        found.append(compiled)
    return found


def _guides(layout: Layout[Any]) -> list[FloatArray | None]:
    return [guide_of(factor, layout.decisions, scope) for factor, scope in layout.configurations]


_STOPS: dict[int, Stop] = {
    kernels.PROVED: Stop.PROVED,
    kernels.NODES: Stop.NODES,
    kernels.STEPS: Stop.ITERATIONS,
    kernels.TARGET: Stop.TARGET,
    kernels.GAP: Stop.GAP,
}

Begin = Callable[..., Search[S]]
"""Makes a search from the keywords ``start``, ``keep_proof`` and ``told``."""


def run(layout: Layout[S], solve: Solve, begin: Begin[S], *, certificate: bool) -> Result[S]:
    """A search in slices, so that Ctrl-C and limits are heeded, and what came of it.

    `begin`: makes it from the keywords of `Search` ``start``, ``keep_proof`` and ``told``.
    """
    problem, budget = layout.problem, solve.budget
    check_start(problem, solve.start)
    begun = solve.start or _guessed(layout)
    start = max(begun, key=lambda structure: score_of(problem, structure), default=None)
    on = None if start is None else encoded(problem, start)
    told = bool(budget.observers or budget.trace)
    work: Search[S] = called(layout, lambda: begin(start=on, keep_proof=certificate, told=told))
    try:
        guarded(budget, budget.emit, "start", math.inf, work.value)
        stop = advance(work, solve)
        if stop is Stop.PROVED and not certificate and work.rough(work.exact):
            # Rounding may have decided: only the checker can tell, and it needs the record.
            on = work.kernel.on if work.value > -math.inf else on
            work = begin(start=on, keep_proof=True, told=told)
            stop = advance(work, solve)
    except KeyboardInterrupt:
        budget.interrupt()
        stop = Stop.INTERRUPTED
    except Exception as error:
        keep_found(error, partial(_result, work, solve, Stop.ERROR, bool(solve.start), certificate))
        raise
    try:
        called(layout, work.kernel.settle)
        guarded(budget, budget.emit, "stop", max(work.bound, work.value), work.value)
    except Exception as error:
        keep_found(error, partial(_result, work, solve, Stop.ERROR, bool(solve.start), certificate))
        raise
    return _result(work, solve, stop, bool(solve.start), certificate)


def _guessed(layout: Layout[S]) -> list[S]:
    """The structure that the backbone offers, unless a factor forbids it."""
    problem, backbone = layout.problem, layout.backbone

    def guess() -> S | None:
        return None if backbone.guess is None else backbone.guess()

    found = call_problem(backbone, guess)
    return [] if found is None or list(call_problem(problem, problem.violations, found)) else [found]


def best(layout: Layout[S], solve: Solve, begin: Callable[..., Search[S]], *, certificate: bool) -> Result[S]:
    """As `run`, again with a larger loss where nothing but a forbidden structure was found.

    `begin`: makes a search from a layout and the keywords of `Search` ``start``, ``keep_proof`` and ``told``.
    """
    found = run(layout, solve, partial(begin, layout), certificate=certificate)
    if found.solutions or found.stop is not Stop.GAP:
        return found
    whole = attrs.evolve(layout, lazily=False)  # one with lazy scores does not know which of them are -inf
    if not whole.forbids or whole.floor > -math.inf:
        return found
    return run(layout, solve, partial(begin, attrs.evolve(whole, harsh=True)), certificate=certificate)


def called(layout: Layout[Any], call: Callable[[], Any]) -> Any:
    """The answer of a call into the search; what a role raises there becomes an `OracleError`."""
    try:
        return call()
    except (GaplessError, MemoryError):
        raise
    except Exception as error:
        if getattr(error, "__notes__", ()):  # of a factor's score(), which is named there
            raise
        place, culprit = f"{type(layout.backbone.maximiser).__name__}", getattr(error, "culprit", -1)
        if culprit >= 0:
            place = layout.problem.search_factors.place(layout.configurations[culprit][0])
        said = getattr(error, "said", f"raised {type(error).__name__}: {error}")
        named = str(error).startswith((f"{place}: ", f"{place}."))
        raise OracleError(str(error) if named else f"{place} {said}") from error


def keep_found(error: Exception, found: Callable[[], Result[Any]]) -> None:
    """Give an error of any kind the answer so far as `result`; none where that cannot be scored any more."""
    with contextlib.suppress(Exception):
        error.result = found()  # type: ignore[attr-defined]


def advance(run: Search[Any], solve: Solve) -> Stop:
    """Slices until the proof is done or something is spent."""
    budget, limits = solve.budget, solve.budget.limits
    most = ENDLESS if limits.nodes is None else limits.nodes
    began = int(run.kernel.steps)
    while True:
        budget.iterations += int(run.kernel.steps) - began
        began = int(run.kernel.steps)
        spent = budget.spent()
        if spent is not None:
            return spent
        left = ENDLESS if limits.iterations is None else limits.iterations - budget.iterations
        stop: Stop | None = called(run.layout, partial(run.advance, budget.time_left, most, left, limits))
        run.tell(budget)
        if run.constant and limits.gap > 0 and run.value > -math.inf and meets(run.bound, run.value, limits.gap):
            stop = stop or Stop.GAP
        if stop is not None:
            budget.iterations += int(run.kernel.steps) - began
            return stop


def _result(run: Search[S], solve: Solve, stop: Stop, warm: bool, certificate: bool) -> Result[S]:
    """The answer as of now, with the bound that the certificate proves where that is another."""
    problem, budget, layout = run.problem, solve.budget, run.layout
    if stop is not Stop.ERROR:
        run.kernel.settle()
    bound, value, structure = run.bound, run.value, run.structure
    exact = -math.inf if structure is None else score_of(problem, structure)
    structure = structure if exact > -math.inf else None
    if run.by_python and structure is not None:
        check_found(problem, structure)
    budget.nodes, rough = budget.nodes + int(run.kernel.nodes), run.rough(exact)
    asked_for_none = NoCertificate(ASKED_FOR_NONE)
    evidence: Certificate = asked_for_none
    if bound == math.inf:
        evidence = NoCertificate("nothing was bounded yet") if certificate else asked_for_none
    elif run.kernel.proof_dropped and not rough:
        evidence = NoCertificate(OUTGROWN)
    elif certificate or rough:
        evidence, bound = _checked(run, bound, exact, rough)
    explanation = [INFEASIBLE] if bound == -math.inf else []
    if not certificate:
        evidence = asked_for_none
    elif evidence == NoCertificate(OUTGROWN):
        explanation.append(OUTGROWN)
    if structure is not None:
        noisy = bound_with_rounding(layout, exact, bound, value)
        bound = bound if rough else noisy
    if stop is Stop.PROVED and not meets(bound, exact):
        # Beside scores that are so much larger than their sum, nothing more can be told in float64.
        stop = Stop.GAP
        explanation = [f"all was ruled out or scored, but for what float64 rounds away: {bound - exact:.3g}"]
    return Result.of(
        problem,
        [] if structure is None else [Solution(structure, problem.sense.turn(exact))],
        max(bound, exact),
        stop,
        certificate=evidence,
        method=solve.method,
        stats=Stats(
            seconds=budget.elapsed,
            nodes=int(run.kernel.nodes),
            iterations=int(run.kernel.steps),
            oracle_calls=int(run.kernel.dp_calls),
            parts_scored=layout.parts_scored,
            parts_added=run.added,
            parts_total=layout.parts,
            warm_start_used=warm,
            extra=run.extra,
        ),
        trace=budget.events,
        explanation=explanation,
    )


def _checked(run: Search[Any], bound: float, value: float, rough: bool) -> tuple[Certificate, float]:
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
