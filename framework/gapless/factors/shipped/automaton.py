"""Automaton: a regular language over the labels of positions, with scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.decisions.decisions import Decisions
from gapless.errors import InvalidProblem
from gapless.factors.diagrams.diagram import DecisionDiagram
from gapless.factors.shipped.fields import groups_of, number_of, scores_of, shipped


class LabelDiagram(DecisionDiagram):
    """A diagram that reads labels: a layer for each group of decisions, a choice for each label."""

    groups: tuple[tuple[int, ...], ...] | None

    def layers(self, decisions: Decisions) -> Sequence[Sequence[int]]:
        """Return the groups; by default all choice groups of the problem.

        Raises
        ------
        InvalidProblem
            A group has more decisions than there are labels.
        """
        groups = decisions.exactly_one if self.groups is None else self.groups
        if self.groups is None and sum(map(len, groups)) < decisions.count:
            raise InvalidProblem(
                f"{self.name}: it reads the choice groups of the problem one after the other, but decisions as "
                f"{decisions.name(int(np.argmin(decisions.group_index())))!r} are in none; give groups="
            )
        labels = self.labels
        for number, group in enumerate(groups):
            if labels is not None and len(group) > labels:
                raise InvalidProblem(
                    f"{self.name}: group {number} has {len(group)} decisions, but there are {labels} labels"
                )
        return groups

    @property
    def labels(self) -> int | None:
        """Number of labels; None if any number is accepted."""
        return None


def _transitions(values: Any) -> IntArray:
    array = np.asarray(values)
    if array.ndim != 2 or array.dtype.kind not in "iu" or not array.size:
        raise InvalidProblem(
            f"transitions have shape {array.shape} and dtype {array.dtype}, expected integers (states, labels)"
        )
    if not -1 <= array.min() <= array.max() < len(array):
        raise InvalidProblem(f"transitions lead to states of 0..{len(array) - 1}, or -1, which forbids")
    array = array.astype(np.int64)
    array.flags.writeable = False
    return array


@shipped("gapless.factors.Automaton")
@attrs.frozen(eq=False)
class Automaton(LabelDiagram):
    """A deterministic automaton that reads a label of each group; its transitions and its last state score.

    If a group is no complete choice group of the problem, none of its decisions may be on: the state then stays.

    Parameters
    ----------
    transitions : int64 (states, labels)
        State after a label; -1 forbids.
    scores : float64 (states, labels), optional
        Scores of the transitions; 0 by default.
    ends : float64 (states,), optional
        Scores of the last state; 0 by default, -inf if a sequence must not end in it.
    start : int
        The first state.
    groups : sequence of sequences of int, optional
        The decisions of each position, in the order of the labels; by default all choice groups of the problem.

    Examples
    --------
    >>> from gapless.factors import Automaton
    >>> from gapless.roles import Decisions, FactorSet
    >>> groups = [[0, 1], [2, 3]]  # two tokens, decisions of labels 0 and 1
    >>> once = Automaton([[0, 1], [1, -1]], groups=groups)  # label 1 once at most
    >>> factors = FactorSet([once], Decisions(4, exactly_one=groups))
    >>> factors.value([0, 3]), factors.value([1, 3])
    (0.0, -inf)
    """

    name: ClassVar[str] = "automaton"
    transitions: IntArray = attrs.field(converter=_transitions)
    scores: FloatArray | None = attrs.field(default=None, converter=attrs.converters.optional(scores_of))
    ends: FloatArray | None = attrs.field(default=None, converter=attrs.converters.optional(scores_of))
    start: int = attrs.field(default=0, converter=number_of)
    groups: tuple[tuple[int, ...], ...] | None = attrs.field(default=None, converter=groups_of)

    def __attrs_post_init__(self) -> None:
        states = len(self.transitions)
        if self.scores is not None and self.scores.shape != self.transitions.shape:
            raise InvalidProblem(f"scores have shape {self.scores.shape}, transitions {self.transitions.shape}")
        if self.ends is not None and self.ends.shape != (states,):
            raise InvalidProblem(f"scores of ends have shape {self.ends.shape}, expected ({states},)")
        if self.start >= states:
            raise InvalidProblem(f"start is {self.start}, but there are {states} states")

    @property
    def labels(self) -> int:
        """Number of labels."""
        return int(self.transitions.shape[1])

    def step(self, layer: int, choice: int, states: IntArray) -> tuple[IntArray, FloatArray | float]:
        """Follow one transition."""
        if choice < 0:  # no label at this position
            return states, 0.0
        score = 0.0 if self.scores is None else self.scores[states, choice]
        return self.transitions[states, choice], score

    def final(self, states: IntArray) -> FloatArray | float:
        """Look the scores of the last state up."""
        return 0.0 if self.ends is None else self.ends[states]
