"""OR, at least one, at most one: factors of a state that says whether anything is on."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from gapless.core.decisions import Decisions
from gapless.core.diagram import Diagram
from gapless.core.sparse import FloatArray, IntArray
from gapless.factors.fields import decisions_of, score_of, shipped


class _Occurrence(Diagram):
    decisions: tuple[int, ...]

    def layers(self, decisions: Decisions) -> list[list[int]]:
        """Each decision."""
        return [[d] for d in self.decisions]

    def step(self, layer: int, choice: int, states: IntArray) -> tuple[IntArray, FloatArray | float]:
        """The state is 1 as soon as anything is on."""
        return (states if choice < 0 else np.ones_like(states)), 0.0


@shipped("gapless.factors.Or")
@attrs.frozen(eq=False)
class Or(_Occurrence):
    """`score` once, when one or more of the decisions are on (OR).

    Parameters
    ----------
    decisions : sequence of int
    score : float
        -inf forbids all of them.

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
        """The score if anything is on."""
        return np.array([0.0, self.score])[states]

    def possible_values(self) -> FloatArray:
        """Nothing, or the score."""
        return np.array([0.0, self.score])


@shipped("gapless.factors.AtLeastOne")
@attrs.frozen(eq=False)
class AtLeastOne(_Occurrence):
    """`score` when none of the decisions is on.

    Parameters
    ----------
    decisions : sequence of int
    score : float
        -inf by default: one has to be on.

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
        """The score if nothing is on."""
        return np.array([self.score, 0.0])[states]

    def possible_values(self) -> FloatArray:
        """Nothing, or the score."""
        return np.array([0.0, self.score])


@shipped("gapless.factors.AtMostOne")
@attrs.frozen(eq=False)
class AtMostOne(_Occurrence):
    """`score` for each decision that is on beyond the first.

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
        """Every decision after the first that is on scores."""
        if choice < 0:
            return states, 0.0
        return np.ones_like(states), np.where(states == 1, self.score, 0.0)
