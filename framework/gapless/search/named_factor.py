"""A factor as the search calls it: results are checked, and errors name the factor, its location and the method."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gapless.arrays.score_array import LARGEST
from gapless.arrays.sparse import BoolArray, FloatArray
from gapless.errors import GaplessError, InconsistentBound, OracleError
from gapless.factors.diagrams.diagram import DecisionDiagram
from gapless.factors.factor import ConfigurationFactor


class NamedFactor:
    """A factor whose `value` and `best` are checked.

    Parameters
    ----------
    factor : ConfigurationFactor
    place : str
        Location for messages, such as ``factors[2] (budget)``; the compiled `PythonFactor` reads it as well.
    """

    def __init__(self, factor: ConfigurationFactor, place: str) -> None:
        self.factor, self.place = factor, place
        self._value, self._best = factor.value, factor.best
        self.best_under = factor.best_under if isinstance(factor, DecisionDiagram) else None

    @property
    def name(self) -> str:
        """The factor's location, for messages."""
        return self.place

    def value(self, on: BoolArray) -> float:
        """Return a finite score, or -inf."""
        try:
            raw: Any = self._value(on)
        except GaplessError:
            raise
        except Exception as error:
            raise self._raised("value", error) from error
        value = self._number("value() gave", raw)
        if not (value == -math.inf or abs(value) <= LARGEST):
            raise OracleError(
                f"{self.place}: value() gave {value}, expected a number of at most {LARGEST:g}, or -inf"
            )
        return value

    def best(self, weights: FloatArray) -> tuple[float, BoolArray]:
        """Return a bound and a configuration; -inf only if no configuration is known to be allowed."""
        try:
            raw: Any = self._best(weights)
        except GaplessError:
            raise
        except Exception as error:
            raise self._raised("best", error) from error
        try:
            claimed, on = raw
        except (TypeError, ValueError) as error:
            raise OracleError(
                f"{self.place}: best() gave {raw!r:.80}, expected a value and a configuration"
            ) from error
        bound = self._number("best() gave the value", claimed)
        if math.isnan(bound) or bound == math.inf:
            raise OracleError(f"{self.place}: best() gave the value {bound}, expected a finite number, or -inf")
        shape, kind = np.shape(on), np.asarray(on).dtype.kind
        if shape != weights.shape or kind not in "biuf":
            # Without an allowed configuration there is none to return.
            if bound == -math.inf:
                return bound, np.zeros(weights.shape, bool)
            raise OracleError(
                f"{self.place}: best() gave a configuration of shape {shape} and type {np.asarray(on).dtype}, "
                f"expected {weights.size} booleans"
            )
        y = np.asarray(on).astype(bool)
        if bound == -math.inf:
            self._check_nothing_allowed(y, weights)
        return bound, y

    def _check_nothing_allowed(self, y: BoolArray, weights: FloatArray) -> None:
        """Raise `InconsistentBound` if `best` claims -inf but returns an allowed configuration."""
        if weights[y].min(initial=0.0) > -math.inf and self.value(y) > -math.inf:
            raise InconsistentBound(
                f"{self.place}: best() says that no configuration is allowed, but by value() the one it gave is"
            )

    def _number(self, subject: str, raw: Any) -> float:
        try:
            return float(raw)
        except (TypeError, ValueError) as error:
            raise OracleError(f"{self.place}: {subject} {raw!r:.80}, expected a number") from error

    def _raised(self, call: str, error: Exception) -> OracleError:
        return OracleError(f"{self.place}: {call}() raised {type(error).__name__}: {error}")
