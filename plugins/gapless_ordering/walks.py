"""Bounds from walks: they may visit a class twice, so the best walk is worth at least as much as the best path.

A charge on each class, refunded to every path as a whole, makes walks pay for visiting a class twice: with charges
``c >= 0`` no path is worth more than ``max over walks (score - sum of c over their visits) + sum(c)``. This is the
Lagrangian relaxation of "each class at most once".
"""

from __future__ import annotations

import math

import attrs
import numpy as np

from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.core.tolerance import EPSILON, meets
from gapless_ordering.problem import OrderingProblem

_STEPS = 60
_SHORTER = 0.7
"""The step's factor whenever the bound has not improved."""


@attrs.frozen(eq=False)
class WalkBounds:
    """What walks prove about the paths that beat an incumbent.

    Parameters
    ----------
    bound : float
        No path is worth more.
    path : int64 (k,)
        The incumbent: the one given, or a better one that was met.
    value : float
        Its value; -inf if there is none.
    vertices : int64 (m,)
        The vertices that a better path may visit.
    charges : float64 (classes,)
        The charge on each class.
    completion : float64 (k, m)
        The best that can follow once a vertex is reached at a place, less the charges of what follows; -inf where
        no better path has the vertex at this place.
    slack : float
        What rounding may take from a bound that is made of these numbers.
    """

    bound: float
    path: IntArray
    value: float
    vertices: IntArray
    charges: FloatArray
    completion: FloatArray
    slack: float


def walk_bounds(problem: OrderingProblem, path: IntArray, value: float) -> WalkBounds:
    """Improve the charges by subgradient steps toward the incumbent, and drop what no better path can visit.

    Parameters
    ----------
    problem : OrderingProblem
    path : int64 (k,)
        An incumbent; it is not looked at if there is none.
    value : float
        The incumbent's value; -inf if there is none.
    """
    search = _Search(problem, path, value)
    for _ in range(_STEPS):
        if search.finished or not search.step():
            break
    return search.bounds()


class _Search:
    def __init__(self, problem: OrderingProblem, path: IntArray, value: float) -> None:
        self.problem, self.path, self.value = problem, path, value
        self.vertices: IntArray = np.arange(problem.vertices)
        self.start, self.ordering, self.end = problem.start, problem.ordering, problem.end
        self.classes = problem.classes
        self.allowed: BoolArray = np.ones((problem.length, problem.vertices), bool)
        self.charges = self.best_charges = np.zeros(problem.class_count)
        self.bound, self.pace = math.inf, 1.0
        self.largest = max(_largest(self.start), _largest(self.ordering), _largest(self.end))

    @property
    def finished(self) -> bool:
        return meets(self.bound, self.value)

    @property
    def slack(self) -> float:
        k, charges = self.problem.length, self.best_charges
        return 4.0 * EPSILON * ((k + 1) ** 2 * self.largest + (charges.size + 2 * k) * float(charges.sum()))

    def step(self) -> bool:
        """Bound, drop, change the charges; False when nothing can change any more."""
        completion = self._completion(self.charges)
        offers = self.start - self.charges[self.classes] + completion[0]
        bound = float(offers.max(initial=-math.inf)) + float(self.charges.sum())
        improved = bound < self.bound
        if improved:
            self.bound, self.best_charges = bound, self.charges
        if bound == -math.inf or self.finished:
            return False
        walk = self._walk(offers, completion)
        visits = np.bincount(self.problem.classes[walk], minlength=self.charges.size)
        if visits.max() == 1:
            self._offer(walk)
        if improved:
            self._drop(completion)
        else:
            self.pace *= _SHORTER
        direction = np.where((self.charges == 0.0) & (visits == 0), 0.0, visits - 1.0)
        norm = float(direction @ direction)
        if norm == 0.0:
            return False
        gap = bound - self.value if self.value > -math.inf else 0.05 * max(1.0, abs(bound))
        self.charges = np.maximum(0.0, self.charges + self.pace * gap / norm * direction)
        return True

    def bounds(self) -> WalkBounds:
        completion = self._completion(self.best_charges)
        if completion.size:
            completion = np.where(self._alive(completion, self.best_charges), completion, -np.inf)
        kept = (completion > -np.inf).any(axis=0) & (not self.finished)
        return WalkBounds(
            max(self.bound, self.value),
            self.path,
            self.value,
            self.vertices[kept],
            self.best_charges,
            np.ascontiguousarray(completion[:, kept]),
            self.slack,
        )

    def _completion(self, charges: FloatArray) -> FloatArray:
        paid, k = charges[self.classes], self.problem.length
        completion = np.empty((k, self.vertices.size))
        completion[-1] = self.end
        completion[-1, ~self.allowed[-1]] = -np.inf
        for place in range(k - 2, -1, -1):
            follows = self.ordering + (completion[place + 1] - paid)
            completion[place] = follows.max(axis=1, initial=-np.inf)
            completion[place, ~self.allowed[place]] = -np.inf
        return completion

    def _alive(self, completion: FloatArray, charges: FloatArray) -> BoolArray:
        """Whether a path above the incumbent may have a vertex at a place, (k, vertices)."""
        paid, level = charges[self.classes], self.value - self.slack - float(charges.sum())
        alive = np.empty(completion.shape, bool)
        reached = self.start - paid
        for place in range(len(completion)):
            if place:
                reached = (self.ordering + reached[:, None]).max(axis=0) - paid
            alive[place] = reached + completion[place] > level
            reached = np.where(alive[place], reached, -np.inf)
        return alive

    def _drop(self, completion: FloatArray) -> None:
        alive = self._alive(completion, self.charges)
        kept = alive.any(axis=0)
        self.allowed &= alive
        if kept.sum() <= 0.8 * kept.size:
            self.vertices, self.classes = self.vertices[kept], self.classes[kept]
            self.start, self.end = self.start[kept], self.end[kept]
            self.ordering, self.allowed = self.ordering[np.ix_(kept, kept)], self.allowed[:, kept]

    def _walk(self, offers: FloatArray, completion: FloatArray) -> IntArray:
        """The vertices of the best walk."""
        paid = self.charges[self.classes]
        at = [int(offers.argmax())]
        for follows in completion[1:]:
            at.append(int((self.ordering[at[-1]] + (follows - paid)).argmax()))
        return self.vertices[at]

    def _offer(self, walk: IntArray) -> None:
        value = self.problem.value(walk)
        if value > self.value:
            self.path, self.value = walk, value


def _largest(scores: FloatArray) -> float:
    return float(np.abs(scores[scores > -np.inf]).max(initial=0.0))
