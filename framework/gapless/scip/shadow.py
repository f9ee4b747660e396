"""The master of SCIP's tree once more as a linear program of our own, for looks below a node."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np

from gapless.core.batch import Batch
from gapless.core.decisions import Fixings
from gapless.core.formulation import Formulation
from gapless.core.limits import Budget
from gapless.core.oracle import LinearView
from gapless.core.problem import Problem
from gapless.core.relaxation import Relaxation, Relaxed
from gapless.engine.price_and_cut import PricedRelaxation
from gapless.lp import LinearMaster

S = TypeVar("S")


class Shadow(Relaxation[S]):
    """The columns and rows of SCIP's master, and what looks have found; solved outside of SCIP.

    SCIP's own probing would ask no generator. Nothing is built before the first look. No bound of SCIP's tree rests
    on it.
    """

    heeds_rows = True

    def __init__(self, problem: Problem[S], formulation: Formulation[S], limit: int | None) -> None:
        self._problem, self._formulation, self._limit = problem, formulation, limit
        self._batches: list[Batch] = []
        self._entered = 0
        self._relaxation: PricedRelaxation[S, LinearView] | None = None

    def follow(self, batches: Iterable[Batch]) -> None:
        """Take note of batches that SCIP's master got."""
        for batch in batches:
            if not np.all(batch.rows.over_quantities):
                self._relaxation = None  # these rows know nothing of the columns that looks have found
            self._batches.append(batch)

    def _current(self) -> PricedRelaxation[S, LinearView]:
        if self._relaxation is None:
            made, self._entered = LinearMaster(self._problem, self._formulation), 0
            self._relaxation = PricedRelaxation(
                made,
                self._formulation.generators,
                self._problem.decisions,
                limit=self._limit,
                pricing=self._formulation.pricing,
                granularity=self._problem.granularity,
            )
        for batch in self._batches[self._entered :]:
            self._relaxation.restricted.extend(batch)
        self._entered = len(self._batches)
        return self._relaxation

    def solve(
        self, fixings: Fixings, budget: Budget, *, incumbent: float = -math.inf, state: Any = None
    ) -> Relaxed[S]:
        """A look of `PricedRelaxation`: nothing branches here."""
        return self._current().look(fixings, budget, incumbent=incumbent)

    def glance(self, fixings: Fixings, budget: Budget, *, incumbent: float = -math.inf) -> Relaxed[S]:
        """The columns and rows at hand."""
        return self._current().glance(fixings, budget, incumbent=incumbent)

    def integral(self, fixings: Fixings, budget: Budget, *, incumbent: float = -math.inf) -> S | None:
        """The best integral combination of the columns at hand."""
        return self._current().integral(fixings, budget, incumbent=incumbent)
