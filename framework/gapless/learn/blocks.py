"""Named weight blocks in one flat vector, and sparse vectors over them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.errors import InvalidProblem

Places = IntArray | tuple[Any, ...]
"""Positions in a block: flat, or one integer array per axis, as in NumPy indexing."""


class FeatureVector:
    """A sparse vector over weight blocks: the features of a structure.

    Parameters
    ----------
    parts : mapping of str to (int64 (m,), float64 (m,))
        For each block the flat positions in it and their values; values of repeated positions add up. Blocks
        without entries may be omitted. `Blocks.vector` builds it from array indices.
    """

    __slots__ = ("parts",)

    def __init__(self, parts: Mapping[str, tuple[IntArray, FloatArray]]) -> None:
        self.parts = parts

    def __sub__(self, other: FeatureVector) -> FeatureVector:
        """The difference; entries are concatenated, not merged."""
        parts = dict(self.parts)
        for name, (places, values) in other.parts.items():
            if name in parts:
                mine = parts[name]
                parts[name] = np.concatenate([mine[0], places]), np.concatenate([mine[1], -values])
            else:
                parts[name] = places, -values
        return FeatureVector(parts)

    def merged(self) -> FeatureVector:
        """Return the same vector with unique positions, ascending, without zeros."""
        parts = {}
        for name, (places, values) in self.parts.items():
            once, where = np.unique(places, return_inverse=True)
            sums = np.bincount(where, values, once.size)
            kept = sums != 0.0
            parts[name] = once[kept], sums[kept]
        return FeatureVector(parts)

    def squared_norm(self) -> float:
        """Compute the squared Euclidean norm."""
        return math.fsum(float(values @ values) for _, values in self.merged().parts.values())


class Blocks(Mapping[str, tuple[int, ...]]):
    """Names and shapes of weight blocks, laid out consecutively in a flat vector.

    Parameters
    ----------
    shapes : mapping of str to sequence of int
        In the order of the layout.

    Raises
    ------
    InvalidProblem
        There is no block, or a size is negative or not an integer.
    """

    def __init__(self, shapes: Mapping[str, Sequence[int]]) -> None:
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._slices: dict[str, slice] = {}
        self.size = 0
        for name, shape in shapes.items():
            sizes = tuple(shape)
            if not all(isinstance(n, (int, np.integer)) and n >= 0 for n in sizes):
                raise InvalidProblem(f"block {name!r} has the shape {sizes}; sizes are integers, 0 or more")
            self._shapes[name] = tuple(int(n) for n in sizes)
            self._slices[name] = slice(self.size, self.size + math.prod(self._shapes[name]))
            self.size = self._slices[name].stop
        if not self._shapes:
            raise InvalidProblem("a model needs at least one weight block")

    def __getitem__(self, name: str) -> tuple[int, ...]:
        return self._shapes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._shapes)

    def __len__(self) -> int:
        return len(self._shapes)

    def __repr__(self) -> str:
        return f"Blocks({self._shapes})"

    def slice(self, name: str) -> slice:
        """Slice of the block in the flat vector."""
        return self._slices[name]

    def vector(self, **entries: tuple[Places, Any]) -> FeatureVector:
        """Build a sparse vector from indices and values per block.

        Parameters
        ----------
        **entries : (places, values)
            ``places`` is an integer array of flat positions, or a tuple with one integer array (or integer) per
            axis, broadcast against each other; `values` are numbers, one per place or one for all.

        Raises
        ------
        InvalidProblem
            A block is unknown, or a place lies outside it.
        """
        parts = {}
        for name, (places, values) in entries.items():
            if name not in self._shapes:
                raise InvalidProblem(f"there is no weight block {name!r}; the blocks are {', '.join(self)}")
            shape = self._shapes[name]
            try:
                if isinstance(places, tuple):
                    flat = np.ravel_multi_index(places, shape).ravel().astype(np.int64, copy=False)
                else:
                    flat = np.asarray(places, np.int64).ravel()
                    if flat.size and not 0 <= flat.min() <= flat.max() < math.prod(shape):
                        raise ValueError("invalid entry in coordinates array")
                parts[name] = flat, np.array(np.broadcast_to(values, flat.shape), np.float64)
            except (ValueError, TypeError) as error:
                raise InvalidProblem(f"entries of block {name!r} of shape {shape}: {error}") from error
        return FeatureVector(parts)
