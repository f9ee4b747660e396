"""Walks that pay for visits, recomputed from a problem's scores."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.core.tolerance import EPSILON
from gapless.roles import Fixings, spend_work
from gapless_ordering.problem import OrderingProblem


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

    def __init__(self, problem: OrderingProblem) -> None:
        self.start, self.end, self.ordering = problem.start, problem.end, problem.ordering
        self.groups: IntArray = problem.classes
        self.alive: BoolArray = np.ones((problem.length, problem.vertices), bool)
        self.after: FloatArray = np.full(self.alive.shape, np.inf)

    @classmethod
    def under(cls, problem: OrderingProblem, fixings: Fixings) -> WalkTables:
        """Edges that are off are forbidden, and so are those that cannot be on a path beside one that is on."""
        tables = cls(problem)
        if not (fixings.on.size or fixings.off.size):
            return tables
        n = problem.vertices
        scores = np.concatenate([problem.start, problem.ordering.ravel(), problem.end])
        scores[fixings.off] = -np.inf
        tails = np.concatenate([np.full(n, -1), np.repeat(np.arange(n), n), np.arange(n)])
        heads = np.concatenate([np.arange(n), np.tile(np.arange(n), n), np.full(n, -1)])
        for edge in fixings.on.tolist():
            spend_work(4 * scores.size)
            rivals = (tails == tails[edge]) | (heads == heads[edge])
            rivals[edge] = False
            scores[rivals] = -np.inf
        tables.start, tables.end = scores[:n], scores[n + n * n :]
        tables.ordering = scores[n : n + n * n].reshape(n, n)
        return tables

    @property
    def length(self) -> int:
        """Vertices of a walk."""
        return len(self.alive)

    def rule_out(self, prices: FloatArray, level: float) -> float:
        """Rule out each place of a vertex where no walk exceeds `level`; the bound on the walks that are left.

        Returns -inf when there is none. `prices` (float64 (classes,)): multipliers, not negative.
        """
        paid, total = prices[self.groups], sum_of(prices, self.length)
        before = np.full(self.alive.shape, -np.inf)
        after = np.full(self.alive.shape, -np.inf)
        before[0], after[-1] = self.start, self.end
        for place in range(1, self.length):
            before[place] = self._step(place - 1, before[place - 1] - paid, self.ordering)
            at = self.length - 1 - place
            after[at] = self._step(at + 1, after[at + 1] - paid, self.ordering.T)
        through = np.where(self.alive, before - paid + after + total, -np.inf)
        self.alive &= through > level
        self.after = after
        return float(through.max())

    def _step(self, place: int, scores: FloatArray, edges: FloatArray) -> FloatArray:
        """Best over the vertices that may be at a place, of their score and the edge from there."""
        spend_work(2 * scores.size * int(np.count_nonzero(self.alive[place])), 10)
        here = np.flatnonzero(self.alive[place] & (scores > -np.inf))
        best = np.full(scores.size, -np.inf)
        for some in _portions(here):
            np.maximum(best, (scores[some, None] + edges[some]).max(axis=0), out=best)
        return best


def rounding(prices: FloatArray, length: int) -> float:
    """Loss of float64 in sums along a path that pays these multipliers: large ones swallow its scores.

    Raises `OverflowError`.
    """
    return 4.0 * EPSILON * (length + 1) * math.fsum(prices)


def sum_of(prices: FloatArray, length: int) -> float:
    """The sum of the multipliers, with their `rounding`: bounds that are made with it are none too low."""
    return math.fsum(prices) + rounding(prices, length)


def _portions(vertices: IntArray, size: int = 256) -> Iterable[IntArray]:
    return (vertices[at : at + size] for at in range(0, vertices.size, size))
