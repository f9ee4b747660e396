"""The best colourful paths of a graph, colouring by colouring: which of the two dynamic programs makes them."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless import UnknownOption
from gapless.core.sparse import FloatArray, IntArray
from gapless_kernels import color_coding_pruned, color_coding_search, color_coding_table_bytes
from gapless_ordering.problem import OrderingProblem
from gapless_ordering.walks import WalkBounds

MOST_COLORS = 32
MOST_BYTES = 2**33
_MOST_STATES = 2**25
_WORK = 2**24


@attrs.frozen(eq=False)
class ColorfulPaths:
    """The graph that can hold a better path than the incumbent, ready for one colouring after the other.

    Parameters
    ----------
    problem : OrderingProblem
    walks : WalkBounds or None
        With bounds, the states (last vertex, set of colours) that may become a better path are listed. Where they
        are so many that the whole table is cheaper, the table is made.
    vertices : int64 (m,)
        The vertices that are left.
    classes : int64 (m,)
        Their classes, numbered from 0 without gaps.
    """

    problem: OrderingProblem
    walks: WalkBounds | None
    vertices: IntArray
    classes: IntArray
    _start: FloatArray
    _ordering: FloatArray
    _end: FloatArray
    _charges: FloatArray

    @classmethod
    def of(cls, problem: OrderingProblem, walks: WalkBounds | None) -> ColorfulPaths:
        """The whole graph, or what walks have left of it."""
        if walks is None:
            vertices = np.arange(problem.vertices)
            charges = np.zeros(problem.class_count)
            return cls(
                problem,
                None,
                vertices,
                problem.classes,
                problem.start,
                problem.ordering,
                problem.end,
                charges,
            )
        vertices = walks.vertices
        kept, classes = np.unique(problem.classes[vertices], return_inverse=True)
        return cls(
            problem,
            walks,
            vertices,
            classes,
            problem.start[vertices],
            problem.ordering[np.ix_(vertices, vertices)],
            problem.end[vertices],
            walks.charges[kept],
        )

    @property
    def class_count(self) -> int:
        """How many classes are left."""
        return int(self.classes.max(initial=-1)) + 1

    def table_bytes(self, colors: int) -> int:
        """How large the table of the dynamic program is, at most."""
        return color_coding_table_bytes(self.vertices.size, self.problem.length, colors)

    def check(self, colors: int) -> None:
        """Raise `UnknownOption` where no dynamic program can have so many colours."""
        if colors > MOST_COLORS:
            raise UnknownOption(
                f"color-coding has at most {MOST_COLORS} colours, a path of {self.problem.length} vertices needs "
                "more; use the method exact"
            )
        size = self.table_bytes(colors)
        if self.walks is None and size > MOST_BYTES:
            raise UnknownOption(
                f"the table of {colors} colours and {self.vertices.size} vertices takes {size / 2**30:.1f} GiB, "
                f"more than {MOST_BYTES / 2**30:.0f}: give fewer colors, keep bounds, or use the method exact"
            )

    def at_once(self, colors: int) -> int:
        """How many colourings take a fraction of a second together; a power of 2."""
        fit: int = max(1, _WORK // ((1 << colors) * max(1, self.vertices.size)))
        return 1 << (fit.bit_length() - 1)

    def best(self, colorings: NDArray[np.uint8], colors: int, incumbent: float) -> tuple[FloatArray, IntArray]:
        """The best path under each colouring, where it beats the incumbent and the colourings before.

        Parameters
        ----------
        colorings : uint8 (t, class_count)
        colors : int
        incumbent : float

        Returns
        -------
        values : float64 (t,)
            -inf where there is none that is better. Fewer than t where there is no room for more.
        paths : int64 (t, k)
            In vertices of the problem.
        """
        graph = self._start, self._ordering, self._end, self.classes, self.problem.length
        values, paths, done = np.empty(0), np.empty((0, self.problem.length), np.int64), 0
        fits = self.table_bytes(colors) <= MOST_BYTES
        if self.walks is not None:
            states = min(_MOST_STATES, 2**colors * self.vertices.size // 16 + 1) if fits else _MOST_STATES
            values, paths, done = color_coding_pruned(
                *graph,
                colorings,
                colors,
                incumbent,
                self._charges,
                self.walks.completion,
                self.walks.slack,
                states,
            )
        if done < len(colorings) and fits:
            incumbent = max(incumbent, float(values[:done].max(initial=-np.inf)))
            more, others = color_coding_search(*graph, colorings[done:], colors, incumbent)
            values, paths, done = (
                np.append(values[:done], more),
                np.concatenate([paths[:done], others]),
                len(colorings),
            )
        return values[:done], self.vertices[paths[:done]]
