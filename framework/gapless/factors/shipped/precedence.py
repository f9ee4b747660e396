"""Precedence: one label before another."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.factors.shipped.automaton import LabelDiagram
from gapless.factors.shipped.fields import groups_of, number_of, score_of, shipped


@shipped("gapless.factors.Precedence")
@attrs.frozen(eq=False)
class Precedence(LabelDiagram):
    """A factor that scores `score` for each position with the label `then` before any with the label `first`.

    Parameters
    ----------
    first, then : int
        Labels: indices in the groups.
    score : float
        -inf by default, which forbids.
    groups : sequence of sequences of int, optional
        The decisions of each position, in the order of the labels; by default all choice groups of the problem.

    Examples
    --------
    >>> from gapless.factors import Precedence
    >>> from gapless.roles import Decisions, FactorSet
    >>> groups = [[0, 1], [2, 3]]  # two tokens, decisions of labels 0 and 1
    >>> factors = FactorSet([Precedence(0, 1, -1.0, groups=groups)], Decisions(4, exactly_one=groups))
    >>> factors.value([0, 3]), factors.value([1, 3])
    (0.0, -2.0)
    """

    name: ClassVar[str] = "precedence"
    first: int = attrs.field(converter=number_of)
    then: int = attrs.field(converter=number_of)
    score: float = attrs.field(default=-np.inf, converter=score_of)
    groups: tuple[tuple[int, ...], ...] | None = attrs.field(default=None, converter=groups_of)

    def step(self, layer: int, choice: int, states: IntArray) -> tuple[IntArray, FloatArray | float]:
        """Set the state to 1 once the label `first` was read; until then, the label `then` scores."""
        score = np.where(states == 0, self.score, 0.0) if choice == self.then else 0.0
        return (np.ones_like(states) if choice == self.first else states), score
