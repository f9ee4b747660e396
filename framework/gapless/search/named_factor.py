"""A factor as the search calls it: answers are checked, and errors name the factor, its place and the method."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gapless.core.diagram import Diagram
from gapless.core.errors import GaplessError, InconsistentBound, OracleError
from gapless.core.factor import ConfigurationFactor
from gapless.core.score_array import LARGEST
from gapless.core.sparse import BoolArray, FloatArray


class NamedFactor:
    """The `value` and `best` of a factor.

    Parameters
    ----------
    factor : ConfigurationFactor
    place : str
        For messages: ``factors[2] (budget)``.
    """

    def __init__(self, factor: ConfigurationFactor, place: str) -> None:
        self.factor, self.place = factor, place
        self._value, self._best = factor.value, factor.best
        self.best_under = factor.best_under if isinstance(factor, Diagram) else None

    @property
    def name(self) -> str:
        """The place."""
        return self.place

    def value(self, on: BoolArray) -> float:
        """A finite score, or -inf."""
        try:
            given: Any = self._value(on)
        except GaplessError:
            raise
        except Exception as error:
            raise self._raised("value", error) from error
        value = self._number("value() gave", given)
        if not (value == -math.inf or abs(value) <= LARGEST):
            raise OracleError(
                f"{self.place}: value() gave {value}, expected a number of at most {LARGEST:g}, or -inf"
            )
        return value

    def best(self, weights: FloatArray) -> tuple[float, BoolArray]:
        """A number and a configuration; minus infinity only where no known configuration is allowed."""
        try:
            given: Any = self._best(weights)
        except GaplessError:
            raise
        except Exception as error:
            raise self._raised("best", error) from error
        try:
            promised, on = given
        except (TypeError, ValueError) as error:
            raise OracleError(
                f"{self.place}: best() gave {given!r:.80}, expected a value and a configuration"
            ) from error
        most = self._number("best() gave the value", promised)
        if math.isnan(most) or most == math.inf:
            raise OracleError(f"{self.place}: best() gave the value {most}, expected a finite number, or -inf")
        shape, kind = np.shape(on), np.asarray(on).dtype.kind
        if shape != weights.shape or kind not in "biuf":
            if most == -math.inf:
                return most, np.zeros(weights.shape, bool)
            raise OracleError(
                f"{self.place}: best() gave a configuration of shape {shape} and type {np.asarray(on).dtype}, "
                f"expected {weights.size} booleans"
            )
        y = np.asarray(on).astype(bool)
        if most == -math.inf:
            self._check_nothing(y, weights)
        return most, y

    def _check_nothing(self, y: BoolArray, weights: FloatArray) -> None:
        """Raises `InconsistentBound`: `best` says that nothing is allowed, and names a configuration that is."""
        if weights[y].min(initial=0.0) > -math.inf and self.value(y) > -math.inf:
            raise InconsistentBound(
                f"{self.place}: best() says that no configuration is allowed, but by value() the one it gave is"
            )

    def _number(self, what: str, given: Any) -> float:
        try:
            return float(given)
        except (TypeError, ValueError) as error:
            raise OracleError(f"{self.place}: {what} {given!r:.80}, expected a number") from error

    def _raised(self, call: str, error: Exception) -> OracleError:
        return OracleError(f"{self.place}: {call}() raised {type(error).__name__}: {error}")
