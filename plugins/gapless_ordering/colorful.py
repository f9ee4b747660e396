"""The best colourful paths of a graph, by one of two dynamic programs for each colouring."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless import UnknownOption
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.arrays.tolerance import EPSILON
from gapless_kernels import OpenWalks, color_coding_pruned, color_coding_search, color_coding_table_bytes
from gapless_ordering.problem import OrderingProblem

MOST_COLORS = 32
MOST_BYTES = 2**33
"""Of the table of one colouring."""

_MOST_STATES = 2**25
_WORK = 2**24

Found = tuple[FloatArray, IntArray]
"""Values and paths, see `ColorfulPaths.best`."""


@attrs.frozen(eq=False, slots=False)
class ColorfulPaths:
    """The graph that can hold a better path than the incumbent, ready for one colouring after the other.

    Parameters
    ----------
    vertices : int64 (m,)
        The vertices that are left.
    classes : int64 (m,)
        Their classes, numbered from 0 without gaps.
    charges : float64 (class_count,)
        The charge of each class in `completion`.
    completion : float64 (k, m), optional
        Bounds on what can follow a vertex at a place. With them, the states (last vertex, set of colours) that may
        become a better path are listed. Where they are so many that the whole table is cheaper, the table is made.
    """

    problem: OrderingProblem
    vertices: IntArray
    classes: IntArray
    charges: FloatArray
    completion: FloatArray | None

    @classmethod
    def of(cls, problem: OrderingProblem, left: OpenWalks | None = None) -> ColorfulPaths:
        """Wrap the whole graph, or the part that walks leave open."""
        if left is None:
            return cls(problem, np.arange(problem.vertices), problem.classes, np.zeros(problem.class_count), None)
        possible = left.before > -np.inf
        keep_mask = possible.any(axis=0)
        groups, classes = np.unique(problem.classes[left.vertices[keep_mask]], return_inverse=True)
        completion = np.where(possible, left.after, -np.inf)[:, keep_mask]
        return cls(
            problem, left.vertices[keep_mask], classes, left.prices[groups], np.ascontiguousarray(completion)
        )

    @cached_property
    def scores(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Of the graph that is left: `start`, `ordering`, `end`."""
        problem, vertices = self.problem, self.vertices
        if vertices.size == problem.vertices:
            return problem.start, problem.ordering, problem.end
        return problem.start[vertices], problem.ordering[np.ix_(vertices, vertices)], problem.end[vertices]

    @cached_property
    def slack(self) -> float:
        """Rounding of a bound that is made of these numbers, at most."""
        k, price_sum = self.problem.length, float(self.charges.sum())
        largest = max(float(np.abs(array[array > -np.inf]).max(initial=0.0)) for array in self.scores)
        return 4.0 * EPSILON * ((k + 1) ** 2 * largest + (self.charges.size + 2 * k) * price_sum)

    @property
    def class_count(self) -> int:
        """Number of classes left."""
        return int(self.classes.max(initial=-1)) + 1

    def table_bytes(self, colors: int) -> int:
        """Bound the size of the dynamic program's table."""
        return color_coding_table_bytes(self.vertices.size, self.problem.length, colors)

    def check(self, colors: int) -> None:
        """Raise `UnknownOption` where no dynamic program can have so many colours."""
        if colors > MOST_COLORS:
            raise UnknownOption(
                f"color-coding has at most {MOST_COLORS} colours, a path of {self.problem.length} vertices needs "
                "more; use the method exact"
            )
        size = self.table_bytes(colors)
        if self.completion is None and size > MOST_BYTES:
            raise UnknownOption(
                f"the table of {colors} colours and {self.vertices.size} vertices takes {size / 2**30:.1f} GiB, "
                f"more than {MOST_BYTES / 2**30:.0f}: give fewer colors, keep bounds, or use the method exact"
            )

    def chunk_size(self, colors: int) -> int:
        """Number of colourings that take a fraction of a second together; a power of 2."""
        fit: int = max(1, _WORK // ((1 << colors) * max(1, self.vertices.size)))
        return 1 << (fit.bit_length() - 1)

    def best(self, colorings: NDArray[np.uint8], colors: int, incumbent: float, pulse: Callable[[], bool]) -> Found:
        """Find the best path under each colouring that beats the incumbent and the colourings before it.

        Parameters
        ----------
        colorings : uint8 (t, class_count)
        pulse : callable
            Called now and then; True ends the search.

        Returns
        -------
        values : float64 (t,)
            -inf if none is better. Fewer than t if memory does not suffice for more, or `pulse` returned True.
        paths : int64 (t, k)
            In vertices of the problem.
        """
        graph = *self.scores, self.classes, self.problem.length
        values, paths, done = np.empty(0), np.empty((0, self.problem.length), np.int64), 0
        fits = self.table_bytes(colors) <= MOST_BYTES
        if self.completion is not None:
            # Beyond a sixteenth of the table's entries, listing states is slower than the whole table.
            states = min(_MOST_STATES, 2**colors * self.vertices.size // 16 + 1) if fits else _MOST_STATES
            values, paths, done = color_coding_pruned(
                *graph,
                colorings,
                colors,
                incumbent,
                self.charges,
                self.completion,
                self.slack,
                states,
            )
        if done < len(colorings) and fits:
            # Colourings that the pruned search finished raise the incumbent for the others.
            incumbent = max(incumbent, float(values[:done].max(initial=-np.inf)))
            more, others = color_coding_search(*graph, colorings[done:], colors, incumbent, pulse)
            values, paths, done = (
                np.append(values[:done], more),
                np.concatenate([paths[:done], others]),
                done + len(more),
            )
        return values[:done], self.vertices[paths[:done]]
