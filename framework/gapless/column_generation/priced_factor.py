"""Configuration factor under prices of its copies of the decisions: one subproblem of a Lagrangian dual."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.arrays.tolerance import rounding, score_tolerance
from gapless.decisions.decisions import OFF, ON
from gapless.errors import InconsistentBound
from gapless.factors.error_notes import factor_name
from gapless.factors.factor import ConfigurationFactor
from gapless.tree_search.role_calls import call_role

REWARD_GROWTH, REWARD_ATTEMPTS = 16.0, 7
"""Growth of the reward of forced decisions, and the number of attempts to get them all on."""
DOMINATING_REWARD = 1e300
"""A reward that outweighs all scores: if the best configuration under it lacks a forced decision, none has all."""
REGRET_TOLERANCE = 1e-10
"""Regret, as a share of a factor's value, up to which a configuration counts as one of its best."""


class PricedFactor:
    """A configuration factor with its scope and the slots of its prices.

    Parameters
    ----------
    factor : ConfigurationFactor
    scope : int64 (count,)
    first : int
        Slot of its first price.
    guide : float64 (count,), optional
        The direction in which its prices move first.
    largest_term : float
        Largest positive term in the sum that a value may be.
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
        self._place = getattr(factor, "place", f"factor {factor_name(factor)}")
        self._best_under = getattr(factor, "best_under", None)
        self.guide = guide if guide is not None and np.any(guide) else None
        self._last: tuple[bytes, bytes, tuple[float, BoolArray]] | None = None

    def value(self, on: BoolArray) -> float:
        """Value of a configuration, bool (count,)."""
        value = float(call_role(self.factor, self.factor.value, on))
        if math.isnan(value) or value == math.inf:
            raise InconsistentBound(f"{self._place}: value() returned {value}")
        return value

    def maximise(self, prices: FloatArray, state: NDArray[np.int8]) -> tuple[float, BoolArray]:
        """Find a configuration of the largest value less its prices, and that number; -inf if none is possible.

        Parameters
        ----------
        prices : float64 (count,)
        state : int8 (decisions,)
            Fixings, with the fixings that they imply.
        """
        scope_state = state[self.scope]
        # The last result is cached: bound, gaps and regret of one step ask for the same prices.
        key = prices.tobytes(), scope_state.tobytes()
        if self._last is None or self._last[:2] != key:
            self._last = (*key, self._maximise(prices, scope_state))
        return self._last[2]

    def _maximise(self, prices: FloatArray, state: NDArray[np.int8]) -> tuple[float, BoolArray]:
        forced = state == ON
        if np.all(state >= 0):
            return self.value(forced) - float(prices[forced].sum()), forced
        weights = np.where(state == OFF, -math.inf, -prices)
        if self._best_under is not None:
            # The factor handles fixings itself, possibly by a relaxation: its value is a bound, so it is not
            # compared with the value of the configuration.
            optimum: tuple[float, BoolArray] = call_role(self.factor, self._best_under, weights, state)
            return optimum
        upper, y = self._best(weights)
        # `best` knows no fixings: rewards make it choose the decisions that are on, as far as that is possible.
        reward = 1.0 + float(np.abs(prices[state != OFF]).sum())
        for _ in range(REWARD_ATTEMPTS):
            if upper == -math.inf or np.all(y[forced]):
                break
            # All configurations with the forced decisions get the same reward: the best one of them stays the best.
            y = self._best(np.where(forced, weights + reward, weights))[1]
            reward *= REWARD_GROWTH
        else:
            if not np.all(y[forced]):
                # Such a reward absorbs all other digits, so it decides feasibility only; the optimum without a
                # reward is still a valid bound.
                allowed, y = self._best(np.where(forced, DOMINATING_REWARD, weights))
                return (upper if allowed > -math.inf and np.all(y[forced]) else -math.inf), y
        # Recomputed from the configuration: the rewards would leave their rounding in the result.
        return (self.value(y) - float(prices[y].sum()) if upper > -math.inf else upper), y

    def _best(self, weights: FloatArray) -> tuple[float, BoolArray]:
        """Call the role; raises `InconsistentBound` if its value differs from that of its configuration."""
        claimed, on = call_role(self.factor, self.factor.best, weights)
        y = np.asarray(on, bool)
        if claimed == -math.inf:
            return -math.inf, y
        value, size = self.value(y) + float(weights[y].sum()), float(np.abs(weights[y]).sum())
        noise = rounding(int(y.sum()), size, self.largest_term)
        # "not <=" instead of ">": NaN must refute the claim, too.
        if not abs(value - claimed) <= score_tolerance(max(size, abs(value))) + noise:
            raise InconsistentBound(
                f"{self._place}: best() promises {claimed:.12g}, but by value() its configuration "
                f"is worth {value:.12g}"
            )
        return float(claimed), y

    def misses(self, prices: FloatArray, on: BoolArray, state: NDArray[np.int8]) -> float:
        """Compute the regret of a structure's configuration against the best one; 0 within rounding."""
        best = self.maximise(prices, state)[0]
        value = self.value(on) - float(prices[on].sum())
        size = max(1.0, abs(best), float(np.abs(prices[on]).max(initial=0.0)))
        # A structure refutes the factor's optimum only beyond the rounding of both sums.
        if best - value < -score_tolerance(size) - rounding(on.size, on.size * size, self.largest_term):
            raise InconsistentBound(
                f"{self._place}: best() promises that no configuration is worth more than "
                f"{best:.12g}, but by value() that of a structure is worth {value:.12g}"
            )
        return best - value if best - value > REGRET_TOLERANCE * size else 0.0

    def allows_nothing(self, on: BoolArray) -> None:
        """Raise `InconsistentBound` if best() found no configuration although a structure's one is allowed."""
        value = self.value(on)
        if value > -math.inf:
            raise InconsistentBound(
                f"factor {factor_name(self.factor)}: best() promises that no configuration is allowed, but by "
                f"value() that of a structure is worth {value:.12g}"
            )

    def flips(self, on: BoolArray) -> FloatArray:
        """Compute the change by flipping each decision separately, float64 (count,); 0 if `on` is forbidden."""
        value, change = self.value(on), np.zeros(on.size)
        for index in range(on.size) if value > -math.inf else ():
            other = on.copy()
            other[index] = not other[index]
            change[index] = self.value(other) - value
        return change
