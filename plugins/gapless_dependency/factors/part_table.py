"""A callable made of data: the scores of listed parts."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from gapless import InvalidProblem, serialisable
from gapless.core.sparse import FloatArray, IntArray, float_array, int_array


@serialisable("gapless_dependency.PartTable")
@attrs.frozen(eq=False)
class PartTable:
    """Scores of the parts that one sentence has; stands for a scorer wherever scores are given as a callable.

    Parameters
    ----------
    positions : int64 (parts, order)
        Word positions of each part.
    scores : float64 (parts,)
    """

    positions: IntArray = attrs.field(converter=int_array)
    scores: FloatArray = attrs.field(converter=float_array)

    def __attrs_post_init__(self) -> None:
        if self.positions.ndim != 2 or self.scores.shape != self.positions.shape[:1]:
            raise InvalidProblem(
                f"PartTable: {self.scores.shape} scores do not fit positions of shape {self.positions.shape}"
            )
        if self.positions.size and self.positions.min() < 0:
            raise InvalidProblem("PartTable: a position is negative")

    def __call__(self, *positions: IntArray) -> Any:
        """Scores of the parts asked for, float64 (m,); `InvalidProblem` for a part that is not listed."""
        asked = np.stack(positions, axis=1)
        both = np.concatenate([self.positions, asked])
        _, numbers = np.unique(both, axis=0, return_inverse=True)
        numbers = numbers.ravel()
        place = np.full(len(both), -1)
        place[numbers[: len(self.positions)]] = np.arange(len(self.positions))
        found = place[numbers[len(self.positions) :]]
        if found.size and found.min() < 0:
            part = asked[int(np.argmin(found))].tolist()
            raise InvalidProblem(f"PartTable: the part {part} is not in the table")
        return self.scores[found]
