"""Arcs that no allowed configuration of a factor holds: propagation of scores of -inf."""

from __future__ import annotations

import numpy as np

from gapless.core.decisions import FREE, OFF, ON
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.roles import ConfigurationFactor
from gapless_dependency import ParsingProblem

FORCED = 1e300
"""A weight that no scores outweigh: a configuration without a forced arc is the best only where none has it.

Finite scores below -1e299, of which no tree's value could keep a digit, are taken for -inf by this.
"""


class Propagation:
    """Arcs that the configuration factors of a problem forbid under fixings; answers are remembered.

    Bounds alone cannot see that a factor allows nothing: beside such factors there is no floor under the scores
    of allowed trees, so a bound never becomes -inf by descent.
    """

    def __init__(self, problem: ParsingProblem) -> None:
        self.configurations = problem.configurations
        self._known: dict[tuple[int, bytes], IntArray | None] = {}

    def forbidden(self, state: IntArray) -> IntArray | None:
        """Free arcs that some factor forbids; None when a factor allows nothing at all.

        `state` (integers (arcs,)): with what it implies.
        """
        found = [np.zeros(0, np.int64)]
        for number, (factor, scope) in enumerate(self.configurations):
            own = state[scope].astype(np.int8)
            key = number, own.tobytes()
            if key not in self._known:
                self._known[key] = _forbidden(factor, own.astype(np.int64))
            places = self._known[key]
            if places is None:
                return None
            found.append(scope[places])
        return np.unique(np.concatenate(found))


def _forbidden(factor: ConfigurationFactor, state: IntArray) -> IntArray | None:
    weights = np.where(state == OFF, -np.inf, np.where(state == ON, FORCED, 0.0))
    if not _allows(factor, weights, state == ON):
        return None
    places = []
    for place in np.flatnonzero(state == FREE):
        forced = weights.copy()
        forced[place] = FORCED
        if not _allows(factor, forced, forced == FORCED):
            places.append(place)
    return np.array(places, np.int64)


def _allows(factor: ConfigurationFactor, weights: FloatArray, forced: BoolArray) -> bool:
    value, on = factor.best(weights)
    return bool(value != -np.inf and np.all(np.asarray(on, bool)[forced]))
