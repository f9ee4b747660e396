"""The search with lazily asked scores that turns to a linear program where its multipliers stall."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gapless import Limits, SolveError, Stop
from gapless.arrays.sparse import IntArray
from gapless.roles import InconsistentBound, SolveBudget
from gapless.search.layout import SearchInput
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_pricecut.kept_arcs_relaxation import restricted_relaxation
from gapless_pricecut.pricing_tables import PricingTables
from gapless_splitbound.lazy_search import LazySearch

PROGRAM_AFTER = 60
"""Number of nodes after which a linear program over the arcs that the root has left supplies multipliers."""


class LagrangianSearch(LazySearch):
    """One search: multipliers for the rows of the linear program, trees by the maximiser of arborescences.

    `**options`: of `SearchDriver`.

    Attributes
    ----------
    program_solved : bool
        Whether a linear program has supplied multipliers.
    """

    def __init__(
        self, layout: SearchInput[DependencyTree], *, start: IntArray | None = None, **options: Any
    ) -> None:
        # The program has rows for conjunctions only. Over projective trees the maximiser's bound is tighter than
        # the program's rows, which are those of trees with crossing arcs and the few found violated.
        self.program_due = not (problem_of(layout).projective or layout.configurations)
        self.program_solved, self.scopes_added = False, 0
        super().__init__(layout, start=start, **options)

    def _advance(self, seconds: float, nodes: int, steps: int, limits: Limits | None) -> Stop | None:
        """As `LazySearch._advance`, but solves the linear program once after `PROGRAM_AFTER` nodes."""
        until = min(nodes, PROGRAM_AFTER) if self.program_due else nodes
        stop = super()._advance(seconds, until, steps, limits)
        if stop is not Stop.NODES or until == nodes:
            return stop
        self.program_due = False
        self._solve_program(seconds)
        return None

    def _solve_program(self, seconds: float) -> None:
        """Begin again at the root with the prices of the linear program over the arcs that the root has left.

        The program finds the best multipliers there are, where subgradient steps have stalled. It gets half of the
        remaining time. The search begins again only if the program's bound is better than its own.
        """
        kept, tree, problem = self.kernel.root_free, self.structure, problem_of(self.layout)
        budget = SolveBudget(Limits(time=None if math.isinf(seconds) else 0.5 * seconds))
        parts = PricingTables(problem)
        start = tree if tree is not None and kept[problem.encode(tree)].all() else None
        try:
            relaxed = restricted_relaxation(problem, kept, budget=budget, start=start, parts=parts)
        except InconsistentBound:
            raise  # the maximiser or a score is wrong: no proof can rely on it
        except SolveError:
            return  # the LP solver gave up; the search goes on as it was
        self.program_solved, self.scopes_added = True, relaxed.added
        if relaxed.bound == -math.inf:
            return
        on_ids = None if relaxed.tree is None else problem.encode(relaxed.tree)
        if relaxed.bound >= self.bound:
            self.kernel.offer_incumbent(on_ids)
            return
        slots = self.kernel.slots()
        self.kernel.restart(np.maximum(parts.multipliers_at(relaxed.multipliers, *slots), 0.0), on_ids)

    @property
    def added(self) -> int:
        """Number of columns for parts in the linear program."""
        return self.scopes_added

    @property
    def extra(self) -> dict[str, Any]:
        """Further counts for `Stats`."""
        closed = super().extra["root_closed"] and not self.program_solved
        return {**super().extra, "root_closed": closed, "program": self.program_solved}


def problem_of(layout: SearchInput[DependencyTree]) -> ParsingProblem:
    """Return the parsing problem of a layout."""
    assert isinstance(layout.problem, ParsingProblem)
    return layout.problem
