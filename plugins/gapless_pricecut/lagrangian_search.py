"""The compiled Lagrangian search with lazy scores."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from gapless import Certificate, Limits, SolveError
from gapless.core.certificate import DeferredCertificate
from gapless.core.sparse import FloatArray, IntArray
from gapless.roles import Budget, InconsistentBound
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_pricecut.certificate import CompletedDual
from gapless_pricecut.pricing_tables import Parts
from gapless_pricecut.restricted import restricted_relaxation
from gapless_splitbound import compiled_search
from gapless_splitbound.compiled_search import Tables
from gapless_splitbound.record_certificates import SearchRecord

ROOT_STEPS, ROOT_TREND = 400, 35
"""More than for siblings: bounds on grandparents alone close nearly every sentence at the root, given time."""


PROGRAM_AFTER = 60
"""Nodes after which a linear program over the arcs that the root has left is asked for better multipliers."""


class LagrangianSearch(compiled_search.Search):
    """One search: multipliers for the rows of the linear program, trees by the arborescence oracle.

    Attributes
    ----------
    lazy : bool
        Whether scores are asked for late.
    program_solved : bool
        Whether a linear program was asked for multipliers.
    """

    def __init__(
        self, problem: ParsingProblem, order: str, start: DependencyTree | None = None, *, keep_proof: bool = True
    ) -> None:
        self.order, self.keep_proof = order, keep_proof
        self.program_due, self.program_solved, self.parts_added = not problem.projective, False, 0
        try:
            self._begin(problem, start, lazy_tables(problem))
        except ForbiddenScore:
            self._begin(problem, start, compiled_search.Tables.of(problem))

    def _begin(self, problem: ParsingProblem, start: DependencyTree | None, tables: compiled_search.Tables) -> None:
        self.lazy = tables.unknown is not None
        # Multipliers of a score of -inf are in units of whatever stands for it.
        self.compact = tables.floor == -math.inf
        super().__init__(
            problem,
            "default",
            self.order,
            start,
            keep_proof=self.keep_proof,
            tables=tables,
            root_steps=ROOT_STEPS,
            root_trend=ROOT_TREND,
            compact=self.compact,
        )

    def advance(self, seconds: float, nodes: int, steps: int = compiled_search.ENDLESS) -> bool:
        """As `Search.advance`; begins again with all scores when one turns out to forbid its scope."""
        until = min(nodes, PROGRAM_AFTER) if self.program_due else nodes
        try:
            done = super().advance(seconds, until, steps)
            if done or until == nodes or self.kernel.nodes < until:
                return done
            self.program_due = False
            self._solve_program(seconds)
        except ForbiddenScore:
            self._begin(self.problem, self.tree, compiled_search.Tables.of(self.problem))
        return False

    def _solve_program(self, seconds: float) -> None:
        """Begin again at the root from the prices of the linear program over the arcs that the root has left.

        The program finds the best multipliers there are, where steps have stalled; over projective trees, which the
        tree oracle bounds better than its rows, it is not asked. It gets half of the time that is left. Its prices
        are worth a new beginning only where they prove more than the search has.
        """
        kept, tree = self.kernel.root_arcs, self.tree
        budget = Budget(Limits(time=None if math.isinf(seconds) else 0.5 * seconds))
        parts = Parts(self.problem)
        start = tree if tree is not None and kept[self.problem.encode(tree)].all() else None
        try:
            relaxed = restricted_relaxation(self.problem, kept, budget=budget, start=start, parts=parts)
        except InconsistentBound:
            raise  # the oracle or a score is wrong: no proof stands on that
        except SolveError:
            return  # the LP solver gave up; the search goes on as it was
        self.program_solved, self.parts_added = True, relaxed.added
        if relaxed.bound == -math.inf:
            return
        found = None if relaxed.tree is None else np.concatenate([[0], relaxed.tree.heads])
        if relaxed.bound >= self.bound:
            self.kernel.hold(found)
            return
        slots = self.kernel.slots()
        self.kernel.restart(np.maximum(parts.multipliers_at(relaxed.multipliers, *slots), 0.0), found)

    def certificate(self) -> Certificate:
        """The record of the search, its multipliers written sparsely where no score is -inf."""
        if not self.compact:
            return super().certificate()
        record = SearchRecord.of(self.kernel, self.problem.conjunctions, self.loss, shares=False)
        return DeferredCertificate(partial(completed, record))

    @property
    def added(self) -> int:
        """Columns for parts of the linear program."""
        return self.parts_added

    @property
    def extra(self) -> dict[str, Any]:
        """For `Stats`."""
        closed = super().extra["root_closed"] and not self.program_solved
        return {**super().extra, "root_closed": closed, "lazy": self.lazy, "program": self.program_solved}


def completed(record: SearchRecord) -> Certificate:
    """The certificate of a record whose multipliers are in units of scores."""
    ways, first = tuple(record.orientation.tolist()), record.row_first

    def at(row: int) -> Certificate:
        part = slice(first[row], first[row + 1]) if row >= 0 else slice(0)
        return CompletedDual(ways, record.alone, record.scopes[part], record.places[part], record.values[part])

    return record.tree(at)


class ForbiddenScore(Exception):
    """A score that was asked for forbids its scope, and whatever stands for that depends on all other scores."""


def lazy_tables(problem: ParsingProblem) -> Tables:
    """The scopes of a problem with upper bounds where the factors have cheap ones (Riedel et al., section 4.3.1).

    All scores are asked for where one is known to be -inf: how much it takes to forbid a scope depends on them.
    """
    conjunctions = [scored for scored in problem.conjunctions if scored.scopes.size]
    lazy = [scored.factor.bounded and scored.scopes.shape[1] > 1 for scored in conjunctions]
    if all(scored.scored == len(scored.scopes) for scored in conjunctions) or not any(lazy):
        return Tables.of(problem)
    blocks = [
        (scored.scopes, scored.all_bounds() if late else scored.all_scores())
        for scored, late in zip(conjunctions, lazy, strict=True)
    ]
    if any(values.min() == -math.inf for _, values in blocks):
        return Tables.of(problem)
    ends = np.cumsum([len(scored.scopes) for scored in conjunctions])

    def ask(numbers: IntArray) -> FloatArray:
        if len(conjunctions) == 1:
            scores = conjunctions[0].scores(numbers)
        else:
            scores = np.empty(numbers.size)
            owners = np.searchsorted(ends, numbers, side="right")
            for owner in np.unique(owners).tolist():
                mine = owners == owner
                first = ends[owner] - len(conjunctions[owner].scopes)
                scores[mine] = conjunctions[owner].scores(numbers[mine] - first)
        if scores.min() == -math.inf:
            raise ForbiddenScore
        return scores

    unknown = np.concatenate([~scored.known for scored in conjunctions])
    return Tables(blocks, -math.inf, unknown=unknown, ask=ask)
