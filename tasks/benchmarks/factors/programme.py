"""Spots in a programme for `split-bound`: a chain with a budget, and one diagram over free choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import attrs
import numpy as np

import gapless as gl
from benchmarks.factors.instances import Spots
from benchmarks.frame.turns import Side
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.factors import Budget
from gapless.factors.diagrams.diagram import DecisionDiagram
from gapless.roles import Decisions
from gapless_chains import ChainProblem

NO, YES = 0, 1


@attrs.frozen(eq=False)
class Programme(DecisionDiagram):
    """No two neighbours, and prices within the budget, with the worth of the spots.

    States are twice the sum of prices so far, and 1 more where the last spot was taken. The decision "yes" of a
    spot follows its decision "no".
    """

    name: ClassVar[str] = "programme"
    spots: Spots

    def layers(self, decisions: Decisions) -> Sequence[Sequence[int]]:
        """List each spot: no or yes."""
        return np.arange(2 * self.spots.worth.size).reshape(-1, 2).tolist()

    def step(self, layer: int, choice: int, states: IntArray) -> tuple[IntArray, FloatArray | float]:
        """Return the sum so far and whether the spot was taken."""
        if choice == NO:
            return states & ~1, 0.0
        following = (states & ~1) + (2 * int(self.spots.price[layer]) + 1)
        forbidden = (states & 1 == 1) | (following > 2 * self.spots.budget + 1)
        return np.where(forbidden, -1, following), float(self.spots.worth[layer])

    def possible_values(self) -> FloatArray:
        """Return the worths, of which all values are sums."""
        return self.spots.worth.astype(np.float64)


class Whole(ChainProblem):
    """Chains whose scores are whole numbers: bounds are rounded down."""

    granularity: float | None = 1.0


def with_budget(spots: Spots) -> Whole:
    """Make two labels for each spot; the chain knows the neighbours, a factor the prices."""
    n = spots.worth.size
    unary = np.stack([np.zeros(n), spots.worth.astype(np.float64)], axis=1)
    transition = np.zeros((2, 2))
    transition[YES, YES] = -np.inf
    return Whole(unary, transition, factors=[Budget(2 * np.arange(n) + YES, spots.price, spots.budget)])


def as_diagram(spots: Spots) -> Whole:
    """Make two labels for each spot, and nothing between them; one factor knows the rest."""
    n = spots.worth.size
    return Whole(np.zeros((n, 2)), np.zeros((2, 2)), factors=[Programme(spots)])


def proved(problem: Any) -> float:
    """Return the proved optimum; NaN without a proof."""
    result = gl.solve(problem, "split-bound")
    return float(result.value) if result.status is gl.Status.OPTIMAL else np.nan


AS_BACKBONE: Side[Spots, float] = Side.of(proved, with_budget)
AS_DIAGRAM: Side[Spots, float] = Side.of(proved, as_diagram)
