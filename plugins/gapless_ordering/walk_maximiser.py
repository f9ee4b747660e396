"""The backbone of paths: the best walk of k vertices, by max-plus products, in the role of a maximiser."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gapless.core.decisions import FREE, OFF, ON
from gapless.core.serial import serialisable
from gapless.core.sparse import FloatArray, IntArray
from gapless.factors import AtMostOne
from gapless.roles import Fixings, Maximised, Maximiser, Slacks
from gapless_kernels import COMPILED

if TYPE_CHECKING:
    from gapless_ordering.problem import OrderingProblem


@serialisable("gapless_ordering.WalkMaximiser")
class WalkMaximiser(Maximiser["IntArray"]):
    """The best walk of k vertices under weights of a problem's edges; O(k n^2).

    A relaxation: a walk may come back to a vertex or a class, and pass by edges that are fixed on, though not
    through others of their ends. Each use of an edge counts in `Maximised.value`, but an edge that is fixed on
    exactly once, as in every path. The decisions that are on are its edges, listed once, and all that are fixed on;
    `Maximised.own` makes up for the difference, and there is no structure. No path that agrees with the fixings is
    worth more; where nothing is free, the value is that of the path.

    Parameters
    ----------
    problem : OrderingProblem
        Its scores are not looked at, they are weights.

    Examples
    --------
    >>> from gapless.roles import Fixings
    >>> from gapless_ordering import OrderingProblem
    >>> problem = OrderingProblem([1.0, 0.0, 0.0], [[0, 2, 1], [0, 0, 3], [1, 0, 0.0]], [0.0, 0.0, 1.0], 2)
    >>> backbone = problem.backbone()
    >>> backbone.maximiser.solve(backbone.weights, Fixings.none(problem.decisions.count)).value
    4.0
    """

    relaxed = True
    # A path uses each of its edges once, so that its score is its weights; `own` of other walks is no structure's.
    largest_own = 0.0

    def __init__(self, problem: OrderingProblem) -> None:
        self.problem = problem

    def to_fields(self) -> dict[str, Any]:
        """For JSON: the problem."""
        return {"problem": self.problem}

    def solve(self, weights: FloatArray, fixings: Fixings) -> Maximised[IntArray]:
        """One product for each place."""
        start, out, end = self._allowed(weights, fixings)
        before = self._before(start, out)
        last = before[-1] + end
        value = float(last.max()) + float(weights[fixings.on].sum())
        nothing: Maximised[IntArray] = Maximised(-math.inf, np.zeros(0, np.int64))
        if value == -math.inf or (weights[fixings.on] == -math.inf).any():
            return nothing
        walk = [int(last.argmax())]
        for row in before[-2::-1]:
            walk.append(int((row + out[:, walk[-1]]).argmax()))
        path = np.array(walk[::-1])
        # What is on belongs to every path that agrees: edges that the walk passes by are listed, too.
        edges = self._edges(path)
        on_ids = np.union1d(edges, fixings.on)
        feasible = np.unique(self.problem.classes[path]).size == path.size and on_ids.size == edges.size
        left = np.concatenate([start, out.ravel(), end]) > -math.inf
        decided = not (left & (fixings.state == FREE)).any()
        if fixings.on.size > path.size + 1 or (decided and fixings.on.size and not feasible):
            return nothing
        return Maximised(value, on_ids, path if feasible else None, value - float(weights[on_ids].sum()))

    def slacks(self, weights: FloatArray, fixings: Fixings) -> Slacks:
        """The least cost of a walk through each edge, and 0 for leaving one out."""
        start, out, end = self._allowed(weights, fixings)
        before, after = self._before(start, out), [end]
        for _ in range(self.problem.length - 1):
            after.append((out + after[-1]).max(axis=1))
        value = (before[-1] + end).max()
        off = np.zeros(weights.size)
        if value == -math.inf:
            return Slacks(off + math.inf, off + math.inf)
        inner = np.full(out.shape, -math.inf)
        for row, rest in zip(before[:-1], after[-2::-1], strict=True):
            np.maximum(inner, row[:, None] + rest, out=inner)
        best = np.concatenate([start + after[-1], (inner + out).ravel(), before[-1] + end])
        return Slacks(np.maximum(value - best, 0.0), off)

    def compiled(self) -> Any:
        """The same in compiled code."""
        if not COMPILED:
            return None
        from gapless_kernels.paths._walk_backbone import Walks  # noqa: PLC0415  not without compiled kernels

        return Walks(self.problem.vertices, self.problem.length, self.problem.classes)

    def _allowed(self, weights: FloatArray, fixings: Fixings) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Weights from the source, between vertices and to the sink, without what edges that are on leave out.

        What is on weighs nothing here: it is in every path, once.
        """
        n = self.problem.vertices
        kept = np.where(fixings.state == OFF, -math.inf, weights)
        start, out, end = kept[:n], kept[n : n + n * n].reshape(n, n), kept[n + n * n :]
        for edge in fixings.on.tolist():
            if edge < n:
                start[np.arange(n) != edge] = -math.inf
                out[:, edge] = -math.inf
            elif edge >= n + n * n:
                u = edge - n - n * n
                end[np.arange(n) != u] = -math.inf
                out[u] = -math.inf
            else:
                u, v = divmod(edge - n, n)
                out[u, np.arange(n) != v] = out[np.arange(n) != u, v] = -math.inf
                start[v] = end[u] = -math.inf
        kept[(fixings.state == ON) & (kept > -math.inf)] = 0.0
        return start, out, end

    def _before(self, start: FloatArray, out: FloatArray) -> list[FloatArray]:
        """For each place the best walk that has come to each vertex."""
        before = [start]
        for _ in range(self.problem.length - 1):
            before.append((before[-1][:, None] + out).max(axis=0))
        return before

    def _edges(self, walk: IntArray) -> IntArray:
        n = self.problem.vertices
        inner = n + n * walk[:-1] + walk[1:]
        return np.unique(np.concatenate([walk[:1], inner, n + n * n + walk[-1:]]))


def class_factors(problem: OrderingProblem) -> tuple[AtMostOne, ...]:
    """At most one edge into the vertices of each class: what makes a walk a path."""
    n = problem.vertices

    def into(members: IntArray) -> IntArray:
        return np.sort(np.concatenate([members, (n + n * np.arange(n)[:, None] + members).ravel()]))

    numbers = range(problem.class_count)
    return tuple(AtMostOne(into(np.flatnonzero(problem.classes == c))) for c in numbers)
