"""A second structure over some of the decisions, as a factor: two trees over one sentence, a chain and a tree."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import attrs
import numpy as np

from gapless.arrays.score_array import score_array
from gapless.arrays.serial import is_serialisable, serialisable
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray, int_array
from gapless.decisions.decisions import FREE, OFF, Decisions, Fixings
from gapless.errors import InvalidProblem
from gapless.factors.factor import ConfigurationFactor
from gapless.oracles.maximiser import Maximiser


def _weights(values: Any) -> FloatArray:
    array = score_array(values, "structure: weights")
    array.flags.writeable = False
    return array


@serialisable("gapless.StructureFactor")
@attrs.frozen(eq=False)
class StructureFactor(ConfigurationFactor):
    """A factor whose decisions must form a structure, which scores its weights and its internal score.

    Parameters
    ----------
    maximiser : Maximiser
        Its decision i is the problem's ``scope_ids[i]``. It returns -inf if fixings leave no structure.
    scope_ids : int64 (m,)
        Decisions of the problem, ascending.
    weights : float64 (m,), optional
        Weight of each decision in the second structure; by default 0.

    Examples
    --------
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> from gapless.roles import StructureFactor
    >>> factor = StructureFactor(problem.backbone().maximiser, [0, 1, 2, 3])
    >>> factor.scope(problem.decisions)
    array([0, 1, 2, 3])
    """

    name: ClassVar[str] = "structure"
    maximiser: Maximiser[Any]
    scope_ids: IntArray = attrs.field(converter=int_array)
    weights: FloatArray | None = attrs.field(default=None, converter=attrs.converters.optional(_weights))

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.maximiser, Maximiser):
            raise InvalidProblem(
                f"structure: its maximiser is a {type(self.maximiser).__name__}, expected a gapless.roles.Maximiser"
            )
        if self.weights is not None and self.weights.shape != self.scope_ids.shape:
            raise InvalidProblem(
                f"structure: weights have shape {self.weights.shape}, expected one for each of "
                f"{self.scope_ids.size} decisions"
            )
        if self.weights is not None and not np.all(self.weights < np.inf):
            raise InvalidProblem("structure: weights must be numbers, or -inf")

    def to_fields(self) -> dict[str, Any]:
        """Return the fields for JSON.

        Raises `InvalidProblem`: the maximiser's class cannot be written.
        """
        if not is_serialisable(self.maximiser):
            raise InvalidProblem(
                f"structure: its maximiser {type(self.maximiser).__qualname__} cannot be written as JSON; give the "
                "class to_fields() and decorate it with gapless.roles.serialisable, or store the problem "
                "without this factor and add it after loading"
            )
        return {"maximiser": self.maximiser, "scope_ids": self.scope_ids, "weights": self.weights}

    def scope(self, decisions: Decisions) -> IntArray:
        """Return the decisions as given."""
        return self.scope_ids

    def largest_term(self, decisions: Decisions) -> float:
        """Return the largest weight, or the maximiser's internal score limit if that is larger."""
        weights = 0.0 if self.weights is None else float(self.weights.max(initial=0.0))
        return max(weights, self.maximiser.internal_score_limit())

    def value(self, on: BoolArray) -> float:
        """Add the weights and the internal score of exactly these decisions; -inf if they are no structure."""
        weight = 0.0 if self.weights is None else float(self.weights[on].sum())
        if weight == -math.inf:
            return weight
        # With every decision fixed, the maximiser says whether they are a structure, and how it scores.
        optimum = self.maximiser.solve(np.zeros(on.size), Fixings(on))
        if optimum.value == -math.inf or not np.array_equal(np.sort(optimum.on_ids), np.flatnonzero(on)):
            return -math.inf
        return weight + optimum.internal_score

    def best(self, weights: FloatArray) -> tuple[float, BoolArray]:
        """Call the maximiser, with decisions of weight -inf fixed off."""
        total = weights if self.weights is None else weights + self.weights
        forbidden = total == -np.inf
        fixings = Fixings(np.where(forbidden, OFF, FREE))
        optimum = self.maximiser.solve(np.where(forbidden, 0.0, total), fixings)
        on = np.zeros(total.size, bool)
        if optimum.value > -math.inf:
            on[optimum.on_ids] = True
        return float(optimum.value), on
