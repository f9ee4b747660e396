"""A node is propagated before it is bounded, and enumerated once little of it is left."""

from __future__ import annotations

import math
from typing import Any

import attrs
import numpy as np

from gapless.core.tolerance import meets
from gapless.roles import Budget, Fixings, Relaxation, Relaxed, Tightening
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_splitbound.enumerated import EnumeratedTrees
from gapless_splitbound.enumeration import best_tree, choices_left
from gapless_splitbound.forbidden_configurations import ForbiddenConfigurations
from gapless_splitbound.propagation import Propagation


class EndGame(Relaxation[DependencyTree]):
    """Another relaxation, between what ends a search that its bounds alone do not end.

    Before: arcs that a configuration factor forbids are fixed off, until nothing changes. After: a node that is
    still open and has few choices of heads left is closed by looking at all its trees.

    Parameters
    ----------
    choices : int
        Enumerate up to so many; 0 for never.

    Attributes
    ----------
    enumerated : int
        Nodes closed by looking at all their trees.
    """

    def __init__(self, inner: Relaxation[DependencyTree], problem: ParsingProblem, choices: int) -> None:
        self.inner, self.problem, self.choices = inner, problem, choices
        self.propagation = Propagation(problem)
        self.enumerated = 0

    def solve(
        self, fixings: Fixings, budget: Budget, *, incumbent: float = -math.inf, state: Any = None
    ) -> Relaxed[DependencyTree]:
        """Propagate, bound, enumerate."""
        steps, narrowed = self._propagate(fixings)
        if narrowed is None:
            return Relaxed(-math.inf, tightenings=steps, certificate=ForbiddenConfigurations())
        relaxed = self.inner.solve(narrowed, budget, incumbent=incumbent, state=state)
        relaxed = attrs.evolve(relaxed, tightenings=(*steps, *relaxed.tightenings))
        known = incumbent
        if relaxed.structure is not None:
            known = max(known, self.problem.value(relaxed.structure))
        if relaxed.bound <= known or meets(relaxed.bound, known) or budget.spent() is not None:
            return relaxed
        return self._enumerate(fixings, relaxed, known)

    def _propagate(self, fixings: Fixings) -> tuple[tuple[Tightening, ...], Fixings | None]:
        """The steps, and the fixings after them; None when nothing is left."""
        steps: list[Tightening] = []
        if not self.problem.configurations:
            return (), fixings
        while True:
            implied = fixings.implied(self.problem.decisions)
            off = None if implied is None else self.propagation.forbidden(implied.state.astype(np.int64))
            if off is None:
                return tuple(steps), None
            if not off.size:
                return tuple(steps), fixings
            steps.append(Tightening((), tuple(off), ForbiddenConfigurations()))
            tighter = fixings.fix(off=off)
            if tighter is None:
                return tuple(steps), None
            fixings = tighter

    def _enumerate(
        self, fixings: Fixings, relaxed: Relaxed[DependencyTree], known: float
    ) -> Relaxed[DependencyTree]:
        narrowed: Fixings | None = fixings
        for step in relaxed.tightenings:
            narrowed = None if narrowed is None else narrowed.fix(step.on, step.off)
        implied = None if narrowed is None else narrowed.implied(self.problem.decisions)
        if implied is None or choices_left(self.problem.decisions, implied.state.astype(np.int64)) > self.choices:
            return relaxed
        self.enumerated += 1
        found = best_tree(self.problem, implied.state.astype(np.int64))
        # What the tightenings exclude is not among these trees.
        bound = min(relaxed.bound, max(found.bound, relaxed.excluded))
        better = found.tree is not None and found.bound > known
        structure = found.tree if better else relaxed.structure
        return attrs.evolve(relaxed, bound=bound, structure=structure, certificate=EnumeratedTrees())
