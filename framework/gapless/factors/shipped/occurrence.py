"""OR, at least one, at most one: factors whose state is whether any decision is on."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.decisions.decisions import Decisions
from gapless.factors.diagrams.diagram import DecisionDiagram
from gapless.factors.shipped.fields import decisions_of, score_of, shipped


class _Occurrence(DecisionDiagram):
    decisions: tuple[int, ...]

    def layers(self, decisions: Decisions) -> list[list[int]]:
        """Read one decision in each layer."""
        return [[d] for d in self.decisions]

    def step(self, layer: int, choice: int, states: IntArray) -> tuple[IntArray, FloatArray | float]:
        """Set the state to 1 once a decision is on."""
        return (states if choice < 0 else np.ones_like(states)), 0.0


@shipped("gapless.factors.Or")
@attrs.frozen(eq=False)
class Or(_Occurrence):
    """A factor that scores `score` once if one or more of the decisions are on (OR).

    Parameters
    ----------
    decisions : sequence of int
    score : float
        -inf forbids all of the decisions.

    Examples
    --------
    >>> from gapless.factors import Or
    >>> from gapless.roles import Decisions, FactorSet
    >>> factors = FactorSet([Or([0, 1], 2.0)], Decisions(2))
    >>> factors.value([]), factors.value([0]), factors.value([0, 1])
    (0.0, 2.0, 2.0)
    """

    name: ClassVar[str] = "or"
    decisions: tuple[int, ...] = attrs.field(converter=decisions_of)
    score: float = attrs.field(converter=score_of)

    def final(self, states: IntArray) -> FloatArray:
        """Score `score` if a decision is on."""
        return np.array([0.0, self.score])[states]

    def possible_values(self) -> FloatArray:
        """Return 0 and the score."""
        return np.array([0.0, self.score])


@shipped("gapless.factors.AtLeastOne")
@attrs.frozen(eq=False)
class AtLeastOne(_Occurrence):
    """A factor that scores `score` if none of the decisions is on.

    Parameters
    ----------
    decisions : sequence of int
    score : float
        -inf by default: one of them must be on.

    Examples
    --------
    >>> from gapless.factors import AtLeastOne
    >>> from gapless.roles import Decisions, FactorSet
    >>> factors = FactorSet([AtLeastOne([0, 1], -2.0)], Decisions(2))
    >>> factors.value([]), factors.value([1])
    (-2.0, 0.0)
    """

    name: ClassVar[str] = "at-least-one"
    decisions: tuple[int, ...] = attrs.field(converter=decisions_of)
    score: float = attrs.field(default=-np.inf, converter=score_of)

    def final(self, states: IntArray) -> FloatArray:
        """Score `score` if no decision is on."""
        return np.array([self.score, 0.0])[states]

    def possible_values(self) -> FloatArray:
        """Return 0 and the score."""
        return np.array([0.0, self.score])


@shipped("gapless.factors.AtMostOne")
@attrs.frozen(eq=False)
class AtMostOne(_Occurrence):
    """A factor that scores `score` for each decision that is on beyond the first.

    Parameters
    ----------
    decisions : sequence of int
    score : float
        -inf by default: no second one may be on.

    Examples
    --------
    >>> from gapless.factors import AtMostOne
    >>> from gapless.roles import Decisions, FactorSet
    >>> factors = FactorSet([AtMostOne([0, 1, 2], -1.5)], Decisions(3))
    >>> factors.value([0]), factors.value([0, 1, 2])
    (0.0, -3.0)
    """

    name: ClassVar[str] = "at-most-one"
    decisions: tuple[int, ...] = attrs.field(converter=decisions_of)
    score: float = attrs.field(default=-np.inf, converter=score_of)

    def step(self, layer: int, choice: int, states: IntArray) -> tuple[IntArray, FloatArray | float]:
        """Score each decision that is on, except the first."""
        if choice < 0:
            return states, 0.0
        return np.ones_like(states), np.where(states == 1, self.score, 0.0)
