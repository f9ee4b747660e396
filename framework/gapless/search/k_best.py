"""The k best structures by the search: Lawler's partition around each structure that was found.

Where Qian and Liu (2013, proposition 2) take k best structures of the bound in every node, here each part of the
partition is searched for its one best structure, so that steps, fixing by max-marginals and enumeration stay
the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Generic, TypeVar

import attrs
import numpy as np

from gapless.core.decisions import FREE, OFF, ON, Fixings
from gapless.core.errors import InconsistentBound
from gapless.core.factors.blame import call_problem
from gapless.core.limits import Budget, Stop
from gapless.core.problem import score_of
from gapless.core.result import Result
from gapless.core.sparse import IntArray
from gapless.core.tolerance import meets
from gapless.engine.choice_groups import State
from gapless.engine.guard import decoded, encoded, guarded
from gapless.engine.lawler import KBest, Part, lawler
from gapless.plugins.call import Solve
from gapless.search.driver import Search, best, called, keep_found
from gapless.search.found import bound_with_rounding
from gapless.search.layout import Layout

S = TypeVar("S")

UNCERTIFIED = "the certificate bounds the best structure; that the list misses none is the search's word"
ROUGH = "scores cancel so much that rounding may decide the order of the structures"


def k_best(
    layout: Layout[S],
    solve: Solve,
    begin: Callable[..., Search[S]],
    *,
    certificate: bool,
    variant: str = "default",
    order: str = "best-first",
) -> Result[S]:
    """The `solve.k` best structures; a list that rounding may have decided ends with `Stop.GAP`.

    `begin`: as for `best`, for the best structure.
    """
    return _Listing(layout, solve, begin, certificate, {"variant": variant, "order": order}).run()


class _Listing(Generic[S]):
    """The state of one search for several structures."""

    def __init__(
        self,
        layout: Layout[S],
        solve: Solve,
        begin: Callable[..., Search[S]],
        certificate: bool,
        options: dict[str, Any],
    ) -> None:
        self.layout, self.problem, self.solve, self.begin = layout, layout.problem, solve, begin
        self.certificate, self.options = certificate, options
        self.known: KBest[S] = KBest(solve.k)
        self.first: Result[S] = Result.of(self.problem, [], math.inf, Stop.ERROR, method=solve.method)
        self.counts = dict.fromkeys(("dp_calls", "fixed", "enumerated"), 0)
        self.gap_used = self.rough = False

    def run(self) -> Result[S]:
        """Find the best structure, then partition."""
        budget = self.solve.budget
        try:
            self._emit("start")
            stop = self._find_first()
            if stop is Stop.PROVED and self.first.solutions:
                stop = self._partition(self.first.best)
            if (self.gap_used or self.rough) and stop is Stop.PROVED:
                stop = Stop.GAP
            self._emit("stop")
        except KeyboardInterrupt:
            budget.interrupt()
            stop = Stop.INTERRUPTED
        except Exception as error:
            keep_found(error, partial(self._result, Stop.ERROR))
            raise
        return self._result(stop)

    def _emit(self, kind: str, **details: int) -> None:
        budget = self.solve.budget
        best = self.known.best
        bound = self.problem.sense.turn(self.first.bound)
        guarded(budget, budget.emit, kind, max(bound, best), best, **details)

    def _find_first(self) -> Stop:
        """The best structure with its certificate; of the limits, a gap is for the whole list."""
        budget = self.solve.budget
        quiet = Budget(attrs.evolve(budget.limits, time=_finite(budget.time_left), gap=0.0))
        try:
            first = attrs.evolve(self.solve, budget=quiet, k=1)
            self.first = best(self.layout, first, self.begin, certificate=self.certificate)
        except Exception as error:
            self.first = getattr(error, "result", None) or self.first
            self._know_first()
            raise
        finally:
            budget.nodes += quiet.nodes
            budget.iterations += quiet.iterations
        self._know_first()
        if quiet.interrupted:
            budget.interrupt()
        self.rough = self.first.stop is Stop.GAP
        return Stop.PROVED if self.rough else self.first.stop

    def _know_first(self) -> None:
        for structure in (*(solution.structure for solution in self.first.solutions), *self.solve.start):
            self._know(structure)

    def _know(self, structure: S) -> None:
        """Take a feasible structure into the list."""
        key = encoded(self.problem, structure).tobytes()
        self.known.enter(key, score_of(self.problem, structure), structure)

    def _closes(self, bound: float) -> bool:
        """Whether no structure below this bound can enter the list."""
        threshold = self.known.threshold
        if bound <= threshold or meets(bound, threshold):
            return True
        gap = self.solve.budget.limits.gap
        if gap > 0 and threshold > -math.inf and meets(bound, threshold, gap):
            self.gap_used = True
            return True
        return False

    def _partition(self, best: S) -> Stop:
        """Search the parts around the best structure, then around the next; see `lawler`."""
        everything = np.where(self.layout.backbone.weights > -math.inf, FREE, OFF).astype(np.int8)
        bound = max(self.problem.sense.turn(self.first.bound), score_of(self.problem, best))
        return lawler(self.known, Part(everything, best, bound), self._others, self._best_of, self._closes)

    def _others(self, part: Part[S]) -> Iterator[State]:
        """Each part as a state: some choices as in the structure, the next another one."""
        return others(part.kept, encoded(self.problem, part.structure), self.problem.decisions.group_of())

    def _best_of(self, kept: State) -> tuple[Part[S] | None, Stop]:
        """The best structure of a part; None where none can enter the list."""
        run, stop = self._searched(kept)
        if stop is Stop.PROVED and self._holds_nothing(run, kept):
            return None, stop
        structure = self._structure_of(run, kept)
        if stop is Stop.PROVED and run.rough(run.exact, self.known.threshold):
            self.rough |= not self._checked(kept, max(run.exact, self.known.threshold))
        self._emit("node", node=self.solve.budget.nodes)
        if structure is None:
            return None, stop
        return Part(kept, structure, max(run.bound, score_of(self.problem, structure))), stop

    def _searched(self, kept: State, *, keep_proof: bool = False) -> tuple[Search[S], Stop]:
        """The search of a part, until its bound closes it or something is spent."""
        budget = self.solve.budget
        run: Search[S] = called(
            self.layout, lambda: Search(self.layout, keep_proof=keep_proof, part=kept, **self.options)
        )
        before, steps, stop = budget.nodes, budget.iterations, Stop.PROVED
        while not self._closes(run.bound):
            spent = budget.spent_between_nodes()
            if spent is not None:
                stop = spent
                break
            left = 1 << 60 if budget.limits.iterations is None else budget.limits.iterations - budget.iterations
            try:
                reached = int(run.kernel.nodes) + 1
                ended = called(self.layout, partial(run.advance, budget.time_left, reached, left))
            except KeyboardInterrupt:
                budget.interrupt()
                continue
            finally:
                budget.nodes = before + int(run.kernel.nodes)
                budget.iterations = steps + int(run.kernel.steps)
            if ended is Stop.PROVED:
                break
        for name in self.counts:
            self.counts[name] += int(run.extra[name])
        return run, stop

    def _checked(self, kept: State, least: float) -> bool:
        """Whether a checker confirms that no structure of a part scores more than `least`.

        It is asked where sums may be rounded too far. Where multipliers leave it open, too, the structures of a
        small part are listed and scored.
        """
        run, stop = self._searched(kept, keep_proof=True)
        if stop is not Stop.PROVED:
            return False
        called(self.layout, run.kernel.settle)
        for evidence in (run.certificate(), self.layout.enumerated):
            verdict = evidence.verify(self.problem, Fixings(kept))
            if verdict and (verdict.bound <= least or meets(float(verdict.bound), least)):
                return True
        return False

    def _holds_nothing(self, run: Search[S], kept: State) -> bool:
        """Whether a part has no structure for the list, where its best one is forbidden.

        Only a larger loss tells that all others are, too; without that the list may miss some.
        """
        if run.kernel.value == run.kernel.bound == -math.inf:
            return True  # seen without comparing sums
        unsure = self.layout.forbids and self.layout.floor == -math.inf and run.value > self.known.threshold
        if not unsure or run.exact > -math.inf:
            return False
        harsh = Search(attrs.evolve(self.layout, harsh=True), keep_proof=False, part=kept, **self.options)
        if (
            called(self.layout, lambda: harsh.finish(seconds=self.solve.budget.time_left))
            and harsh.value == -math.inf
        ):
            return True
        self.rough = True
        return True

    def _structure_of(self, run: Search[S], kept: State) -> S | None:
        """The structure that a part's search holds, if it enters the list.

        Raises `InconsistentBound`: it is infeasible, of another part, or not worth what the search says.
        """
        if not run.value > self.known.threshold:
            return None
        problem, structure = self.problem, decoded(self.problem, run.kernel.on)
        broken = call_problem(problem, problem.violations, structure)
        if broken or not Fixings(kept).allow(encoded(problem, structure)):
            raise InconsistentBound(f"the search returned a structure of another part: {run.kernel.on.tolist()}")
        bound_with_rounding(self.layout, score_of(self.problem, structure), run.bound, run.value)
        self._know(structure)
        return structure

    def _result(self, stop: Stop) -> Result[S]:
        first = self.first
        calls = self.counts["dp_calls"]
        extra = {name: first.stats.extra.get(name, 0) + count for name, count in self.counts.items()}
        structures = self.known.ranked
        done = stop is Stop.PROVED
        early = f"the search for {self.solve.k} best ended early ({stop.value}): the list may miss some"
        said = ([UNCERTIFIED] if structures else []) if done else [early]
        return Result.of(
            self.problem,
            structures,
            self.problem.sense.turn(first.bound),
            stop,
            certificate=first.certificate,
            method=self.solve.method,
            stats=attrs.evolve(
                first.stats,
                seconds=self.solve.budget.elapsed,
                nodes=self.solve.budget.nodes,
                iterations=first.stats.iterations + calls,
                oracle_calls=first.stats.oracle_calls + calls,
                extra={**first.stats.extra, **extra},
            ),
            trace=self.solve.budget.events,
            explanation=[*([ROUGH] if self.rough else []), *first.explanation, *said],
            complete=done,
        )


def others(state: State, on_ids: IntArray, group_of: IntArray) -> Iterator[State]:
    """Partition of the structures that agree with a state, other than one of them, as states.

    Part i has the first i - 1 choices of the structure, and not the i-th: of a choice group another decision, of a
    decision without a group the other side. Parts without structures are left out.

    Parameters
    ----------
    state : int8 (decisions,)
    on_ids : int64
        Decisions of the structure.
    group_of : int64 (decisions,)
        Number of each decision's choice group, -1 for none.
    """
    left = state.copy()
    chosen = np.sort(on_ids)
    for decision in chosen[group_of[chosen] >= 0].tolist():
        own = group_of == group_of[decision]
        part = left.copy()
        part[decision] = OFF
        if (part[own] != OFF).any():
            yield part
        left[own] = OFF
        left[decision] = FREE
    for decision in np.flatnonzero((group_of < 0) & (state == FREE)).tolist():
        part, is_on = left.copy(), bool(np.isin(decision, chosen))
        part[decision] = OFF if is_on else ON
        yield part
        left[decision] = ON if is_on else OFF


def _finite(seconds: float) -> float | None:
    return seconds if seconds < math.inf else None
