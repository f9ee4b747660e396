"""One number as a score."""

from __future__ import annotations

import math
from typing import Any

from gapless import InvalidProblem


def single_score(value: Any) -> float:
    """A factor's only score: a finite number or -inf."""
    try:
        score = float(value)
    except (TypeError, ValueError) as error:
        raise InvalidProblem(f"a factor's score is {value!r}, expected a number") from error
    if math.isnan(score) or score == math.inf:
        raise InvalidProblem(f"a factor's score is {score}; expected a number or -inf")
    return score
