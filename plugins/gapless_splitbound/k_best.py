"""The k best trees by the compiled search: Lawler's partition around each tree that was found.

Where the paper (Proposition 2) takes k best trees of the bound in every node, here each part of the partition is
searched for its one best tree, so that steps, fixing by max-marginals and enumeration stay what they are.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator, Sequence

import attrs
import numpy as np

from gapless import Result, Solve, Stats, Stop
from gapless.core.sparse import BoolArray
from gapless.core.tolerance import meets
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_splitbound import fused


class _Rough(Exception):
    """Scores cancel so much that the order of trees is for the roles to tell."""


@attrs.define(order=True)
class _Part:
    """Trees of some arcs, and the best one of them."""

    loss: float
    number: int
    tree: DependencyTree = attrs.field(order=False)
    kept: BoolArray = attrs.field(order=False)


def search(
    problem: ParsingProblem, solve: Solve, *, variant: str, order: str, certificate: bool
) -> Result[DependencyTree] | None:
    """The `solve.k` best trees; None when rounding may decide their order.

    The certificate bounds the best tree, as that of the generic search does.
    """
    first = fused.search(problem, attrs.evolve(solve, k=1), variant=variant, order=order, certificate=certificate)
    found = [solution.structure for solution in first.solutions]
    listing = _Listing(problem, solve, variant, order, [*found, *solve.start])
    stop = first.stop
    if stop is Stop.PROVED and found:
        try:
            stop = listing.run(found[0])
        except _Rough:
            return None
        except KeyboardInterrupt:
            solve.budget.interrupt()
            stop = Stop.INTERRUPTED
    early = [f"the search for {solve.k} best ended early ({stop.value}): the list may miss some"]
    return Result.of(
        problem,
        listing.trees,
        first.bound,
        stop,
        certificate=first.certificate,
        method=solve.method,
        stats=listing.stats(first.stats),
        trace=solve.budget.events,
        explanation=first.explanation if stop is Stop.PROVED else early,
        complete=stop is Stop.PROVED,
    )


class _Listing:
    """The trees found so far, best first on the heap those whose part is not yet partitioned."""

    def __init__(
        self, problem: ParsingProblem, solve: Solve, variant: str, order: str, known: Sequence[DependencyTree]
    ) -> None:
        self.problem, self.solve, self.variant, self.order = problem, solve, variant, order
        self.scored: dict[bytes, tuple[float, DependencyTree]] = {}
        for tree in known:
            self._know(tree)
        self.numbers = itertools.count()
        self.nodes = 0
        self.counts = dict.fromkeys(("dp_calls", "fixed", "enumerated"), 0)

    def _know(self, tree: DependencyTree) -> float:
        value = self.problem.value(tree)
        self.scored[tree.heads.tobytes()] = value, tree
        return value

    @property
    def trees(self) -> list[DependencyTree]:
        """The best known, `k` at most."""
        best = sorted(self.scored.values(), key=lambda entry: -entry[0])
        return [tree for _, tree in best[: self.solve.k]]

    @property
    def threshold(self) -> float:
        """What a tree must beat to enter the list."""
        values = heapq.nlargest(self.solve.k, (value for value, _ in self.scored.values()))
        return values[-1] if len(values) == self.solve.k else -math.inf

    def _closes(self, bound: float) -> bool:
        return bound <= self.threshold or meets(bound, self.threshold)

    def run(self, best: DependencyTree) -> Stop:
        """Partition around the best tree, then around the next, until `k` are settled."""
        everything = np.ones(self.problem.decisions.count, bool)
        heap = [_Part(-self.problem.value(best), next(self.numbers), best, everything)]
        for _ in range(self.solve.k - 1):
            if not heap or self._closes(-heap[0].loss):
                break
            part = heapq.heappop(heap)
            for kept in self._others(part):
                if self._closes(-part.loss):
                    break
                stop, tree = self._best_of(kept)
                if stop is not Stop.PROVED:
                    return stop
                if tree is not None:
                    heapq.heappush(heap, _Part(-self._know(tree), next(self.numbers), tree, kept))
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
        run = fused.Search(self.problem, self.variant, self.order, keep_proof=False, kept=kept)
        before = budget.nodes
        stop: Stop | None = None
        while not self._closes(run.bound):
            stop = budget.spent_between_nodes()
            if stop is not None:
                break
            proved = run.advance(budget.time_left, int(run.kernel.nodes) + 1)
            budget.nodes = before + int(run.kernel.nodes)
            if proved:
                break
        run.kernel.settle()
        self._count(run)
        if run.rough:
            raise _Rough
        return stop or Stop.PROVED, self.problem.tree(run.kernel.heads[1:]) if run.value > self.threshold else None

    def _count(self, run: fused.Search) -> None:
        self.nodes += int(run.kernel.nodes)
        for name in self.counts:
            self.counts[name] += int(run.extra[name])

    def stats(self, first: Stats) -> Stats:
        """Of all searches together."""
        calls = self.counts["dp_calls"]
        return attrs.evolve(
            first,
            seconds=self.solve.budget.elapsed,
            nodes=first.nodes + self.nodes,
            iterations=first.iterations + calls,
            oracle_calls=first.oracle_calls + calls,
            extra={**first.extra, **{name: first.extra[name] + count for name, count in self.counts.items()}},
        )
