"""The backbone of paths: the best walk of k vertices, by max-plus products, in the role of a maximiser."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gapless.arrays.serial import serialisable
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.decisions.decisions import FREE
from gapless.factors import AtMostOne
from gapless.roles import Fixings, Maximiser, MaxMarginals, Optimum
from gapless_kernels import COMPILED
from gapless_ordering.path_problem import PathProblem


@serialisable("gapless_ordering.WalkMaximiser")
class WalkMaximiser(Maximiser["IntArray"]):
    """The best walk of k vertices under weights of a problem's edges; O(k n^2).

    A relaxation: a walk may come back to a vertex or a class, and pass by edges that are fixed on, though not
    through others of their ends. Each use of an edge counts in `Optimum.value`, but an edge that is fixed on
    exactly once, as in every path. The decisions that are on are its edges, listed once, and all that are fixed
    on; `Optimum.internal_score` makes up for the difference, and there is no structure. No path that agrees with
    the fixings scores more; if nothing is free, the value is that of the path.

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
    largest_internal_term = 0.0

    def __init__(self, problem: PathProblem) -> None:
        self.problem = problem

    def to_fields(self) -> dict[str, Any]:
        """Return the problem, for JSON."""
        return {"problem": self.problem}

    def solve(self, weights: FloatArray, fixings: Fixings) -> Optimum[IntArray]:
        """Compute one max-plus product for each position."""
        allowed, start, out, end = self.problem.walk_weights(weights, fixings.state)
        prefix = self._before(start, out)
        last = prefix[-1] + end
        value = float(last.max()) + float(weights[fixings.on].sum())
        nothing: Optimum[IntArray] = Optimum(-math.inf, np.zeros(0, np.int64))
        # `walk_weights` put edges that are on at 0, so a forbidden one among them must be caught here.
        if value == -math.inf or (weights[fixings.on] == -math.inf).any():
            return nothing
        walk = [int(last.argmax())]
        for row in prefix[-2::-1]:
            walk.append(int((row + out[:, walk[-1]]).argmax()))
        path = np.array(walk[::-1])
        # What is on belongs to every path that agrees: edges that the walk passes by are listed, too.
        edges = self._edges(path)
        on_ids = np.union1d(edges, fixings.on)
        feasible = np.unique(self.problem.classes[path]).size == path.size and on_ids.size == edges.size
        decided = not ((allowed > -math.inf) & (fixings.state == FREE)).any()
        # A path has k + 1 edges; if nothing is free, it must consist of exactly the edges that are on.
        if fixings.on.size > path.size + 1 or (decided and fixings.on.size and not feasible):
            return nothing
        return Optimum(value, on_ids, path if feasible else None, value - float(weights[on_ids].sum()))

    def max_marginals(self, weights: FloatArray, fixings: Fixings) -> MaxMarginals:
        """Return the loss of the best walk through each edge, and 0 for leaving an edge out."""
        _, start, out, end = self.problem.walk_weights(weights, fixings.state)
        prefix, suffix = self._before(start, out), [end]
        for _ in range(self.problem.length - 1):
            suffix.append((out + suffix[-1]).max(axis=1))
        value = (prefix[-1] + end).max()
        # The best walk without an edge would take one dynamic program per edge; a loss of 0 is a valid bound.
        off = np.zeros(weights.size)
        if value == -math.inf:
            return MaxMarginals(off + math.inf, off + math.inf)
        inner = np.full(out.shape, -math.inf)
        for row, tail in zip(prefix[:-1], suffix[-2::-1], strict=True):
            np.maximum(inner, row[:, None] + tail, out=inner)
        best = np.concatenate([start + suffix[-1], (inner + out).ravel(), prefix[-1] + end])
        return MaxMarginals(np.maximum(value - best, 0.0), off)

    def compiled(self) -> Any:
        """Return the same maximiser in compiled code."""
        if not COMPILED:
            return None
        from gapless_kernels.paths._walk_backbone import Walks  # noqa: PLC0415  not without compiled kernels

        return Walks(self.problem.vertices, self.problem.length, self.problem.classes)

    def _before(self, start: FloatArray, out: FloatArray) -> list[FloatArray]:
        """Compute for each position the best walk from the source to each vertex."""
        prefix = [start]
        for _ in range(self.problem.length - 1):
            prefix.append((prefix[-1][:, None] + out).max(axis=0))
        return prefix

    def _edges(self, walk: IntArray) -> IntArray:
        n = self.problem.vertices
        inner = n + n * walk[:-1] + walk[1:]
        return np.unique(np.concatenate([walk[:1], inner, n + n * n + walk[-1:]]))


def class_factors(problem: PathProblem) -> tuple[AtMostOne, ...]:
    """Return factors that allow one edge into the vertices of each class, which makes a walk a path."""
    n = problem.vertices

    def into(members: IntArray) -> IntArray:
        return np.sort(np.concatenate([members, (n + n * np.arange(n)[:, None] + members).ravel()]))

    numbers = range(problem.class_count)
    return tuple(AtMostOne(into(np.flatnonzero(problem.classes == c))) for c in numbers)
