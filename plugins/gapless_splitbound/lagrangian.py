"""The split bound in the roles of the Lagrangian engine: multipliers, subgradients, incumbents, certificates."""

from __future__ import annotations

import math
from typing import Any

import attrs
import numpy as np

from gapless import Certificate
from gapless.core.tolerance import margin
from gapless.engine.lagrangian import Dualized, LagrangianRelaxation, StepRule
from gapless.roles import Budget, Fixings, FloatArray, Maximised, Maximiser, Relaxed
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_splitbound.certificate import SplitMultipliers
from gapless_splitbound.linearised import linearised
from gapless_splitbound.multipliers import Split

REPARSES = 3
"""Parses with scores linearised around a tree, each time the search meets a better one."""


class SplitBound(Dualized[DependencyTree]):
    """Scores of scopes split over their arcs (Qian and Liu 2013, section 3.2), see `Split` for the formula.

    Parameters
    ----------
    split : Split
    maximiser : Maximiser
        For incumbents: it parses again with scores linearised around a tree.
    """

    def __init__(self, split: Split, maximiser: Maximiser[DependencyTree]) -> None:
        self.split = split
        self.problem: ParsingProblem = split.problem
        self.maximiser = maximiser
        self._best = -math.inf

    def start(self) -> FloatArray:
        """As `Split.start`."""
        return self.split.start()

    def weights(self, multipliers: FloatArray, fixings: Fixings) -> tuple[FloatArray, float]:
        """As `Split.weights`."""
        return self.split.weights(multipliers, fixings)

    def subgradient(self, multipliers: FloatArray, found: Maximised[DependencyTree]) -> FloatArray:
        """As `Split.subgradient`."""
        return self.split.subgradient(multipliers, found.on_ids)

    def project(self, multipliers: FloatArray) -> FloatArray:
        """As `Split.project`."""
        return self.split.project(multipliers)

    def repair(self, found: Maximised[DependencyTree], fixings: Fixings) -> tuple[DependencyTree, float] | None:
        """The tree itself, and trees from scores linearised around it while they get better (section 3.3).

        Parsing again is for trees that beat all that were met before; the others are only scored.
        """
        if found.structure is None:
            return None
        tree, score = found.structure, self.problem.value(found.structure)
        if score > self._best or self._best == -math.inf:
            on_ids = found.on_ids
            for _ in range(REPARSES):
                again = self.maximiser.solve(linearised(self.split, on_ids), fixings)
                if again.structure is None or np.array_equal(again.on_ids, on_ids):
                    break
                on_ids, value = again.on_ids, self.problem.value(again.structure)
                if value <= score:
                    break
                tree, score = again.structure, value
            self._best = max(self._best, score)
        return None if score == -math.inf else (tree, score)

    def certificate(self, multipliers: FloatArray) -> Certificate:
        """The multipliers, as shares of the scores."""
        shares = multipliers if self.split.shares else multipliers / self.split.scale
        return SplitMultipliers(self.split.orientation, shares, backbone=self.split.backbone, loss=self.split.loss)


class SplitRelaxation(LagrangianRelaxation[DependencyTree]):
    """`lagrangian` with a split bound; a bound below every allowed tree says that there is none.

    Parameters
    ----------
    dualized : SplitBound
    rule : StepRule, optional
    fix : bool

    Attributes
    ----------
    fixed : int
        Arcs fixed by max-marginals so far.
    """

    def __init__(self, dualized: SplitBound, *, rule: StepRule | None = None, fix: bool = True) -> None:
        super().__init__(dualized, dualized.maximiser, rule=rule, fix=fix)
        self.floor = dualized.split.floor
        self.fixed = 0

    def solve(
        self, fixings: Fixings, budget: Budget, *, incumbent: float = -math.inf, state: Any = None
    ) -> Relaxed[DependencyTree]:
        """Bound a node by descending the dual."""
        relaxed = super().solve(fixings, budget, incumbent=incumbent, state=state)
        self.fixed += sum(len(step.on) + len(step.off) for step in relaxed.tightenings)
        if relaxed.bound < self.floor - margin(self.floor):
            return attrs.evolve(relaxed, bound=-math.inf)
        return relaxed
