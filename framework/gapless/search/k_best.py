"""The k best structures by the search: Lawler's partition around each structure of the list.

Qian and Liu (2013, proposition 2) take the k best structures of the bound in every node. Here each subspace of the
partition is searched for its one best structure, so that steps, fixing by max-marginals and enumeration need no
change.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Generic, TypeVar

import attrs
import numpy as np

from gapless.arrays.tolerance import meets
from gapless.decisions.decisions import FREE, OFF, Fixings
from gapless.errors import InconsistentBound
from gapless.factors.error_notes import call_problem
from gapless.limits.limits import SolveBudget, Stop
from gapless.plugins.call import SolveRequest
from gapless.problems.problem import score_of
from gapless.results.result import Result
from gapless.search.choice_groups import State
from gapless.search.driver import ENDLESS, SearchDriver, attach_result, name_role_errors
from gapless.search.layout import SearchInput
from gapless.tree_search.lawler import KBestPool, SubspaceOptimum, lawler, partition
from gapless.tree_search.role_calls import call_role, decoded, encoded

S = TypeVar("S")

UNCERTIFIED = "the certificate bounds the best structure; that the list misses none is the search's word"
ROUGH = "scores cancel so much that rounding may decide the order of the structures"


class KBestSearch(Generic[S]):
    """A search for the k best structures; a list that rounding may have decided ends with `Stop.GAP`.

    Parameters
    ----------
    layout : SearchInput
    request : SolveRequest
        Its `k` is the size of the list.
    find_best : callable
        Solves a request for the best structure, with the certificate that the result will have.
    make : callable
        Makes a search of a subspace from a layout and keywords of `SearchDriver`.
    """

    def __init__(
        self,
        layout: SearchInput[S],
        request: SolveRequest,
        find_best: Callable[[SolveRequest], Result[S]],
        make: Callable[..., SearchDriver[S]],
    ) -> None:
        self.layout, self.problem, self.request = layout, layout.problem, request
        self.find_best, self.make = find_best, make
        self.pool: KBestPool[S] = KBestPool(request.k)
        self.first: Result[S] = Result.of(self.problem, [], math.inf, Stop.ERROR, method=request.method)
        self.counts = dict.fromkeys(("dp_calls", "fixed", "enumerated"), 0)
        self.gap_used = self.rounding_may_decide = False

    def run(self) -> Result[S]:
        """Find the best structure, then search the subspaces of the partition."""
        budget = self.request.budget
        try:
            self._emit("start")
            stop = self._find_first()
            if stop is Stop.PROVED and self.first.solutions:
                stop = self._complete(self.first.best)
            if (self.gap_used or self.rounding_may_decide) and stop is Stop.PROVED:
                stop = Stop.GAP
            self._emit("stop")
        except KeyboardInterrupt:
            budget.interrupt()
            stop = Stop.INTERRUPTED
        except Exception as error:
            attach_result(error, partial(self._result, Stop.ERROR))
            raise
        return self._result(stop)

    def _emit(self, kind: str, **details: int) -> None:
        budget = self.request.budget
        best = self.pool.best
        bound = self.problem.sense.turn(self.first.bound)
        call_role(budget, budget.emit, kind, max(bound, best), best, **details)

    def _find_first(self) -> Stop:
        """Find the best structure with its certificate."""
        budget = self.request.budget
        # The relative gap is meant for the whole list, and events for one sequence of bounds: the first search gets
        # a budget of its own.
        seconds = budget.time_left if budget.time_left < math.inf else None
        first = SolveBudget(attrs.evolve(budget.limits, time=seconds, relative_gap=0.0))
        try:
            self.first = self.find_best(attrs.evolve(self.request, budget=first, k=1))
        except Exception as error:
            self.first = getattr(error, "result", None) or self.first
            self._enter_first()
            raise
        finally:
            budget.nodes += first.nodes
            budget.iterations += first.iterations
        self._enter_first()
        if first.interrupted:
            budget.interrupt()
        self.rounding_may_decide = self.first.stop is Stop.GAP
        return Stop.PROVED if self.rounding_may_decide else self.first.stop

    def _enter_first(self) -> None:
        for structure in (*(solution.structure for solution in self.first.solutions), *self.request.start):
            self._enter(structure)

    def _enter(self, structure: S) -> None:
        key = encoded(self.problem, structure).tobytes()
        self.pool.enter(key, score_of(self.problem, structure), structure)

    def _closes(self, bound: float) -> bool:
        """Whether no structure below this bound can enter the list."""
        threshold = self.pool.threshold
        if bound <= threshold or meets(bound, threshold):
            return True
        gap = self.request.budget.limits.relative_gap
        if gap > 0 and threshold > -math.inf and meets(bound, threshold, gap):
            self.gap_used = True
            return True
        return False

    def _complete(self, best: S) -> Stop:
        """Search the subspaces around the best structure, then around the next; see `lawler`."""
        # A decision of weight -inf is in no structure: a subspace that turns it on would be searched in vain.
        everything = np.where(self.layout.backbone.weights > -math.inf, FREE, OFF).astype(np.int8)
        bound = max(self.problem.sense.turn(self.first.bound), score_of(self.problem, best))
        group_index = self.problem.decisions.group_index()

        def split(optimum: SubspaceOptimum[S]) -> Iterator[State]:
            on_ids = np.sort(encoded(self.problem, optimum.structure)).tolist()
            return (subspace for _, subspace in partition(optimum.allowed, on_ids, group_index))

        return lawler(self.pool, SubspaceOptimum(everything, best, bound), split, self._best_of, self._closes)

    def _best_of(self, subspace: State) -> tuple[SubspaceOptimum[S] | None, Stop]:
        """Find the best structure of a subspace; None if no structure there can enter the list."""
        search, stop = self._search(subspace)
        if stop is Stop.PROVED and self._has_no_entry(search, subspace):
            return None, stop
        structure = self._structure_of(search, subspace)
        if stop is Stop.PROVED and search.rounding_may_decide(search.exact, self.pool.threshold):
            limit = max(search.exact, self.pool.threshold)
            self.rounding_may_decide |= not self._verifies_bound(subspace, limit)
        self._emit("node", node=self.request.budget.nodes)
        if structure is None:
            return None, stop
        return SubspaceOptimum(subspace, structure, max(search.bound, score_of(self.problem, structure))), stop

    def _search(self, subspace: State, *, keep_proof: bool = False) -> tuple[SearchDriver[S], Stop]:
        """Search a subspace until its bound closes it or a limit is reached."""
        budget = self.request.budget
        with name_role_errors(self.layout):
            search = self.make(self.layout, keep_proof=keep_proof, subspace=subspace)
        nodes, iterations, stop = budget.nodes, budget.iterations, Stop.PROVED
        while not self._closes(search.bound):
            reason = budget.stop_reason_between_nodes()
            if reason is not None:
                stop = reason
                break
            limit = budget.limits.iterations
            steps = ENDLESS if limit is None else limit - budget.iterations
            try:
                # Node by node: `_closes` depends on the list, which the kernel does not know.
                with name_role_errors(self.layout):
                    ended = search.advance(budget.time_left, int(search.kernel.nodes) + 1, steps)
            except KeyboardInterrupt:
                budget.interrupt()
                continue
            finally:
                budget.nodes = nodes + int(search.kernel.nodes)
                budget.iterations = iterations + int(search.kernel.steps)
            if ended is Stop.PROVED:
                break
        for name in self.counts:
            self.counts[name] += int(search.extra[name])
        return search, stop

    def _verifies_bound(self, subspace: State, limit: float) -> bool:
        """Whether a verifier confirms that no structure of a subspace scores more than `limit`.

        It is called where float64 sums of the search may be off too far. If multipliers do not suffice, the
        structures of a small subspace are enumerated and scored.
        """
        search, stop = self._search(subspace, keep_proof=True)
        if stop is not Stop.PROVED:
            return False
        with name_role_errors(self.layout):
            search.kernel.bound_current_node()
        for evidence in (search.certificate(), self.layout.enumerated):
            verdict = evidence.verify(self.problem, Fixings(subspace))
            if verdict and (verdict.bound <= limit or meets(float(verdict.bound), limit)):
                return True
        return False

    def _has_no_entry(self, search: SearchDriver[S], subspace: State) -> bool:
        """Whether no structure of a subspace enters the list, because its best one is forbidden.

        The finite loss for -inf may be too small to put every forbidden structure below the allowed ones; a search
        with a larger loss decides. Without its answer, the list may miss some.
        """
        if search.kernel.value == search.kernel.bound == -math.inf:
            return True  # no sum was compared, so no loss is involved
        loss_may_be_small = self.layout.forbids and self.layout.floor == -math.inf
        if not (loss_may_be_small and search.value > self.pool.threshold) or search.exact > -math.inf:
            return False
        harsh = self.make(attrs.evolve(self.layout, harsh=True), keep_proof=False, subspace=subspace)
        with name_role_errors(self.layout):
            is_proved = harsh.finish(seconds=self.request.budget.time_left)
        if not (is_proved and harsh.value == -math.inf):
            self.rounding_may_decide = True
        return True

    def _structure_of(self, search: SearchDriver[S], subspace: State) -> S | None:
        """The incumbent of a subspace's search, if it enters the list.

        Raises `InconsistentBound`: it is infeasible, of another subspace, or scored otherwise than the search says.
        """
        if not search.value > self.pool.threshold:
            return None
        problem, structure = self.problem, decoded(self.problem, search.kernel.on)
        violations = call_problem(problem, problem.violations, structure)
        if violations or not Fixings(subspace).allows(encoded(problem, structure)):
            raise InconsistentBound(f"the search returned a structure of another part: {search.kernel.on.tolist()}")
        search.with_rounding_error(search.bound, score_of(self.problem, structure))
        self._enter(structure)
        return structure

    def _result(self, stop: Stop) -> Result[S]:
        first, budget = self.first, self.request.budget
        calls = self.counts["dp_calls"]
        extra = {name: first.stats.extra.get(name, 0) + count for name, count in self.counts.items()}
        structures = self.pool.ranked
        is_complete = stop is Stop.PROVED
        notices = [ROUGH] if self.rounding_may_decide else []
        notices += first.explanation
        if not is_complete:
            notices.append(
                f"the search for {self.request.k} best ended early ({stop.value}): the list may miss some"
            )
        elif structures:
            notices.append(UNCERTIFIED)
        return Result.of(
            self.problem,
            structures,
            self.problem.sense.turn(first.bound),
            stop,
            certificate=first.certificate,
            method=self.request.method,
            stats=attrs.evolve(
                first.stats,
                seconds=budget.elapsed,
                nodes=budget.nodes,
                iterations=first.stats.iterations + calls,
                oracle_calls=first.stats.oracle_calls + calls,
                extra={**first.stats.extra, **extra},
            ),
            trace=budget.events,
            explanation=notices,
            complete=is_complete,
        )
