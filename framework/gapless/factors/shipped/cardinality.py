"""Cardinality: a score for the number of decisions that are on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.decisions.decisions import Decisions
from gapless.factors.diagrams.diagram import DecisionDiagram
from gapless.factors.shipped.fields import decisions_of, number_of, score_of, score_row, shipped


@shipped("gapless.factors.Cardinality")
@attrs.frozen(eq=False)
class Cardinality(DecisionDiagram):
    """A score for the number of decisions that are on: ``scores[k]`` for k, the last one for larger numbers, too.

    Parameters
    ----------
    decisions : sequence of int
    scores : float64 (numbers,)
        -inf forbids a number.

    Examples
    --------
    >>> from gapless.factors import Cardinality
    >>> from gapless.roles import Decisions, FactorSet
    >>> factors = FactorSet([Cardinality([0, 1, 2], [0.0, 1.0, -1.0])], Decisions(3))
    >>> factors.value([2]), factors.value([0, 1])
    (1.0, -1.0)
    """

    name: ClassVar[str] = "cardinality"
    decisions: tuple[int, ...] = attrs.field(converter=decisions_of)
    scores: FloatArray = attrs.field(converter=score_row)

    @classmethod
    def at_most(cls, decisions: Sequence[int], most: int, score: Any = -np.inf) -> Cardinality:
        """Score `score` if more than `most` are on."""
        most = number_of(most)
        return cls(decisions, np.append(np.zeros(most + 1), score_of(score)))

    @classmethod
    def at_least(cls, decisions: Sequence[int], least: int, score: Any = -np.inf) -> Cardinality:
        """Score `score` if fewer than `least` are on."""
        least = number_of(least)
        return cls(decisions, np.append(np.full(least, score_of(score)), 0.0))

    @classmethod
    def exactly(cls, decisions: Sequence[int], number: int, score: Any = -np.inf) -> Cardinality:
        """Score `score` unless exactly `number` are on."""
        number, other = number_of(number), score_of(score)
        return cls(decisions, np.concatenate([np.full(number, other), [0.0, other]]))

    def layers(self, decisions: Decisions) -> list[list[int]]:
        """Read one decision in each layer."""
        return [[d] for d in self.decisions]

    def step(self, layer: int, choice: int, states: IntArray) -> tuple[IntArray, float]:
        """Count the decisions that are on."""
        # Capped at the last score, so that a layer has no more states than there are scores.
        return (states if choice < 0 else np.minimum(states + 1, self.scores.size - 1)), 0.0

    def final(self, states: IntArray) -> FloatArray:
        """Look the score of the number up."""
        return self.scores[states]

    def guide(self, decisions: Decisions) -> FloatArray:
        """Return ones: the search then looks for one price of the number first (decision 041)."""
        return np.ones(len(self.decisions))

    def possible_values(self) -> FloatArray:
        """Return the scores."""
        return self.scores
