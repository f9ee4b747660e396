"""One number as a score."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gapless import InvalidProblem


def single_score(name: str) -> Callable[[Any], float]:
    """Converter of a factor's only score: a finite number or -inf."""

    def convert(value: Any) -> float:
        try:
            score = float(value)
        except (TypeError, ValueError) as error:
            raise InvalidProblem(f"{name}: score is {value!r}, expected a number") from error
        if math.isnan(score) or score == math.inf:
            raise InvalidProblem(f"{name}: score is {score}; expected a number or -inf")
        return score

    return convert
