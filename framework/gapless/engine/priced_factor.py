"""A factor that is no conjunction, beside the prices that its copies of the decisions pay."""

from __future__ import annotations

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.core.decisions import OFF, ON
from gapless.core.errors import InconsistentBound
from gapless.core.factor import ConfigurationFactor, name_of
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.core.tolerance import margin
from gapless.engine.guard import guarded

FORCED = 1e300
"""A weight that no scores outweigh: a configuration without a forced decision is the best only where none has it.

Finite values below -1e299, of which no sum could keep a digit, are taken for -inf by this.
"""


@attrs.frozen(eq=False)
class PricedFactor:
    """A configuration factor and its place.

    Parameters
    ----------
    factor : ConfigurationFactor
    scope : int64 (count,)
    first : int
        Slot of its first price.
    """

    factor: ConfigurationFactor
    scope: IntArray
    first: int

    def value(self, on: BoolArray) -> float:
        """Value of a configuration, bool (count,)."""
        value = float(guarded(self.factor, self.factor.value, on))
        if math.isnan(value) or value == math.inf:
            raise InconsistentBound(f"factor {name_of(self.factor)}: value() returned {value}")
        return value

    def maximise(self, prices: FloatArray, state: NDArray[np.int8]) -> tuple[float, BoolArray]:
        """Most that a configuration is worth less its prices, and one that is; (-inf, nothing) where none is left.

        Parameters
        ----------
        prices : float64 (count,)
        state : int8 (decisions,)
            With what it implies.
        """
        own = state[self.scope]
        forced = own == ON
        if np.all(own >= 0):
            return self.value(forced) - float(prices[forced].sum()), forced
        weights = np.where(own == OFF, -math.inf, np.where(forced, FORCED, -prices))
        most, chosen = guarded(self.factor, self.factor.best, weights)
        y = np.asarray(chosen, bool)
        if most == -math.inf or not np.all(y[forced]):
            return -math.inf, y
        # What was forced hides the rest of the sum.
        best = float(most) if not forced.any() else self.value(y) - float(prices[y].sum())
        self._doubt(best, y, prices)
        return best, y

    def _doubt(self, best: float, y: BoolArray, prices: FloatArray) -> None:
        """Raise `InconsistentBound` where `best` is not what its own configuration is worth."""
        here = self.value(y) - float(prices[y].sum())
        if abs(here - best) > margin(max(float(np.abs(prices).sum()), abs(here))):
            raise InconsistentBound(
                f"factor {name_of(self.factor)}: best() promises {best:.12g} of a configuration that is worth "
                f"{here:.12g} by value()"
            )

    def gap(self, prices: FloatArray, on: BoolArray, state: NDArray[np.int8]) -> float:
        """How much the copy is worth more than the structure's own configuration."""
        best = self.maximise(prices, state)[0]
        here = self.value(on) - float(prices[on].sum())
        if here > best + margin(max(float(np.abs(prices).sum()), abs(here))):
            raise InconsistentBound(
                f"factor {name_of(self.factor)}: best() promises that no configuration is worth more than "
                f"{best:.12g}, but by value() that of a structure is worth {here:.12g}"
            )
        return max(best - here, 0.0) if math.isfinite(here) else 0.0

    def flips(self, on: BoolArray) -> FloatArray:
        """What it would change to flip each decision alone, for those that are off; 0 for those on and where forbidden."""
        here, worth = self.value(on), np.zeros(on.size)
        for place in np.flatnonzero(~on) if here > -math.inf else ():
            other = on.copy()
            other[place] = True
            there = self.value(other)
            worth[place] = there - here if there > -math.inf else 0.0
        return worth
