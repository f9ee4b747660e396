"""The common part of path problems: edges as decisions, values, feasibility; no solver and no arguments."""

from __future__ import annotations

import functools
import math
import operator
from abc import abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gapless import InvalidProblem, Problem
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.decisions.decisions import OFF, ON
from gapless.problems.names import Names
from gapless.roles import Decisions, Fixings
from gapless_ordering.auxiliary import Auxiliary


class PathProblem(Problem[IntArray]):
    """Paths of `length` vertices through a complete graph with edge scores, no equivalence class visited twice.

    Bounds, searches and certificates are written over this class, so that `OrderingProblem` can build on them.

    Attributes
    ----------
    start, end : float64 (n,)
        Score of each vertex being the first and the last; minus infinity forbids.
    ordering : float64 (n, n)
        Score of the edge from the row's to the column's vertex.
    length : int
        Number of vertices on a path, k.
    classes : int64 (n,)
        Equivalence class of each vertex.
    names : tuple of n str or None
    auxiliary : Auxiliary or None
    """

    start: FloatArray
    ordering: FloatArray
    end: FloatArray
    length: int
    classes: IntArray
    names: tuple[str, ...] | None
    auxiliary: Auxiliary | None

    # --- sizes and words

    @property
    def vertices(self) -> int:
        """The number of vertices, n."""
        return self.start.size

    @functools.cached_property
    def class_count(self) -> int:
        """The number of equivalence classes."""
        return int(self.classes.max()) + 1

    def name(self, vertex: int) -> str:
        """Name a vertex."""
        return self.names[vertex] if self.names is not None else f"vertex {vertex}"

    def spelled(self, path: Any) -> list[str]:
        """List the names along a path, with the auxiliary word of each edge that passes through one."""
        vertices = self._read(path)
        words = [self.name(vertices[0])]
        for u, v in pairwise(vertices.tolist()):
            through = self.auxiliary.word(u, v) if self.auxiliary is not None else None
            words += [self.name(v)] if through is None else [through, self.name(v)]
        return words

    def describe(self, structure: IntArray, words: Sequence[str] = ()) -> Names:
        """Return the names in order, with auxiliary words between them; see `spelled`."""
        del words
        return tuple(self.spelled(structure))

    # --- the role

    @functools.cached_property
    def decisions(self) -> Decisions:
        """Edges: from the source to v is decision v, from u to v ``n + n u + v``, to the sink ``n + n n + v``."""
        n = self.vertices

        def name(decision: int) -> str:
            if decision < n:
                return f"start -> {self.name(decision)}"
            if decision >= n + n * n:
                return f"{self.name(decision - n - n * n)} -> end"
            u, v = divmod(decision - n, n)
            return f"{self.name(u)} -> {self.name(v)}"

        ends = [list(range(n)), list(range(n + n * n, 2 * n + n * n))]
        return Decisions(2 * n + n * n, name, exactly_one=ends)

    def value(self, structure: IntArray) -> float:
        """Sum the scores along the path from its start, in float64; -inf when an edge is forbidden.

        One edge after the other, as the kernels add: where large scores cancel, another order gives another sum.
        """
        path = self._read(structure)
        # sum() would compensate for rounding from Python 3.12 on.
        total = functools.reduce(operator.add, self._edge_scores(path)) if path.size else -math.inf
        return total + self.factor_value(path) if self.factors and total > -math.inf else total

    def violations(self, structure: IntArray) -> Sequence[str]:
        """Describe a wrong length, unknown vertices, classes visited twice and forbidden edges."""
        path = self._read(structure)
        sentences = []
        if path.size != self.length:
            sentences.append(f"the path has {path.size} vertices, the length is {self.length}")
        unknown = path[(path < 0) | (path >= self.vertices)]
        if unknown.size or not path.size:
            return [*sentences, *(f"there is no vertex {v}" for v in unknown)]
        groups = self.classes[path]
        for index in range(path.size):
            earlier = np.flatnonzero(groups[:index] == groups[index])
            if earlier.size:
                u, v = self.name(path[earlier[0]]), self.name(path[index])
                sentences.append(f"{u} is visited twice" if u == v else f"{u} and {v} belong to one class")
        words = ["start", *(self.name(v) for v in path), "end"]
        # Edges within a class are -inf by construction, and the repeated class has been reported above.
        distinct = [True, *(groups[1:] != groups[:-1]).tolist(), True]
        sentences += [
            f"the edge {words[i]} -> {words[i + 1]} is forbidden"
            for i, score in enumerate(self._edge_scores(path))
            if score == -math.inf and distinct[i]
        ]
        return sentences or self.factor_violations(path)

    def encode(self, structure: IntArray) -> IntArray:
        """Return the ids of the path's edges, ascending."""
        path, n = self._read(structure), self.vertices
        inner = n + n * path[:-1] + path[1:]
        return np.concatenate([path[:1], np.sort(inner), n + n * n + path[-1:]])

    def decode(self, on_ids: IntArray) -> IntArray:
        """Follow the edges that are on, from the first vertex."""
        ids, n = np.asarray(on_ids, np.int64), self.vertices
        first = ids[ids < n]
        inner = ids[(ids >= n) & (ids < n + n * n)] - n
        follows = dict(zip((inner // n).tolist(), (inner % n).tolist(), strict=True))
        path = first[:1].tolist()
        # The length ends the loop: a cycle among the edges would be followed for ever.
        while path and path[-1] in follows and len(path) <= self.length:
            path.append(follows[path[-1]])
        return np.array(path, np.int64)

    # --- fixings

    @abstractmethod
    def restricted(self, fixings: Fixings) -> PathProblem:
        """Copy the problem without factors and without the edges that `fixings` rule out."""

    def open_weights(
        self, weights: FloatArray, state: NDArray[np.int8]
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return all weights, -inf for edges that may not be taken, and views of starts, inner edges and ends."""
        n = self.vertices
        allowed = np.where(state == OFF, -np.inf, weights)
        start, inner, end = allowed[:n], allowed[n : n + n * n].reshape(n, n), allowed[n + n * n :]
        for edge in np.flatnonzero(state == ON).tolist():
            # An edge that is on excludes all other edges out of its tail and into its head.
            if edge < n:
                start[np.arange(n) != edge], inner[:, edge] = -np.inf, -np.inf
            elif edge >= n + n * n:
                end[np.arange(n) != edge - n - n * n], inner[edge - n - n * n] = -np.inf, -np.inf
            else:
                u, v = divmod(edge - n, n)
                inner[u, np.arange(n) != v], inner[np.arange(n) != u, v] = -np.inf, -np.inf
                start[v], end[u] = -np.inf, -np.inf
        return allowed, start, inner, end

    def walk_weights(
        self, weights: FloatArray, state: NDArray[np.int8]
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """As `open_weights`, but edges that are on weigh 0: every path has them once, a walk perhaps more often."""
        allowed, start, inner, end = self.open_weights(weights, state)
        allowed[(state == ON) & (allowed > -np.inf)] = 0.0
        return allowed, start, inner, end

    def _is_path(self, on: BoolArray) -> bool:
        """Return whether exactly these edges form a path."""
        on_ids = np.flatnonzero(on)
        try:
            path = self.decode(on_ids)
        # Edges of no path can fail in any of these ways.
        except (InvalidProblem, ValueError, LookupError):
            return False
        if path.size != self.length or np.unique(self.classes[path]).size < path.size:
            return False
        return np.array_equal(np.sort(self.encode(path)), on_ids)

    # --- reading structures

    def _read(self, structure: Any) -> IntArray:
        path = np.asarray(structure)
        if path.ndim != 1 or (path.size and path.dtype.kind not in "iu"):
            raise InvalidProblem(f"a path is an array of {self.length} vertices, got {path.dtype} {path.shape}")
        return path.astype(np.int64)

    def _edge_scores(self, path: IntArray) -> list[float]:
        if path.min() < 0 or path.max() >= self.vertices:
            unknown = path[(path < 0) | (path >= self.vertices)]
            raise InvalidProblem(f"there is no vertex {unknown[0]} among the {self.vertices}")
        inner: list[float] = self.ordering[path[:-1], path[1:]].tolist()
        return [float(self.start[path[0]]), *inner, float(self.end[path[-1]])]
