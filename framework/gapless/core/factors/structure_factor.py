"""A second structure over part of the decisions, as a factor: two trees over one sentence, a chain and a tree."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import attrs
import numpy as np

from gapless.core.decisions import OFF, Decisions, Fixings
from gapless.core.errors import InvalidProblem
from gapless.core.factor import ConfigurationFactor
from gapless.core.oracle import Maximiser
from gapless.core.score_array import score_array
from gapless.core.serial import is_serialisable, serialisable
from gapless.core.sparse import BoolArray, FloatArray, IntArray, int_array


def _weights(values: Any) -> FloatArray:
    array = score_array(values, "structure: weights")
    array.flags.writeable = False
    return array


@serialisable("gapless.StructureFactor")
@attrs.frozen(eq=False)
class StructureFactor(ConfigurationFactor):
    """The decisions of a scope must form a structure; it scores the weights of what is on, and its own score.

    Parameters
    ----------
    maximiser : Maximiser
        Over decisions of its own: number i is ``on_scope[i]``. It answers -inf where fixings leave no structure.
    on_scope : int64 (m,)
        Decisions of the problem, ascending.
    weights : float64 (m,), optional
        Weight of each in the second structure; by default 0.

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
    on_scope: IntArray = attrs.field(converter=int_array)
    weights: FloatArray | None = attrs.field(default=None, converter=attrs.converters.optional(_weights))

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.maximiser, Maximiser):
            raise InvalidProblem(
                f"structure: its maximiser is a {type(self.maximiser).__name__}, expected a gapless.roles.Maximiser"
            )
        if self.weights is not None and self.weights.shape != self.on_scope.shape:
            raise InvalidProblem(
                f"structure: weights have shape {self.weights.shape}, expected one for each of "
                f"{self.on_scope.size} decisions"
            )
        if self.weights is not None and not np.all(self.weights < np.inf):
            raise InvalidProblem("structure: weights must be numbers, or -inf")

    def to_fields(self) -> dict[str, Any]:
        """For JSON.

        Raises `InvalidProblem`: the maximiser's class cannot be written.
        """
        if not is_serialisable(self.maximiser):
            raise InvalidProblem(
                f"structure: its maximiser {type(self.maximiser).__qualname__} cannot be written as JSON; give the "
                "class to_fields() and decorate it with gapless.roles.serialisable, or store the problem without "
                "this "
                "factor and add it after loading"
            )
        return {"maximiser": self.maximiser, "on_scope": self.on_scope, "weights": self.weights}

    def scope(self, decisions: Decisions) -> IntArray:
        """The decisions as given."""
        return self.on_scope

    def largest_term(self, decisions: Decisions) -> float:
        """The largest weight or term of the maximiser's own."""
        weights = 0.0 if self.weights is None else float(self.weights.max(initial=0.0))
        return max(weights, self.maximiser.own_size())

    def value(self, on: BoolArray) -> float:
        """Weights and the maximiser's own score of exactly these decisions; -inf where they are no structure."""
        own = 0.0 if self.weights is None else float(self.weights[on].sum())
        if own == -math.inf:
            return own
        found = self.maximiser.solve(np.zeros(on.size), Fixings(on))
        if found.value == -math.inf or not np.array_equal(np.sort(found.on_ids), np.flatnonzero(on)):
            return -math.inf
        return own + found.own

    def best(self, weights: FloatArray) -> tuple[float, BoolArray]:
        """The maximiser's answer; decisions of weight -inf are fixed off."""
        total = weights if self.weights is None else weights + self.weights
        barred = total == -np.inf
        fixings = Fixings.none(total.size)
        if barred.any():
            state = fixings.state.copy()
            state[barred] = OFF
            fixings = Fixings(state)
        found = self.maximiser.solve(np.where(barred, 0.0, total), fixings)
        on = np.zeros(total.size, bool)
        if found.value > -math.inf:
            on[found.on_ids] = True
        return float(found.value), on
