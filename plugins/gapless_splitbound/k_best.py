"""The k best trees by the compiled search: Lawler's partition around each tree that was found.

Where the paper (Proposition 2) takes k best trees of the bound in every node, here each part of the partition is
searched for its one best tree, so that steps, fixing by max-marginals and enumeration stay what they are.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator

import attrs
import numpy as np

from gapless import Budget, InconsistentBound, NoCertificate, Result, Solve, SolveError, Status, Stop
from gapless.core.sparse import BoolArray
from gapless.core.tolerance import meets
from gapless.engine.guard import guarded
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_splitbound import fused
from gapless_splitbound.roles import search as search_by_roles
from gapless_splitbound.uncompiled import IN_PYTHON, told

UNCERTIFIED = "the certificate bounds the best tree; that the list misses none is the search's word"
ROUGH = f"scores cancel so much that rounding may decide the order of the trees: {IN_PYTHON}"


class _TooRough(Exception):
    """Scores cancel so much that rounding may decide the order of trees."""


@attrs.define(order=True)
class _Part:
    """Trees of some arcs, and the best one of them."""

    loss: float
    number: int
    tree: DependencyTree = attrs.field(order=False)
    kept: BoolArray = attrs.field(order=False)


def search(
    problem: ParsingProblem, solve: Solve, *, variant: str, order: str, certificate: bool
) -> Result[DependencyTree]:
    """The `solve.k` best trees, by the roles where rounding may decide their order."""
    return _Listing(problem, solve, variant, order, certificate).run()


class _Listing:
    """The state of one search for several trees."""

    def __init__(self, problem: ParsingProblem, solve: Solve, variant: str, order: str, certificate: bool) -> None:
        self.problem, self.solve = problem, solve
        self.variant, self.order, self.certificate = variant, order, certificate
        self.tables = fused.Tables.of(problem)
        self.trees: dict[bytes, tuple[float, DependencyTree]] = {}
        self.largest: list[float] = []
        """The `k` largest values known, smallest first."""
        self.first: Result[DependencyTree] = Result.of(problem, [], math.inf, Stop.ERROR, method=solve.method)
        self.counts = dict.fromkeys(("dp_calls", "fixed", "enumerated"), 0)
        self.gap_used = False

    @property
    def threshold(self) -> float:
        """What a tree must beat to enter the list."""
        return self.largest[0] if len(self.largest) == self.solve.k else -math.inf

    @property
    def best(self) -> float:
        """The largest value known."""
        return max(self.largest, default=-math.inf)

    def run(self) -> Result[DependencyTree]:
        """Find the best tree, then partition."""
        budget = self.solve.budget
        try:
            self._emit("start")
            stop = self._find_first()
            if stop is Stop.PROVED and self.first.solutions:
                stop = self._partition(self.first.best)
            if self.gap_used and stop is Stop.PROVED:
                stop = Stop.GAP
            self._emit("stop")
        except _TooRough:
            return told(self._by_roles(), [ROUGH])
        except KeyboardInterrupt:
            budget.interrupt()
            stop = Stop.INTERRUPTED
        except SolveError as error:
            error.result = self._result(Stop.ERROR)
            raise
        return self._result(stop)

    def _emit(self, kind: str, **details: int) -> None:
        budget = self.solve.budget
        guarded(budget, budget.emit, kind, max(self.first.bound, self.best), self.best, **details)

    def _find_first(self) -> Stop:
        """The best tree with its certificate; of the limits, a gap is for the whole list."""
        budget = self.solve.budget
        quiet = Budget(attrs.evolve(budget.limits, time=_finite(budget.time_left), gap=0.0))
        try:
            self.first = fused.search(
                self.problem,
                attrs.evolve(self.solve, budget=quiet, k=1),
                variant=self.variant,
                order=self.order,
                certificate=self.certificate,
            )
        finally:
            budget.nodes += quiet.nodes
        for tree in (*(solution.structure for solution in self.first.solutions), *self.solve.start):
            self._know(tree)
        if quiet.interrupted:
            budget.interrupt()
        if self.first.stop is Stop.GAP:
            raise _TooRough
        return self.first.stop

    def _know(self, tree: DependencyTree) -> float:
        """Take a feasible tree into the list; its value."""
        key, value = tree.heads.tobytes(), self.problem.value(tree)
        if key not in self.trees:
            self.trees[key] = value, tree
            heapq.heappush(self.largest, value)
            if len(self.largest) > self.solve.k:
                heapq.heappop(self.largest)
        return value

    def _closes(self, bound: float) -> bool:
        """Whether no tree below this bound can enter the list."""
        if bound <= self.threshold or meets(bound, self.threshold):
            return True
        gap = self.solve.budget.limits.gap
        if gap > 0 and self.threshold > -math.inf and meets(bound, self.threshold, gap):
            self.gap_used = True
            return True
        return False

    def _partition(self, best: DependencyTree) -> Stop:
        """Search the parts around the best tree, then around the next, until `k` are settled."""
        numbers = itertools.count()
        everything = np.ones(self.problem.decisions.count, bool)
        heap = [_Part(-self.problem.value(best), next(numbers), best, everything)]
        for _ in range(self.solve.k - 1):
            if not heap:
                break
            part = heapq.heappop(heap)
            for kept in self._others(part):
                if self._closes(-part.loss):
                    break
                stop, tree = self._best_of(kept)
                if stop is not Stop.PROVED:
                    return stop
                if tree is not None:
                    heapq.heappush(heap, _Part(-self.problem.value(tree), next(numbers), tree, kept))
        return Stop.PROVED

    def _others(self, part: _Part) -> Iterator[BoolArray]:
        """The arcs of each set of trees: the heads of some words as in the tree, that of the next another one."""
        arcs = self.problem.decisions
        left = part.kept.copy()
        for arc in self.problem.encode(part.tree):
            into = arcs.modifiers == arcs.modifiers[arc]
            kept = left.copy()
            kept[arc] = False
            if np.any(kept & into):
                yield kept
            left[into] = False
            left[arc] = True

    def _best_of(self, kept: BoolArray) -> tuple[Stop, DependencyTree | None]:
        """The best tree of these arcs; None where none can enter the list."""
        budget = self.solve.budget
        run = fused.Search(self.problem, self.variant, self.order, keep_proof=False, kept=kept, tables=self.tables)
        before, stop = budget.nodes, Stop.PROVED
        while not self._closes(run.bound):
            spent = budget.spent_between_nodes()
            if spent is not None:
                stop = spent
                break
            try:
                proved = run.advance(budget.time_left, int(run.kernel.nodes) + 1)
            except KeyboardInterrupt:
                budget.interrupt()
                continue
            finally:
                budget.nodes = before + int(run.kernel.nodes)
            if proved:
                break
        for name in self.counts:
            self.counts[name] += int(run.extra[name])
        tree = self._tree_of(run, kept)
        if run.rough and stop is Stop.PROVED:
            raise _TooRough
        self._emit("node", node=budget.nodes)
        return stop, tree

    def _tree_of(self, run: fused.Search, kept: BoolArray) -> DependencyTree | None:
        """The tree that a part's search holds, if it enters the list.

        Raises
        ------
        InconsistentBound
            It is infeasible, of another part, or not worth what the search says.
        """
        if not run.value > self.threshold:
            return None
        tree = self.problem.tree(run.kernel.heads[1:])
        if self.problem.violations(tree) or not kept[self.problem.encode(tree)].all():
            raise InconsistentBound(f"the compiled search returned a tree of another part: {tree.heads.tolist()}")
        fused.settled(self.problem, self.problem.value(tree), run.bound, run.value)
        self._know(tree)
        return tree

    def _result(self, stop: Stop) -> Result[DependencyTree]:
        first = self.first
        calls = self.counts["dp_calls"]
        extra = {name: first.stats.extra.get(name, 0) + count for name, count in self.counts.items()}
        trees = sorted(self.trees.values(), key=lambda entry: -entry[0])[: self.solve.k]
        done = stop is Stop.PROVED
        early = f"the search for {self.solve.k} best ended early ({stop.value}): the list may miss some"
        said = ([UNCERTIFIED] if trees else []) if done else [early]
        return Result.of(
            self.problem,
            [tree for _, tree in trees],
            first.bound,
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
            explanation=[*first.explanation, *said],
            complete=done,
        )

    def _by_roles(self) -> Result[DependencyTree]:
        """Where rounding may decide: the list of the roles, which score every tree by the problem itself."""
        known = [tree for _, tree in self.trees.values()]
        try:
            found = search_by_roles(
                self.problem,
                attrs.evolve(self.solve, start=known),
                variant=self.variant,
                order=self.order,
                backbone="first",
            )
        except InconsistentBound as error:
            # Their checks do not forgive what rounding does here; what was found before stands. No other error is
            # taken back: one of an observer is the user's to see.
            found = self._result(Stop.GAP)
            return attrs.evolve(found, explanation=[*found.explanation, f"the roles gave up: {error}"])
        if found.status is Status.OPTIMAL or found.bound <= self.first.bound:
            if self.certificate:
                return found
            return attrs.evolve(found, certificate=NoCertificate(fused.ASKED_FOR_NONE))
        for solution in found.solutions:
            self._know(solution.structure)
        return self._result(found.stop)


def _finite(seconds: float) -> float | None:
    return seconds if seconds < math.inf else None
