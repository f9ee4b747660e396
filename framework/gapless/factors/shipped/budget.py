"""Budget: a limit on the weight of the decisions that are on."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, ClassVar

import attrs
import numpy as np

from gapless.arrays.score_array import LARGEST, score_array
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.decisions.decisions import Decisions
from gapless.errors import InvalidProblem
from gapless.factors.diagrams.diagram import DecisionDiagram
from gapless.factors.diagrams.diagram_layout import DiagramLayout
from gapless.factors.diagrams.layered_graph import LayeredGraph
from gapless.factors.diagrams.weighted_sum_graph import weighted_sum_graph
from gapless.factors.shipped.fields import decisions_of, shipped

SLACK = 1e-9
"""Share of the limit by which sums of fractions may exceed it: 0.1 + 0.2 is more than 0.3 in float64."""


def _weights(values: Any) -> FloatArray:
    array = score_array(values, "weights")
    if array.ndim != 1 or np.any(~((array >= 0) & (array <= LARGEST))):
        raise InvalidProblem(f"weights must be a sequence of numbers from 0 to {LARGEST:g}")
    array.flags.writeable = False
    return array


def _most(value: Any) -> float:
    array = score_array(value, "limits")
    if array.ndim or not 0 <= array <= LARGEST:
        raise InvalidProblem(f"the limit is {value!r:.80}, expected a number from 0 to {LARGEST:g}")
    return float(array)


def _penalty(value: Any) -> float:
    array = score_array(value, "penalties")
    if array.ndim or not (0 <= array <= LARGEST or array == math.inf):
        raise InvalidProblem(f"the penalty is {value!r:.80}, expected a number of at least 0, or infinity")
    return float(array)


@shipped("gapless.factors.Budget")
@attrs.frozen(eq=False)
class Budget(DecisionDiagram):
    """A limit of `most` on the sum of the weights of decisions that are on; each unit beyond it costs the penalty.

    States are sums: whole weights, or multiples of one unit, make small diagrams. A diagram that is too large is
    relaxed: sums are rounded down to fewer states, and the bounds allow a little more than the budget.

    Parameters
    ----------
    decisions : sequence of int
    weights : float64 (decisions,)
        At least 0.
    most : float
        At least 0. Sums of fractions may exceed it by a share of 1e-9, for rounding.
    penalty : float
        At least 0; infinite by default, which forbids.

    Raises
    ------
    InvalidProblem
        A number is negative or none, or there is not one weight for each decision.

    Examples
    --------
    >>> from gapless.factors import Budget
    >>> from gapless.roles import Decisions, FactorSet
    >>> factors = FactorSet([Budget([0, 1, 2], [2, 3, 4], 5, penalty=10.0)], Decisions(3))
    >>> factors.value([0, 1]), factors.value([1, 2])
    (0.0, -20.0)
    """

    name: ClassVar[str] = "budget"
    decisions: tuple[int, ...] = attrs.field(converter=decisions_of)
    weights: FloatArray = attrs.field(converter=_weights)
    most: float = attrs.field(converter=_most)
    penalty: float = attrs.field(default=math.inf, converter=_penalty)

    def __attrs_post_init__(self) -> None:
        if len(self.weights) != len(self.decisions):
            raise InvalidProblem(f"{len(self.weights)} weights for {len(self.decisions)} decisions")

    def layers(self, decisions: Decisions) -> list[list[int]]:
        """Read one decision in each layer."""
        return [[d] for d in self.decisions]

    def step(self, layer: int, choice: int, states: IntArray) -> tuple[IntArray, float]:
        """Add the weight to the sum so far."""
        if choice < 0:
            return states, 0.0
        sums = self._sums(states) + self.weights[layer]
        following = self._states(sums)
        return (following if self.penalty < math.inf else np.where(sums <= self._limit, following, -1)), 0.0

    def final(self, states: IntArray) -> FloatArray | float:
        """Charge the penalty."""
        over = np.maximum(self._sums(states) - self.most, 0.0)
        return -self.penalty * over if self.penalty < math.inf else 0.0

    def possible_values(self) -> FloatArray:
        """Return 0, or with a finite penalty the costs of each weight and the budget, of which values are sums."""
        if self.penalty == math.inf:
            return np.zeros(1)
        return self.penalty * np.append(self.weights, self.most)

    def guide(self, decisions: Decisions) -> FloatArray:
        """Return the weights: the search then looks for one price of the budget first (decision 041)."""
        return self._ascending

    def value(self, on: BoolArray) -> float:
        """Compute the penalty; -inf if the sum is forbidden."""
        # Sums of whole weights are exact in any order; others must be added as in the steps.
        if not self._whole or np.shape(on) != self.weights.shape:
            return super().value(on)
        total = float(self._ascending[np.asarray(on, bool)].sum())
        return 0.0 if total <= self.most else -self.penalty * (total - self.most)

    def relax(self, layer: int, states: IntArray) -> IntArray:
        """Round sums down, to about half as many."""
        sums = self._sums(states)
        unit = sums.max() / max(1, states.size // 2)
        if self._whole:
            unit = max(2.0, np.ceil(unit))  # a unit of 1 would change nothing
        # Down, because a smaller sum allows and scores at least as much: bounds stay valid.
        return self._states(np.floor(sums / unit) * unit) if unit > 0 else states

    def written_graph(self, layout: DiagramLayout) -> LayeredGraph | None:
        """Build the graph of a hard limit on whole weights: states are multiples of one unit, up to the limit."""
        if not self._whole or self.penalty < math.inf or not self.decisions:
            return None
        weights = self.weights.astype(np.int64)
        unit = max(1, int(np.gcd.reduce(weights)))
        return weighted_sum_graph(weights // unit, math.floor(self.most / unit), layout, self.limit)

    @cached_property
    def _ascending(self) -> FloatArray:
        """Weights in the order of the decisions' ids, which is that of the scope."""
        return self.weights[np.argsort(self.decisions)]

    @cached_property
    def _whole(self) -> bool:
        return bool(np.all(self.weights == np.rint(self.weights)))

    @property
    def _limit(self) -> float:
        return self.most if self._whole else self.most * (1 + SLACK)

    def _sums(self, states: IntArray) -> FloatArray:
        return states.astype(np.float64) if self._whole else states.view(np.float64)

    def _states(self, sums: FloatArray) -> IntArray:
        """Convert sums to states: whole sums as they are, others by their bits, which are in the same order."""
        return sums.astype(np.int64) if self._whole else sums.view(np.int64)
