"""The steps that define a decision diagram, without anything that is derived from them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.decisions.decisions import Decisions
from gapless.factors.factor import ConfigurationFactor


class DiagramSteps(ConfigurationFactor):
    """The layers, states and steps of a decision diagram, which its subclasses define.

    `gapless.roles.DecisionDiagram` derives the value, the best configuration and the layered graph from them.

    Attributes
    ----------
    start : int
        State before the first layer, at least 0.
    limit : int
        Largest number of nodes. A diagram with more is relaxed if it has `relax`, and refused otherwise.
    """

    start: int = 0
    limit: ClassVar[int] = 1_000_000

    @abstractmethod
    def layers(self, decisions: Decisions) -> Sequence[Sequence[int]]:
        """List the decisions that each layer reads, in the order in which they are read; none of them twice.

        A layer of one decision reads whether it is on. In a layer of several, at most one may be on; configurations
        with more are forbidden. If the layer has all decisions of a group of `Decisions.exactly_one`, one must be
        on.
        """

    @abstractmethod
    def step(self, layer: int, choice: int, states: IntArray) -> tuple[IntArray, FloatArray | float]:
        """Follow a choice from each state of a layer.

        Parameters
        ----------
        layer : int
            Its number, from 0.
        choice : int
            Index in the layer of the decision that is on, -1 if none is.
        states : int64 (m,)
            States before the layer, ascending.

        Returns
        -------
        next : int64 (m,)
            States after the layer, at least 0; -1 forbids.
        scores : float64 (m,), or a number for all
            At most 1e12 in size; -inf forbids.
        """

    def final(self, states: IntArray) -> FloatArray | float:
        """Score the states after the last layer, float64 (m,); -inf forbids. By default 0."""
        return 0.0

    def relax(self, layer: int, states: IntArray) -> IntArray:
        """Return coarser states, int64 (m,), for a layer with too many; those that become equal are merged.

        Every continuation of a state must be allowed after the coarser one, with at least the same score: then
        bounds stay valid. Called again while there are too many states and each call leaves fewer. By default a
        diagram is not relaxed.

        Parameters
        ----------
        layer : int
            The layer that reads next; after the last one, the number of layers.
        states : int64 (m,)
            Ascending.
        """
        raise NotImplementedError

    @property
    def can_be_relaxed(self) -> bool:
        """Whether the class defines `relax`."""
        return type(self).relax is not DiagramSteps.relax
