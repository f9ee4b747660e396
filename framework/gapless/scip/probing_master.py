"""Copy of the master of SCIP's tree as a linear program of our own, for probes below a node."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial
from typing import Any, TypeVar

import numpy as np

from gapless.column_generation.branch_and_price import linear_relaxation
from gapless.column_generation.formulation import Formulation
from gapless.column_generation.price_and_cut import PricedRelaxation
from gapless.decisions.decisions import Fixings
from gapless.limits.limits import SolveBudget
from gapless.oracles.batch import Batch
from gapless.oracles.views import LinearView
from gapless.problems.problem import Problem
from gapless.tree_search.relaxation import Relaxation, RelaxationResult

S = TypeVar("S")


class ProbingMaster(Relaxation[S]):
    """The columns and rows of SCIP's master, with those that probes have found; solved outside of SCIP.

    SCIP's own probing would call no generator. Nothing is built before the first probe. No bound of SCIP's tree
    depends on it (decision 050).
    """

    supports_branch_rows = True

    def __init__(self, problem: Problem[S], formulation: Formulation[S], limit: int | None) -> None:
        self._make = partial(linear_relaxation, problem, formulation, limit)
        self._batches: list[Batch] = []
        self._entered = 0
        self._relaxation: PricedRelaxation[S, LinearView] | None = None

    def follow(self, batches: Iterable[Batch]) -> None:
        """Record batches that entered SCIP's master."""
        for batch in batches:
            # Such rows lack the entries of columns that only probes have found: start again without those columns.
            if not np.all(batch.rows.over_quantities):
                self._relaxation = None
            self._batches.append(batch)

    def _current(self) -> PricedRelaxation[S, LinearView]:
        if self._relaxation is None:
            self._relaxation, self._entered = self._make(), 0
        for batch in self._batches[self._entered :]:
            self._relaxation.restricted.extend(batch)
        self._entered = len(self._batches)
        return self._relaxation

    def solve(
        self, fixings: Fixings, budget: SolveBudget, *, incumbent: float = -math.inf, state: Any = None
    ) -> RelaxationResult[S]:
        """Compute the bound of `PricedRelaxation`, without fixing or early branching."""
        return self._current().probe_bound(fixings, budget, incumbent=incumbent)

    def quick_estimate(
        self, fixings: Fixings, budget: SolveBudget, *, incumbent: float = -math.inf
    ) -> RelaxationResult[S]:
        """Solve the master with its present columns and rows."""
        return self._current().quick_estimate(fixings, budget, incumbent=incumbent)

    def integral(self, fixings: Fixings, budget: SolveBudget, *, incumbent: float = -math.inf) -> S | None:
        """Return the best structure of the present columns."""
        return self._current().integral(fixings, budget, incumbent=incumbent)
