"""Segment lengths: scores for the lengths of runs of a label."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.factors.shipped.automaton import LabelDiagram
from gapless.factors.shipped.fields import groups_of, number_of, score_row, shipped


@shipped("gapless.factors.SegmentLengths")
@attrs.frozen(eq=False)
class SegmentLengths(LabelDiagram):
    """A factor that scores ``scores[k - 1]`` for each maximal run of k positions with a label.

    Parameters
    ----------
    label : int
        Index in the groups.
    scores : float64 (lengths,)
        Scores of runs of length 1, 2, ...; the last one is for all longer runs, too. -inf forbids a length.
    groups : sequence of sequences of int, optional
        The decisions of each position, in the order of the labels; by default all choice groups of the problem.

    Examples
    --------
    >>> from gapless.factors import SegmentLengths
    >>> from gapless.roles import Decisions, FactorSet
    >>> groups = [[0, 1], [2, 3]]  # two tokens, decisions of labels 0 and 1
    >>> factors = FactorSet([SegmentLengths(0, [1.0, -2.0], groups=groups)], Decisions(4, exactly_one=groups))
    >>> factors.value([0, 3]), factors.value([0, 2])
    (1.0, -2.0)
    """

    name: ClassVar[str] = "segment-lengths"
    label: int = attrs.field(converter=number_of)
    scores: FloatArray = attrs.field(converter=score_row)
    groups: tuple[tuple[int, ...], ...] | None = attrs.field(default=None, converter=groups_of)

    def step(self, layer: int, choice: int, states: IntArray) -> tuple[IntArray, FloatArray | float]:
        """Count the length of the current run, which scores when it ends."""
        if choice == self.label:
            # Capped: all longer runs score the same, so they can share a state.
            return np.minimum(states + 1, self.scores.size), 0.0
        return np.zeros_like(states), self.final(states)

    def final(self, states: IntArray) -> FloatArray:
        """Score a run that lasts to the end."""
        return np.append(0.0, self.scores)[states]  # state 0: no run
