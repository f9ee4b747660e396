"""Scores of parts: a dense array over word positions, or a callable that scores the parts it is asked for."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np

from gapless import InvalidProblem
from gapless.arrays.score_array import check_scores, score_array
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray, float_array, int_array
from gapless.roles import serialisable

Scorer = Callable[..., Any]


class PartScores:
    """``lookup(a, b, c)`` for arrays of word positions, from an array (n + 1, ...) or a callable.

    Parameters
    ----------
    name : str
        Name of the scores in messages.
    given : array-like with one axis for each place of `places`, or callable
        A callable gets as many int64 arrays (m,) and returns scores (m,).
    places : sequence of str
        Names in messages of the positions that make a part.
    """

    def __init__(self, name: str, given: Any, places: str) -> None:
        self.name, self.places = name, tuple(places)
        self.given: Scorer | FloatArray
        if callable(given):
            self.given = given
            return
        order = len(self.places)
        array = score_array(given, f"{name}: scores")  # a copy: the caller may change its array
        if array.ndim != order or len(set(array.shape)) > 1:
            raise InvalidProblem(
                f"{name}: scores have shape {array.shape}, expected {order} axes of n + 1 positions each"
            )
        array.flags.writeable = False
        self.given = array

    def check_length(self, length: int) -> None:
        """Raise `InvalidProblem` when a dense array is for sentences of another length."""
        if isinstance(self.given, np.ndarray) and self.given.shape[0] != length + 1:
            raise InvalidProblem(
                f"{self.name}: scores have shape {self.given.shape}, expected {length + 1} on each axis "
                f"because the sentence has {length} words"
            )

    def lookup(self, *positions: IntArray) -> FloatArray:
        """Look up the scores of parts, one position array for each axis.

        Raises `InvalidProblem`: another number of scores than parts, or NaN, plus infinity, or beyond 1e12, naming
        the part.
        """
        if isinstance(self.given, np.ndarray):
            scores: FloatArray = self.given[positions]
        else:
            scores = score_array(self._asked(positions), f"{self.name}: scores of {positions[0].size} parts")
            if scores.shape != positions[0].shape:
                raise InvalidProblem(
                    f"{self.name}: scores of {positions[0].size} parts came with shape {scores.shape}, "
                    f"expected {positions[0].shape}"
                )
        check_scores(scores, lambda index: f"{self.name}: the score of {self._part(positions, index[0])}")
        return scores

    @property
    def bounded(self) -> bool:
        """Whether `bound` is cheaper than `lookup`: the callable has a method ``upper_bound``."""
        return callable(getattr(self.given, "upper_bound", None))

    def bound(self, *positions: IntArray) -> FloatArray:
        """Bound scores of parts from above, arguments as for `lookup`; return the scores if there are no bounds.

        Raises `InvalidProblem`: another number of bounds than parts.
        """
        if not self.bounded:
            return self.lookup(*positions)
        given: Any = self.given
        bounds = score_array(given.upper_bound(*positions), f"{self.name}: bounds of {positions[0].size} parts")
        if bounds.shape != positions[0].shape:
            raise InvalidProblem(
                f"{self.name}: upper bounds of {positions[0].size} parts came with shape {bounds.shape}, "
                f"expected {positions[0].shape}"
            )
        return bounds

    def _part(self, positions: tuple[IntArray, ...], number: int) -> str:
        return ", ".join(f"{p} = {int(a[number])}" for p, a in zip(self.places, positions, strict=True))

    def _asked(self, positions: tuple[IntArray, ...]) -> Any:
        """Call the scorer; errors of wrong arguments get a note that lists what it was given."""
        assert callable(self.given)
        given = f"one int64 array (parts,) for each of {', '.join(self.places)}"
        try:
            return self.given(*positions)
        except TypeError as error:
            # A TypeError from inside the scorer is not about its arguments: leave it as it is.
            if self._takes(len(positions)):
                raise
            raise InvalidProblem(f"{self.name}: the scores' callable is given {given}: {error}") from error
        except ValueError as error:
            if "truth value" in str(error):
                error.add_note(
                    f"{self.name}: the scores' callable is given {given}, not single positions: "
                    "write np.where(a > 2, 1.0, 0.0) for 1.0 if a > 2 else 0.0"
                )
            raise

    def _takes(self, count: int) -> bool:
        """Return whether the callable takes so many arguments; True if that is unknown."""
        assert callable(self.given)
        try:
            signature = inspect.signature(self.given)
        except (TypeError, ValueError):
            return True
        try:
            signature.bind(*range(count))
        except TypeError:
            return False
        return True

    def tabulated(self, *positions: IntArray) -> FloatArray | PartTable:
        """Return what JSON can hold: the array, or a table of the scores of these parts."""
        if isinstance(self.given, np.ndarray):
            return self.given
        return PartTable(np.stack(positions, axis=1), self.lookup(*positions))


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
        # Frozen, so past its __setattr__. Sorted once, since a table is searched many times.
        object.__setattr__(self, "_dims", dims)
        object.__setattr__(self, "_keys", keys[order])
        object.__setattr__(self, "_order", order)

    def __call__(self, *positions: IntArray) -> Any:
        """Scores of the parts asked for, float64 (m,); `InvalidProblem` for a part that is not listed."""
        parts = np.stack(positions, axis=1)
        if parts.shape[1] != len(self._dims):
            raise InvalidProblem(f"PartTable: its parts have {len(self._dims)} positions, not {parts.shape[1]}")
        known: BoolArray = np.all((parts >= 0) & (parts < self._dims), axis=1)
        # Positions outside are replaced by 0 to have a valid key, and stay unknown.
        keys = np.ravel_multi_index(tuple(np.where(known[:, None], parts, 0).T), self._dims)
        rank = np.searchsorted(self._keys, keys)
        known &= rank < self._keys.size
        known[known] = self._keys[rank[known]] == keys[known]
        if not known.all():
            part = parts[int(np.argmin(known))].tolist()
            raise InvalidProblem(f"PartTable: the part {part} is not in the table")
        return self.scores[self._order[rank]]
