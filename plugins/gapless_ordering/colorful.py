"""Random colourings, and the best colourful paths under them (Deshpande et al. 2007, section 3)."""

from __future__ import annotations

import math
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

BLOCK = 32
"""Colourings are drawn so many at a time, each block from a stream of its own."""


def success_probability(colors: int, length: int) -> float:
    """Compute the probability that `length` classes get different colours: ``r! / ((r - k)! r^k)``."""
    return math.prod((colors - i) / colors for i in range(length))


def choose_colors(length: int, classes: int) -> int:
    """Choose the number r of colours from k to 2 k that minimises the total time ``2^r / p`` of all colourings.

    Where there are no more classes than colours each class gets a colour of its own: then one colouring is enough,
    p = 1.
    """

    def cost(colors: int) -> float:
        # log2(2^r / p) = r - log2(p), the logarithm of the total time.
        chance = 0.0 if colors == classes else sum(math.log2((colors - i) / colors) for i in range(length))
        return colors - chance

    return min(range(length, min(2 * length, classes) + 1), key=cost)


def trials_for(failure: float, success: float) -> int:
    """Compute how many colourings all fail together with a probability of at most `failure`.

    The smallest t with ``(1 - p)^t <= failure``, that is ``ln(failure) / ln(1 - p)`` rounded up; the paper's
    ``ln(1 / failure) / p`` is larger by up to a factor ``-ln(1 - p) / p``.
    """
    return 1 if success >= 1.0 else max(1, math.ceil(math.log(failure) / math.log1p(-success)))


@attrs.frozen
class Colorings:
    """A sequence of random colourings. Colouring t depends on the seed and t alone.

    Raises `UnknownOption`: the seed is negative or no integer. `classes`: number of classes coloured, independently
    of each other. `colors`: as many as classes or more: each class has a colour of its own in every colouring.
    """

    classes: int
    colors: int
    seed: int

    def __attrs_post_init__(self) -> None:
        if isinstance(self.seed, bool) or not isinstance(self.seed, int | np.integer) or self.seed < 0:
            raise UnknownOption(f"seed is {self.seed!r}, it must be an integer of at least 0")

    def block(self, number: int) -> NDArray[np.uint8]:
        """Generate colourings ``BLOCK * number`` and following, one row of class colours each."""
        if self.colors >= self.classes:
            return np.tile(np.arange(self.classes, dtype=np.uint8), (BLOCK, 1))
        # Spawn keys give independent streams, which any thread can generate without the others.
        stream = np.random.default_rng(np.random.SeedSequence(int(self.seed), spawn_key=(number,)))
        return stream.integers(0, self.colors, (BLOCK, self.classes), dtype=np.uint8)


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
        """Return the number of colourings that take a fraction of a second together; a power of 2."""
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
