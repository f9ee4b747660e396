"""The k best trees by the compiled search: Lawler's partition around each tree that was found.

Where the paper (Proposition 2) takes k best trees of the bound in every node, here each part of the partition is
searched for its one best tree, so that steps, fixing by max-marginals and enumeration stay what they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import attrs
import numpy as np

from gapless import Result, SolveError, Status, Stop
from gapless.core.sparse import BoolArray
from gapless.core.tolerance import meets
from gapless.engine.guard import guarded
from gapless.engine.lawler import KBest, Part, lawler, partition
from gapless.roles import Budget, InconsistentBound, NoCertificate, Solve
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_splitbound import compiled_search
from gapless_splitbound.role_search import search as search_by_roles
from gapless_splitbound.uncompiled import IN_PYTHON, told

UNCERTIFIED = "the certificate bounds the best tree; that the list misses none is the search's word"
ROUGH = f"scores cancel so much that rounding may decide the order of the trees: {IN_PYTHON}"


class _TooRough(Exception):
    """Scores cancel so much that rounding may decide the order of trees."""


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
        self.tables = compiled_search.Tables.of(problem)
        self.known: KBest[DependencyTree] = KBest(solve.k)
        self.first: Result[DependencyTree] = Result.of(problem, [], math.inf, Stop.ERROR, method=solve.method)
        self.counts = dict.fromkeys(("dp_calls", "fixed", "enumerated"), 0)
        self.gap_used = False

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
        best = self.known.best
        guarded(budget, budget.emit, kind, max(self.first.bound, best), best, **details)

    def _find_first(self) -> Stop:
        """The best tree with its certificate; of the limits, a gap is for the whole list."""
        budget = self.solve.budget
        quiet = Budget(attrs.evolve(budget.limits, time=_finite(budget.time_left), gap=0.0))
        try:
            self.first = compiled_search.search(
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

    def _know(self, tree: DependencyTree) -> None:
        """Take a feasible tree into the list."""
        self.known.enter(tree.heads.tobytes(), self.problem.value(tree), tree)

    def _closes(self, bound: float) -> bool:
        """Whether no tree below this bound can enter the list."""
        threshold = self.known.threshold
        if bound <= threshold or meets(bound, threshold):
            return True
        gap = self.solve.budget.limits.gap
        if gap > 0 and threshold > -math.inf and meets(bound, threshold, gap):
            self.gap_used = True
            return True
        return False

    def _partition(self, best: DependencyTree) -> Stop:
        """Search the parts around the best tree, then around the next; see `lawler`."""
        everything = np.ones(self.problem.decisions.count, bool)
        first = Part(everything, best, self.problem.value(best))
        return lawler(self.known, first, self._others, self._best_of, self._closes)

    def _others(self, part: Part[DependencyTree]) -> Iterator[BoolArray]:
        """The arcs of each part: the heads of some words as in the tree, that of the next another one."""
        arcs = self.problem.encode(part.structure).tolist()
        return (kept for _, kept in partition(part.kept, arcs, self.problem.decisions.modifiers))

    def _best_of(self, kept: BoolArray) -> tuple[Part[DependencyTree] | None, Stop]:
        """The best tree of these arcs; None where none can enter the list."""
        budget = self.solve.budget
        run = compiled_search.Search(
            self.problem, self.variant, self.order, keep_proof=False, kept=kept, tables=self.tables
        )
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
        if stop is Stop.PROVED and run.rough(run.exact):
            raise _TooRough
        self._emit("node", node=budget.nodes)
        return (None if tree is None else Part(kept, tree, self.problem.value(tree))), stop

    def _tree_of(self, run: compiled_search.Search, kept: BoolArray) -> DependencyTree | None:
        """The tree that a part's search holds, if it enters the list.

        Raises `InconsistentBound`: it is infeasible, of another part, or not worth what the search says.
        """
        if not run.value > self.known.threshold:
            return None
        tree = self.problem.tree(run.kernel.heads[1:])
        if self.problem.violations(tree) or not kept[self.problem.encode(tree)].all():
            raise InconsistentBound(f"the compiled search returned a tree of another part: {tree.heads.tolist()}")
        compiled_search.bound_with_rounding(self.problem, self.problem.value(tree), run.bound, run.value)
        self._know(tree)
        return tree

    def _result(self, stop: Stop) -> Result[DependencyTree]:
        first = self.first
        calls = self.counts["dp_calls"]
        extra = {name: first.stats.extra.get(name, 0) + count for name, count in self.counts.items()}
        trees = self.known.ranked
        done = stop is Stop.PROVED
        early = f"the search for {self.solve.k} best ended early ({stop.value}): the list may miss some"
        said = ([UNCERTIFIED] if trees else []) if done else [early]
        return Result.of(
            self.problem,
            trees,
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
        """The list of the roles, which score trees by the problem itself, where rounding may decide."""
        try:
            found = search_by_roles(
                self.problem,
                attrs.evolve(self.solve, start=self.known.known),
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
            return attrs.evolve(found, certificate=NoCertificate(compiled_search.ASKED_FOR_NONE))
        for solution in found.solutions:
            self._know(solution.structure)
        return self._result(found.stop)


def _finite(seconds: float) -> float | None:
    return seconds if seconds < math.inf else None
