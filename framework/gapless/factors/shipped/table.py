"""Table: a score for every combination of the choices of some groups."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.decisions.decisions import Decisions
from gapless.errors import InvalidProblem
from gapless.factors.diagrams.diagram import DecisionDiagram
from gapless.factors.shipped.fields import groups_of, scores_of, shipped


def _groups(values: Any) -> tuple[tuple[int, ...], ...]:
    groups = groups_of(values)
    if not groups:
        raise InvalidProblem("it needs the decisions of two or more groups")
    return groups


@shipped("gapless.factors.Table")
@attrs.frozen(eq=False)
class Table(DecisionDiagram):
    """A factor that scores ``scores[i, j, ...]`` if decision i of the first group is on, j of the second, ...

    If a group is no complete choice group of the problem, none of its decisions may be on: then the score is 0.

    Parameters
    ----------
    groups : sequence of sequences of int
        At most one decision of each group may be on.
    scores : float64 array
        One axis for each group; -inf forbids a combination.

    Examples
    --------
    >>> from gapless.factors import Table
    >>> from gapless.roles import Decisions, FactorSet
    >>> groups = [[0, 1], [2, 3]]  # two tokens, decisions of labels 0 and 1
    >>> factors = FactorSet([Table(groups, [[1.0, 0.0], [0.0, 3.0]])], Decisions(4, exactly_one=groups))
    >>> factors.value([0, 2]), factors.value([1, 3])
    (1.0, 3.0)
    """

    name: ClassVar[str] = "table"
    groups: tuple[tuple[int, ...], ...] = attrs.field(converter=_groups)
    scores: FloatArray = attrs.field(converter=scores_of)

    def __attrs_post_init__(self) -> None:
        if self.scores.shape != tuple(map(len, self.groups)):
            raise InvalidProblem(
                f"scores have shape {self.scores.shape}, the groups {tuple(map(len, self.groups))}"
            )

    def layers(self, decisions: Decisions) -> tuple[tuple[int, ...], ...]:
        """Return the groups."""
        return self.groups

    def step(self, layer: int, choice: int, states: IntArray) -> tuple[IntArray, float]:
        """Compute the index of the choices so far in the flat array, plus 2; 1 if a group has no choice."""
        # State 0 is the start, and 1 must differ from every index: so indices begin at 2.
        if layer == 0:
            return np.full_like(states, choice + 2 if choice >= 0 else 1), 0.0
        if choice < 0:
            return np.ones_like(states), 0.0
        return np.where(states == 1, 1, (states - 2) * len(self.groups[layer]) + choice + 2), 0.0

    def final(self, states: IntArray) -> FloatArray:
        """Look the score of the combination up."""
        return np.where(states > 1, self.scores.reshape(-1)[np.maximum(states - 2, 0)], 0.0)

    def possible_values(self) -> FloatArray:
        """Return the scores, and 0 for configurations without a choice in some group."""
        return np.append(self.scores.ravel(), 0.0)
