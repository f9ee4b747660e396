"""The arc-flow graph of a roll: possible places of each item type (Valerio de Carvalho 1999)."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray


@attrs.frozen(eq=False)
class Arcs:
    """All possible places of items when a roll is filled from offset 0 in order of decreasing size.

    An arc is a pair (item type, offset). A pattern is a path of arcs: each item starts where the one before ends.

    Parameters
    ----------
    width : int
    sizes : tuple of int
    layers : tuple of int
        Item types by decreasing size, each repeated up to its number on one roll. A pattern takes or leaves each
        layer.
    item, offset : int64 (arcs,)
        Type and place of each arc.
    number : int64 (types, width + 1)
        Arc of a type at an offset, -1 if there is none.
    """

    width: int
    sizes: tuple[int, ...]
    layers: tuple[int, ...]
    item: NDArray[np.int64]
    offset: NDArray[np.int64]
    number: NDArray[np.int64]

    @classmethod
    def build(cls, width: int, sizes: Sequence[int], demands: Sequence[int]) -> Arcs:
        """Build only the arcs that some pattern can use: an offset must be a sum of larger items before it."""
        layers: list[int] = []
        for item in sorted(range(len(sizes)), key=lambda i: (-sizes[i], i)):
            layers += [item] * min(demands[item], width // sizes[item])
        possible = np.zeros((len(sizes), width + 1), bool)
        reached = np.zeros(width + 1, bool)
        reached[0] = True
        for item in layers:
            size = sizes[item]
            possible[item, : width + 1 - size] |= reached[:-size]
            reached[size:] |= reached[:-size].copy()
        number = np.full(possible.shape, -1)
        number[possible] = np.arange(possible.sum())
        items, offsets = np.nonzero(possible)
        return cls(width, tuple(sizes), tuple(layers), items, offsets, number)

    def __len__(self) -> int:
        return self.item.size

    def of(self, pattern: Sequence[int]) -> list[int]:
        """Return the arcs of a pattern, written in any order; it must fit."""
        path, offset = [], 0
        for item in sorted(pattern, key=lambda i: (-self.sizes[i], i)):
            path.append(int(self.number[item, offset]))
            offset += self.sizes[item]
        return path
