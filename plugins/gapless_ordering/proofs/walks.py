"""Walks with multipliers for visits, recomputed from a problem's scores."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from gapless.arrays.round_up import round_up_for_sum
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.arrays.tolerance import EPSILON
from gapless.oracles.verifier_bounds import CheckedBounds
from gapless.roles import Fixings, charge_work
from gapless_ordering.path_problem import PathProblem


class WalkTables:
    """The scores of a problem, and which vertex may still be at which place.

    Attributes
    ----------
    start, end : float64 (n,)
    ordering : float64 (n, n)
    groups : int64 (n,)
        Classes.
    alive : bool (length, n)
    after : float64 (length, n)
        Of the last `rule_out`: the best penalised score from each vertex to the end, its own visit not paid.
    """

    def __init__(self, problem: PathProblem) -> None:
        self.start, self.end, self.ordering = problem.start, problem.end, problem.ordering
        self.groups: IntArray = problem.classes
        self.alive: BoolArray = np.ones((problem.length, problem.vertices), bool)
        self.after: FloatArray = np.full(self.alive.shape, np.inf)

    @classmethod
    def under(cls, problem: PathProblem, fixings: Fixings) -> WalkTables:
        """Make tables in which edges are forbidden that are off, or cannot share a path with an edge that is on."""
        tables = cls(problem)
        if not (fixings.on.size or fixings.off.size):
            return tables
        weights = np.concatenate([problem.start, problem.ordering.ravel(), problem.end])
        charge_work(4 * weights.size * fixings.on.size)
        _, tables.start, tables.ordering, tables.end = problem.open_weights(weights, fixings.state)
        return tables

    @property
    def length(self) -> int:
        """Vertices of a walk."""
        return len(self.alive)

    def rule_out(self, prices: FloatArray, level: float) -> float:
        """Rule out each position of a vertex where no walk exceeds `level`; return a bound on the other walks.

        Returns -inf when there is none. `prices` (float64 (classes,)): multipliers, not negative.
        """
        prices_paid, total = prices[self.groups], sum_of(prices, self.length)
        prefix = np.full(self.alive.shape, -np.inf)
        suffix = np.full(self.alive.shape, -np.inf)
        prefix[0], suffix[-1] = self.start, self.end
        for position in range(1, self.length):
            prefix[position] = self._step(position - 1, prefix[position - 1] - prices_paid, self.ordering)
            mirrored = self.length - 1 - position
            suffix[mirrored] = self._step(mirrored + 1, suffix[mirrored + 1] - prices_paid, self.ordering.T)
        # Neither half pays for the visit at the vertex itself, so it is paid once here.
        through = np.where(self.alive, prefix - prices_paid + suffix + total, -np.inf)
        self.alive &= through > level
        self.after = suffix
        return float(through.max())

    def _step(self, position: int, scores: FloatArray, edges: FloatArray) -> FloatArray:
        """Maximise score plus next edge over the vertices that are possible at a position."""
        charge_work(2 * scores.size * int(np.count_nonzero(self.alive[position])), 10)
        possible = np.flatnonzero(self.alive[position] & (scores > -np.inf))
        best = np.full(scores.size, -np.inf)
        for some in _portions(possible):
            np.maximum(best, (scores[some, None] + edges[some]).max(axis=0), out=best)
        return best


def rounding(prices: FloatArray, length: int) -> float:
    """Bound the float64 error of sums along a path that pays these multipliers: large ones swallow its scores.

    Raises `OverflowError`.
    """
    return 4.0 * EPSILON * (length + 1) * math.fsum(prices)


def sum_of(prices: FloatArray, length: int) -> float:
    """Sum the multipliers and add their `rounding`, so that bounds made with the sum are never too low."""
    return math.fsum(prices) + rounding(prices, length)


def _portions(vertices: IntArray, size: int = 256) -> Iterable[IntArray]:
    return (vertices[first : first + size] for first in range(0, vertices.size, size))


def walk_bounds(start: FloatArray, inner: FloatArray, end: FloatArray, length: int) -> CheckedBounds:
    """Bound the best walk, and the best through each edge; every path is a walk.

    Parameters
    ----------
    start, end : float64 (n,)
        Weights of the edges from the source and to the sink; -inf where an edge is off.
    inner : float64 (n, n)
    length : int
        Number of vertices.
    """
    charge_work(6.0 * length * inner.size, 20 * length)
    # No walk adds up more weights; raised ones make every float64 sum an upper bound.
    start, inner, end = (round_up_for_sum(part, length + 4) for part in (start, inner, end))
    prefix, suffix = [start], [end]
    for _ in range(length - 1):
        prefix.append((prefix[-1][:, None] + inner).max(axis=0))
        suffix.append((inner + suffix[-1]).max(axis=1))
    best = float((prefix[-1] + end).max())
    through = np.full(inner.shape, -np.inf)
    for position in range(length - 1):
        np.maximum(through, prefix[position][:, None] + suffix[length - 2 - position], out=through)
    on = np.concatenate([start + suffix[-1], (through + inner).ravel(), prefix[-1] + end])
    return CheckedBounds(best, on, np.full(on.size, best) if best > -math.inf else np.full(on.size, -np.inf))
