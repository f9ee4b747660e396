"""The compiled Lagrangian search with lazy scores."""

from __future__ import annotations

import math
from typing import Any

import attrs
import numpy as np

from gapless import Limits, SolveError, Stop
from gapless.core.sparse import IntArray
from gapless.roles import Budget, InconsistentBound
from gapless.search.driver import ENDLESS, Search
from gapless.search.layout import ForbiddenScore, Layout
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_pricecut.pricing_tables import Parts
from gapless_pricecut.restricted import restricted_relaxation

ROOT_STEPS, ROOT_TREND = 400, 35
"""More than for siblings: bounds on grandparents alone close nearly every sentence at the root, given time."""


PROGRAM_AFTER = 60
"""Nodes after which a linear program over the arcs that the root has left is asked for better multipliers."""


class LagrangianSearch(Search[DependencyTree]):
    """One search: multipliers for the rows of the linear program, trees by the arborescence oracle.

    Attributes
    ----------
    lazy : bool
        Whether scores are asked for late.
    program_solved : bool
        Whether a linear program was asked for multipliers.
    """

    def __init__(
        self,
        layout: Layout[DependencyTree],
        *,
        order: str = "best-first",
        start: IntArray | None = None,
        keep_proof: bool = True,
        told: bool = False,
    ) -> None:
        self.options: dict[str, Any] = {"order": order, "keep_proof": keep_proof, "told": told}
        # The program knows no factors but conjunctions.
        self.program_due = not (problem_of(layout).projective or layout.configurations)
        self.program_solved, self.parts_added = False, 0
        try:
            self._begin(layout, start)
        except ForbiddenScore:
            self._begin(attrs.evolve(layout, lazily=False), start)

    def _begin(self, layout: Layout[DependencyTree], start: IntArray | None) -> None:
        self.lazy = layout.known is not None
        super().__init__(
            layout,
            start=start,
            root_steps=ROOT_STEPS,
            root_trend=ROOT_TREND,
            **self.options,
        )

    def advance(
        self, seconds: float, nodes: int = ENDLESS, steps: int = ENDLESS, limits: Limits | None = None
    ) -> Stop | None:
        """As `Search.advance`; begins again with all scores when one turns out to forbid its scope."""
        until = min(nodes, PROGRAM_AFTER) if self.program_due else nodes
        try:
            stop = super().advance(seconds, until, steps, limits)
            if stop is not Stop.NODES or until == nodes:
                return stop
            self.program_due = False
            self._solve_program(seconds)
        except ForbiddenScore:
            on = self.kernel.on if self.value > -math.inf else None
            self._begin(attrs.evolve(self.layout, lazily=False), on)
        return None

    def _solve_program(self, seconds: float) -> None:
        """Begin again at the root from the prices of the linear program over the arcs that the root has left.

        The program finds the best multipliers there are, where steps have stalled; over projective trees, which the
        tree oracle bounds better than its rows, it is not asked. It gets half of the time that is left. Its prices
        are worth a new beginning only where they prove more than the search has.
        """
        kept, tree, problem = self.kernel.root_free, self.structure, problem_of(self.layout)
        budget = Budget(Limits(time=None if math.isinf(seconds) else 0.5 * seconds))
        parts = Parts(problem)
        start = tree if tree is not None and kept[problem.encode(tree)].all() else None
        try:
            relaxed = restricted_relaxation(problem, kept, budget=budget, start=start, parts=parts)
        except InconsistentBound:
            raise  # the oracle or a score is wrong: no proof stands on that
        except SolveError:
            return  # the LP solver gave up; the search goes on as it was
        self.program_solved, self.parts_added = True, relaxed.added
        if relaxed.bound == -math.inf:
            return
        found = None if relaxed.tree is None else problem.encode(relaxed.tree)
        if relaxed.bound >= self.bound:
            self.kernel.hold(found)
            return
        slots = self.kernel.slots()
        self.kernel.restart(np.maximum(parts.multipliers_at(relaxed.multipliers, *slots), 0.0), found)

    @property
    def added(self) -> int:
        """Columns for parts of the linear program."""
        return self.parts_added

    @property
    def extra(self) -> dict[str, Any]:
        """For `Stats`."""
        closed = super().extra["root_closed"] and not self.program_solved
        return {**super().extra, "root_closed": closed, "lazy": self.lazy, "program": self.program_solved}


def problem_of(layout: Layout[DependencyTree]) -> ParsingProblem:
    """The parsing problem of a layout."""
    assert isinstance(layout.problem, ParsingProblem)
    return layout.problem
