"""The check that every tree's score is a multiple of the granularity, to which bounds are rounded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gapless import InvalidProblem
from gapless.arrays.score_array import bracketed
from gapless.arrays.sparse import FloatArray
from gapless.arrays.tolerance import off_grid
from gapless.factors.granularity_check import check_grid
from gapless.roles import ConfigurationFactor, Factor
from gapless_dependency.factors.backbone_factor import BackboneFactor


def check_granularity(granularity: Any, scores: FloatArray, factors: Sequence[Any]) -> None:
    """Refuse a granularity unless the scores known so far are multiples of it.

    Conjunctions are checked where they are scored, by `gapless.roles.ScoredFactor`. Raises `InvalidProblem`: names
    the arc or the factor. `scores` (float64 (n + 1, n + 1)): of the arcs.
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
        # Scores of conjunctions may be lazy: asking for them here would defeat that.
        if not isinstance(factor, Factor):
            _check_values(factor, number, float(granularity))


def _check_values(factor: ConfigurationFactor | BackboneFactor, number: int, granularity: float) -> None:
    """Refuse a factor whose values may not be multiples."""
    if isinstance(factor, BackboneFactor):
        off = np.argwhere(off_grid(factor.scores, granularity))
        if len(off):
            index = tuple(off[0].tolist())
            raise InvalidProblem(
                f"factors[{number}]: {bracketed(f'{factor.name}: scores')(index)} is {factor.scores[index]}, no "
                f"multiple of the granularity {granularity:g}; leave the granularity out, or round the scores"
            )
        return
    check_grid(factor, f"factors[{number}]", granularity)
