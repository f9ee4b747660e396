"""Directed graph between a source and a sink."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from gapless.arrays.sparse import IntArray, int_array
from gapless.errors import InvalidProblem


@attrs.frozen(eq=False)
class Network:
    """A directed graph; a route is a walk from its source to its sink.

    Arcs are numbered as they are given; there may be several between two vertices. Arcs into the source or out of
    the sink are on no route. A depot that routes leave and come back to is two vertices.

    Parameters
    ----------
    tails, heads : int64 (arcs,)
        Both ends of each arc: vertices from 0 on.
    source, sink : int
        Two vertices.

    Raises
    ------
    InvalidProblem
        If an array has another shape, or a number is no vertex.
    """

    tails: IntArray = attrs.field(converter=int_array)
    heads: IntArray = attrs.field(converter=int_array)
    source: int
    sink: int
    vertices: int = attrs.field(init=False)
    """Number of vertices: one more than the largest."""

    def __attrs_post_init__(self) -> None:
        if self.tails.ndim != 1 or self.tails.shape != self.heads.shape:
            raise InvalidProblem(
                f"Network: tails {self.tails.shape} and heads {self.heads.shape} must be two lists of one length"
            )
        least = min([self.source, self.sink, *self._extremes(np.min)])
        if least < 0:
            raise InvalidProblem(f"Network: vertices are numbered from 0 on, got {least}")
        if self.source == self.sink:
            raise InvalidProblem(
                f"Network: source and sink are both vertex {self.source}; give the sink a number of its own, "
                "and the arcs that come back to the depot that head"
            )
        count = max(self.source, self.sink, *self._extremes(np.max)) + 1
        object.__setattr__(self, "vertices", count)
        if self.vertices > 1 << 20:
            raise InvalidProblem(f"Network: {self.vertices} vertices, at most {1 << 20}; number them without gaps")

    def _extremes(self, of: Any) -> list[int]:
        return [int(of(array)) for array in (self.tails, self.heads) if array.size]

    @property
    def arcs(self) -> int:
        """Number of arcs."""
        return self.tails.size
