"""Whether every tree's score is a multiple of a problem's granularity: bounds are rounded to it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gapless import InvalidProblem
from gapless.core.factors.grid import check_grid
from gapless.core.score_array import bracketed
from gapless.core.sparse import FloatArray
from gapless.core.tolerance import off_grid
from gapless.roles import ConfigurationFactor, Factor
from gapless_dependency.factors.backbone_factor import BackboneFactor


def check_granularity(granularity: Any, scores: FloatArray, factors: Sequence[Any]) -> None:
    """Refuse a granularity that the scores of a problem are no multiples of, as far as it can be seen now.

    Conjunctions are checked where they are scored, by `gapless.ScoredFactor`. Raises `InvalidProblem`: naming the
    arc or the factor. `scores` (float64 (n + 1, n + 1)): of the arcs.
    """
    if not isinstance(granularity, float | int | np.number) or not 0 < granularity < math.inf:
        raise InvalidProblem(f"granularity is {granularity!r}, expected a positive number")
    off = np.argwhere(off_grid(scores, float(granularity)))
    if len(off):
        head, modifier = off[0].tolist()
        raise InvalidProblem(
            f"the score of the arc {head} -> {modifier} is {scores[head, modifier]}, no multiple of the "
            f"granularity {granularity:g}: bounds that are rounded to it would be wrong"
        )
    for number, factor in enumerate(factors):
        if not isinstance(factor, Factor):
            _check_values(factor, number, float(granularity))


def _check_values(factor: ConfigurationFactor | BackboneFactor, number: int, granularity: float) -> None:
    """Refuse a factor whose values may be no multiples."""
    if isinstance(factor, BackboneFactor):
        off = np.argwhere(off_grid(factor.scores, granularity))
        if len(off):
            place = tuple(off[0].tolist())
            raise InvalidProblem(
                f"factors[{number}]: {bracketed(f'{factor.name}: scores')(place)} is {factor.scores[place]}, no "
                f"multiple of the granularity {granularity:g}; leave the granularity out, or round the scores"
            )
        return
    check_grid(factor, f"factors[{number}]", granularity)
