"""Direction of optimisation of a problem."""

from __future__ import annotations

import enum
import math


class Sense(enum.Enum):
    """Direction of optimisation: larger or smaller values are better.

    Examples
    --------
    >>> from gapless.roles import Sense
    >>> Sense.MINIMISE.turn(3.0), Sense.MAXIMISE.turn(3.0)
    (-3.0, 3.0)
    """

    MAXIMISE = "maximise"
    MINIMISE = "minimise"

    @property
    def sign(self) -> int:
        """``sign * value`` is the score, which gapless always maximises internally."""
        return 1 if self is Sense.MAXIMISE else -1

    @property
    def verb(self) -> str:
        """Verb for a value in a sentence: ``"score"`` or ``"cost"``."""
        return "score" if self is Sense.MAXIMISE else "cost"

    def turn(self, number: float) -> float:
        """Convert a score to a value in this sense, or a value to a score; never -0.0."""
        return self.sign * number + 0.0  # -0.0 + 0.0 is 0.0: messages and tests should not see a negative zero

    def beyond(self, bound: float) -> str:
        """Word a bound on scores as a sentence about values: ``"nothing costs less than 154"``."""
        if bound == -math.inf:
            return "nothing is feasible"
        return f"nothing {self.verb}s {'more' if self is Sense.MAXIMISE else 'less'} than {self.turn(bound):.12g}"
