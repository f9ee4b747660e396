"""The *Problem* role: colour the vertices of a graph with as few colours as possible."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, ClassVar

import attrs
import numpy as np

import gapless as gl
from gapless.roles import BoolArray, Decisions, FloatArray, IntArray, LinearView, Sense, serialisable

Classes = tuple[tuple[int, ...], ...]
"""Vertices of each colour."""


def ordered(classes: Iterable[Iterable[int]]) -> Classes:
    """Return a colouring in canonical order."""
    return tuple(sorted(tuple(sorted(map(int, one))) for one in classes))


def _pairs(edges: Any) -> IntArray:
    return np.array(edges, np.int64).reshape(-1, 2)


@serialisable("benchmarks.Colouring")
@attrs.frozen(eq=False, slots=False)
class Colouring(gl.Problem[Classes]):
    """Vertices in as few classes as possible, no two neighbours in one.

    Parameters
    ----------
    vertices : int
    edges : int64 (edges, 2)
    """

    sense: ClassVar[Sense] = Sense.MINIMISE
    granularity = 1.0

    vertices: int
    edges: IntArray = attrs.field(converter=_pairs)

    @cached_property
    def adjacent(self) -> BoolArray:
        """Neighbourhoods, bool (vertices, vertices)."""
        matrix = np.zeros((self.vertices, self.vertices), bool)
        matrix[tuple(self.edges.T)] = True
        return matrix | matrix.T

    @cached_property
    def pairs(self) -> IntArray:
        """Vertices that are no neighbours, int64 (decisions, 2)."""
        return np.argwhere(np.triu(~self.adjacent, 1))

    @cached_property
    def number(self) -> IntArray:
        """Decision of each pair of vertices, -1 for neighbours."""
        numbers = np.full((self.vertices, self.vertices), -1)
        numbers[tuple(self.pairs.T)] = np.arange(len(self.pairs))
        both: IntArray = np.maximum(numbers, numbers.T)
        return both

    @cached_property
    def decisions(self) -> Decisions:
        """Whether two vertices have one colour."""
        return Decisions(len(self.pairs), name=lambda d: "{} and {} have one colour".format(*self.pairs[d]))

    def prices(self, view: LinearView) -> FloatArray:
        """Compute prices of vertices, float64 (vertices,); the price of a joined pair goes to its first vertex."""
        prices = -view.prices(np.arange(self.vertices))
        on = view.fixings.on
        np.subtract.at(prices, self.pairs[on, 0], view.usage_prices()[on])
        return prices

    def value(self, structure: Classes) -> float:
        """Count the colours."""
        return float(len(structure))

    def violations(self, structure: Classes) -> list[str]:
        """Describe vertices without exactly one colour, and neighbours that share one."""
        coloured = sorted(v for one in structure for v in one)
        broken = [] if coloured == [*range(self.vertices)] else ["not every vertex has one colour"]
        colour = {v: number for number, one in enumerate(structure) for v in one}
        shared = [(a, b) for a, b in self.edges.tolist() if a in colour and colour.get(a) == colour.get(b)]
        return broken + [f"the neighbours {a} and {b} have one colour" for a, b in shared]

    def inside(self, one: Iterable[int]) -> IntArray:
        """Return the decisions of all pairs of vertices in a class."""
        members = np.array(sorted(one), np.int64)
        a, b = np.triu_indices(members.size, 1)
        found: IntArray = self.number[members[a], members[b]]
        return found

    def encode(self, structure: Classes) -> IntArray:
        """Return the decisions of all pairs that share a class."""
        return np.sort(np.concatenate([np.zeros(0, np.int64), *map(self.inside, structure)]))

    def decode(self, on_ids: IntArray) -> Classes:
        """Join the vertices of each pair into classes."""
        colour = list(range(self.vertices))
        for a, b in self.pairs[on_ids].tolist():
            first, second = sorted((colour[a], colour[b]))
            colour = [first if c == second else c for c in colour]
        return ordered([v for v in range(self.vertices) if colour[v] == c] for c in set(colour))
