"""The paper's own minimisation of the split bound, for comparison (Qian and Liu 2013, sections 3.2 and 3.3)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gapless.core.tolerance import margin, meets
from gapless.engine.guard import checked_bound, guarded
from gapless.roles import Budget, Fixings, Relaxation, Relaxed
from gapless_dependency import DependencyTree
from gapless_splitbound.lagrangian import SplitBound

EPSILON = 1e-8
"""A node is left when a step improves its bound by no more than this."""

ITERATIONS = 2000
"""DP calls of one node, at most; as many as the compiled search makes."""


class PaperRelaxation(Relaxation[DependencyTree]):
    """Projected subgradient with the step rule of Rush et al. (2010).

    The step starts at max_c 1 / |score of c| and is halved whenever the bound rises. Nothing is fixed; the search
    branches as soon as the bound stands still. `dualized`: with multipliers that are shares.
    """

    def __init__(self, dualized: SplitBound) -> None:
        self.dualized = dualized
        self.fixed = 0
        scores = [np.abs(b.scores[np.isfinite(b.scores) & (b.scores != 0)]) for b in dualized.split.blocks]
        smallest = min((float(s.min()) for s in scores if s.size), default=1.0)
        self.step = 1.0 / smallest

    def solve(
        self, fixings: Fixings, budget: Budget, *, incumbent: float = -math.inf, state: Any = None
    ) -> Relaxed[DependencyTree]:
        """Bound a node."""
        dualized = self.dualized
        multipliers = dualized.start() if state is None else state
        best, last, best_multipliers = math.inf, math.inf, multipliers
        on_ids, structure, known = None, None, incumbent
        step = self.step
        try:
            for _ in range(ITERATIONS):
                weights, constant = dualized.weights(multipliers, fixings)
                found = guarded(dualized.maximiser, dualized.maximiser.solve, weights, fixings)
                bound = checked_bound(dualized.maximiser, constant + found.value)
                budget.iterations += 1
                if bound < best:
                    best, best_multipliers, on_ids = bound, multipliers, found.on_ids
                if best == -math.inf:
                    break
                repaired = dualized.repair(found, fixings)
                if repaired is not None and repaired[1] > known:
                    structure, known = repaired
                guarded(budget, budget.emit, "step", best, known)
                if meets(best, known) or best <= incumbent or budget.spent() is not None:
                    break
                if bound > last:
                    step /= 2.0
                if abs(bound - last) <= EPSILON:
                    break
                last = bound
                gradient = dualized.subgradient(multipliers, found)
                if not gradient.any():
                    break
                multipliers = dualized.project(multipliers - step * gradient)
        except KeyboardInterrupt:
            budget.interrupt()
        floor = dualized.split.floor
        if best < floor - margin(floor):
            best = -math.inf
        point = None
        if on_ids is not None:
            point = np.zeros(dualized.problem.decisions.count)
            point[on_ids] = 1.0
        return Relaxed(
            best, point, structure, state=best_multipliers, certificate=dualized.certificate(best_multipliers)
        )
