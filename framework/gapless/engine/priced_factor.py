"""A factor that is no conjunction, beside the prices that its copies of the decisions pay."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gapless.core.decisions import OFF, ON
from gapless.core.errors import InconsistentBound
from gapless.core.factor import ConfigurationFactor, name_of
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.core.tolerance import margin, rounding
from gapless.engine.guard import guarded

FORCED, TRIES = 16.0, 7
"""The reward of forced decisions grows by this, so often, until the best configuration holds all of them."""
CERTAIN = 1e300
"""A reward that no scores outweigh: if the best configuration under it lacks a forced decision, none holds all."""
AGREES = 1e-10
"""Share of a factor's value that a structure may miss to count as one of its best configurations."""


class PricedFactor:
    """A configuration factor and its place.

    Parameters
    ----------
    factor : ConfigurationFactor
    scope : int64 (count,)
    first : int
        Slot of its first price.
    guide : float64 (count,), optional
        The direction in which its prices move first.
    largest_term : float
        The largest positive number that a value may sum.
    """

    def __init__(
        self,
        factor: ConfigurationFactor,
        scope: IntArray,
        first: int,
        guide: FloatArray | None = None,
        largest_term: float = 0.0,
    ) -> None:
        self.factor, self.scope, self.first, self.largest_term = factor, scope, first, largest_term
        self._place = getattr(factor, "place", f"factor {name_of(factor)}")
        self._best_under = getattr(factor, "best_under", None)
        self.guide = guide if guide is not None and np.any(guide) else None
        self._last: tuple[bytes, bytes, tuple[float, BoolArray]] | None = None

    def value(self, on: BoolArray) -> float:
        """Value of a configuration, bool (count,)."""
        value = float(guarded(self.factor, self.factor.value, on))
        if math.isnan(value) or value == math.inf:
            raise InconsistentBound(f"{self._place}: value() returned {value}")
        return value

    def maximise(self, prices: FloatArray, state: NDArray[np.int8]) -> tuple[float, BoolArray]:
        """Most that a configuration is worth less its prices, and one that is; -inf where none is left.

        The last answer is remembered.

        Parameters
        ----------
        prices : float64 (count,)
        state : int8 (decisions,)
            With what it implies.
        """
        own = state[self.scope]
        asked = prices.tobytes(), own.tobytes()
        if self._last is None or self._last[:2] != asked:
            self._last = (*asked, self._maximise(prices, own))
        return self._last[2]

    def _maximise(self, prices: FloatArray, state: NDArray[np.int8]) -> tuple[float, BoolArray]:
        forced = state == ON
        if np.all(state >= 0):
            return self.value(forced) - float(prices[forced].sum()), forced
        weights = np.where(state == OFF, -math.inf, -prices)
        if self._best_under is not None:  # it may be relaxed: then no configuration need be worth what is promised
            found: tuple[float, BoolArray] = guarded(self.factor, self._best_under, weights, state)
            return found
        most, y = self._best(weights)
        reward = 1.0 + float(np.abs(prices[state != OFF]).sum())
        for _ in range(TRIES):
            if most == -math.inf or np.all(y[forced]):
                break
            # Then no other configuration that holds them is better.
            y = self._best(np.where(forced, weights + reward, weights))[1]
            reward *= FORCED
        else:
            if not np.all(y[forced]):  # such a reward hides all else: what is promised without it stays true
                allowed, y = self._best(np.where(forced, CERTAIN, weights))
                return (most if allowed > -math.inf and np.all(y[forced]) else -math.inf), y
        return (self.value(y) - float(prices[y].sum()) if most > -math.inf else most), y

    def _best(self, weights: FloatArray) -> tuple[float, BoolArray]:
        """The role's answer; raises `InconsistentBound` where its value is not what its configuration is worth."""
        promised, on = guarded(self.factor, self.factor.best, weights)
        y = np.asarray(on, bool)
        if promised == -math.inf:
            return -math.inf, y
        here, size = self.value(y) + float(weights[y].sum()), float(np.abs(weights[y]).sum())
        lost = rounding(int(y.sum()), size, self.largest_term)
        if not abs(here - promised) <= margin(max(size, abs(here))) + lost:
            raise InconsistentBound(
                f"{self._place}: best() promises {promised:.12g}, but by value() its configuration "
                f"is worth {here:.12g}"
            )
        return float(promised), y

    def misses(self, prices: FloatArray, on: BoolArray, state: NDArray[np.int8]) -> float:
        """Loss of a structure's configuration against the best one; 0 where that is rounding."""
        best = self.maximise(prices, state)[0]
        here = self.value(on) - float(prices[on].sum())
        size = max(1.0, abs(best), float(np.abs(prices[on]).max(initial=0.0)))
        if best - here < -margin(size) - rounding(on.size, on.size * size, self.largest_term):
            raise InconsistentBound(
                f"{self._place}: best() promises that no configuration is worth more than "
                f"{best:.12g}, but by value() that of a structure is worth {here:.12g}"
            )
        return best - here if best - here > AGREES * size else 0.0

    def allows_nothing(self, on: BoolArray) -> None:
        """Refuse that nothing is allowed where a structure's configuration is: raises `InconsistentBound`."""
        here = self.value(on)
        if here > -math.inf:
            raise InconsistentBound(
                f"factor {name_of(self.factor)}: best() promises that no configuration is allowed, but by value() "
                f"that of a structure is worth {here:.12g}"
            )

    def flips(self, on: BoolArray) -> FloatArray:
        """Change by flipping each decision alone, float64 (count,); 0 where `on` is forbidden."""
        here, change = self.value(on), np.zeros(on.size)
        for place in range(on.size) if here > -math.inf else ():
            other = on.copy()
            other[place] = not other[place]
            change[place] = self.value(other) - here
        return change
