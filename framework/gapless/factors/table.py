"""Table: a score for every combination of the choices of some groups."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np

from gapless.core.decisions import Decisions
from gapless.core.diagram import Diagram
from gapless.core.errors import InvalidProblem
from gapless.core.sparse import FloatArray, IntArray
from gapless.factors.fields import groups_of, scores_of, shipped


def _groups(values: Any) -> tuple[tuple[int, ...], ...]:
    found = groups_of(values)
    if not found:
        raise InvalidProblem("it needs the decisions of two or more groups")
    return found


@shipped("gapless.factors.Table")
@attrs.frozen(eq=False)
class Table(Diagram):
    """``scores[i, j, ...]`` when decision i of the first group is on, j of the second, and so on.

    Where a group is no whole choice group of the problem, none of its decisions may be on: then nothing scores.

    Parameters
    ----------
    groups : sequence of sequences of int
        Of at most one decision that is on, each.
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
        """The groups."""
        return self.groups

    def step(self, layer: int, choice: int, states: IntArray) -> tuple[IntArray, float]:
        """The state is 2 and the place in the array of the choices so far; 1 where one is missing."""
        if layer == 0:
            return np.full_like(states, choice + 2 if choice >= 0 else 1), 0.0
        if choice < 0:
            return np.ones_like(states), 0.0
        return np.where(states == 1, 1, (states - 2) * len(self.groups[layer]) + choice + 2), 0.0

    def final(self, states: IntArray) -> FloatArray:
        """Look the combination up."""
        return np.where(states > 1, self.scores.reshape(-1)[np.maximum(states - 2, 0)], 0.0)

    def possible_values(self) -> FloatArray:
        """The scores, or nothing."""
        return np.append(self.scores.ravel(), 0.0)
