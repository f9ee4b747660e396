"""A callable made of data: the scores of listed parts."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from gapless import InvalidProblem
from gapless.core.sparse import BoolArray, FloatArray, IntArray, float_array, int_array
from gapless.roles import serialisable


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
    _dims: tuple[int, ...] = attrs.field(init=False, repr=False)
    _keys: IntArray = attrs.field(init=False, repr=False)
    _order: IntArray = attrs.field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        if self.positions.ndim != 2 or self.scores.shape != self.positions.shape[:1]:
            raise InvalidProblem(
                f"PartTable: {self.scores.shape} scores do not fit positions of shape {self.positions.shape}"
            )
        if self.positions.size and self.positions.min() < 0:
            raise InvalidProblem("PartTable: a position is negative")
        if not self.positions.shape[1]:
            raise InvalidProblem("PartTable: a part has no positions")
        dims = tuple((self.positions.max(axis=0, initial=0) + 1).tolist())
        try:
            keys = np.ravel_multi_index(tuple(self.positions.T), dims)
        except ValueError as error:
            raise InvalidProblem(f"PartTable: positions up to {max(dims) - 1} are in no sentence") from error
        order = np.argsort(keys, kind="stable")
        repeated = np.flatnonzero(np.diff(keys[order]) == 0)
        if repeated.size:
            part = self.positions[order[repeated[0]]].tolist()
            raise InvalidProblem(f"PartTable: the part {part} is listed twice; add up its scores")
        # Frozen, so past its __setattr__. Sorted once: a table is asked again and again.
        object.__setattr__(self, "_dims", dims)
        object.__setattr__(self, "_keys", keys[order])
        object.__setattr__(self, "_order", order)

    def __call__(self, *positions: IntArray) -> Any:
        """Scores of the parts asked for, float64 (m,); `InvalidProblem` for a part that is not listed."""
        asked = np.stack(positions, axis=1)
        if asked.shape[1] != len(self._dims):
            raise InvalidProblem(f"PartTable: its parts have {len(self._dims)} positions, not {asked.shape[1]}")
        known: BoolArray = np.all((asked >= 0) & (asked < self._dims), axis=1)
        # What lies outside is looked up as something inside, and then not found after all.
        keys = np.ravel_multi_index(tuple(np.where(known[:, None], asked, 0).T), self._dims)
        found = np.searchsorted(self._keys, keys)
        known &= found < self._keys.size
        known[known] = self._keys[found[known]] == keys[known]
        if not known.all():
            part = asked[int(np.argmin(known))].tolist()
            raise InvalidProblem(f"PartTable: the part {part} is not in the table")
        return self.scores[self._order[found]]
