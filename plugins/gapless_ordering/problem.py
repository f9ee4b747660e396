"""The best path through a few of many units: which to select, and in which order."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from gapless import Certificate, InvalidProblem, Problem
from gapless.core.decisions import FREE, OFF, ON
from gapless.core.factors.factor_rows import with_factors
from gapless.core.factors.factor_set import as_factors
from gapless.core.factors.written_factors import WRITTEN_FACTORS
from gapless.core.proofs.checked_bounds import CheckedBounds
from gapless.core.results.names import Names
from gapless.core.score_array import LARGEST, bracketed, check_scores
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.roles import (
    Backbone,
    Budget,
    ConfigurationFactor,
    Decisions,
    Factor,
    Fixings,
    LinearModel,
    Solve,
    serialisable,
)
from gapless_kernels import forbid_within_classes, path_beam_search, score_extent
from gapless_ordering.auxiliary import Auxiliary, AuxiliaryWords
from gapless_ordering.given import checked_scores, classes_of, end_of, length_of, names_of, ordering_of, start_of
from gapless_ordering.integer_program import integer_program
from gapless_ordering.reachability import explain

if TYPE_CHECKING:
    import networkx as nx

_NARROW = 10
"""Prefixes that a beam keeps for a path to begin with."""


@serialisable("gapless_ordering.OrderingProblem")
@attrs.frozen(eq=False, slots=False, repr=False)
class OrderingProblem(Problem[IntArray]):
    """Maximise ``start[v_1] + sum_i ordering[v_i, v_(i+1)] + end[v_k]`` over paths that visit no class twice.

    A structure is an int64 array (k,) of vertices in their order: the inner vertices of a path from a source to a
    sink. This is the problem of Deshpande, Barzilay, Karger 2007, section 2.1. The score of a vertex belongs to
    the edges that lead into it; `from_selection` puts it there. Any score may be -inf, which forbids.

    Parameters
    ----------
    start : (n,) array of numbers
        Score of the edge from the source to each vertex.
    ordering : (n, n) array of numbers
        Score of the edge from the row's to the column's vertex. Entries between two vertices of one class, the
        diagonal included, can be on no path and are set to -inf.
    end : (n,) array of numbers
        Score of the edge from each vertex to the sink.
    length : int
        k, the number of vertices on the path; at least 1.
    classes : (n,) sequence of numbers or strings, optional
        Equivalence classes; a path visits each at most once. By default each vertex has its own.
    names : (n,) sequence of str, optional
        For messages and drawings.
    auxiliary : Auxiliary, optional
        The auxiliary word that each edge passes through; made by `from_selection`.
    factors : sequence of Factor or ConfigurationFactor, optional
        Scores of sets of decisions, beyond those above; see `gapless.Problem`. Decisions are edges.

    Attributes
    ----------
    extent : float
        The largest finite magnitude of a score.

    Raises
    ------
    InvalidProblem
        Empty, wrong shapes, not numbers, NaN, plus infinity; the message names the array and the index.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_ordering import OrderingProblem
    >>> problem = OrderingProblem([1.0, 0.0, 0.0], [[0, 2, 1], [0, 0, 3], [1, 0, 0.0]], [0.0, 0.0, 1.0], 2)
    >>> result = gl.solve(problem)
    >>> result.best, result.value
    (array([1, 2]), 4.0)
    """

    start: FloatArray = attrs.field(converter=start_of)
    ordering: FloatArray = attrs.field(converter=ordering_of)
    end: FloatArray = attrs.field(converter=end_of)
    length: int = attrs.field(converter=length_of)
    classes: IntArray = attrs.field(converter=classes_of, default=None, kw_only=True)
    names: tuple[str, ...] | None = attrs.field(converter=names_of, default=None, kw_only=True)
    auxiliary: Auxiliary | None = attrs.field(default=None, kw_only=True)
    factors: tuple[Factor | ConfigurationFactor, ...] = attrs.field(
        converter=as_factors, default=(), kw_only=True, metadata=WRITTEN_FACTORS
    )
    extent: float = attrs.field(init=False, default=0.0)

    def __attrs_post_init__(self) -> None:
        n = self.start.size
        if self.start.shape != (n,) or n == 0:
            raise InvalidProblem(
                f"start has shape {self.start.shape}, expected (n,), one score for each of at least one vertex"
            )
        if self.classes is None:
            object.__setattr__(self, "classes", np.arange(n))
        for name, shape in (("ordering", (n, n)), ("end", (n,)), ("classes", (n,))):
            given = getattr(self, name).shape
            if given != shape:
                raise InvalidProblem(f"{name} has shape {given}, expected {shape} because start has {n} scores")
        if self.names is not None and len(self.names) != n:
            raise InvalidProblem(f"names holds {len(self.names)} names, expected {n}")
        if self.auxiliary is not None and (
            not isinstance(self.auxiliary, Auxiliary) or self.auxiliary.via.shape != (n, n)
        ):
            raise InvalidProblem(f"auxiliary must be an Auxiliary over {n} vertices; see from_selection")
        extent = max(score_extent(array) for array in (self.start, self.ordering, self.end))
        if not extent <= LARGEST:
            for name in ("start", "ordering", "end"):
                check_scores(getattr(self, name), bracketed(name))
        object.__setattr__(self, "extent", extent)
        forbid_within_classes(self.ordering, self.classes)
        for array in (self.start, self.ordering, self.end, self.classes):
            array.flags.writeable = False

    # --- builders

    @classmethod
    def from_selection(
        cls,
        selection: Any,
        ordering: Any,
        *,
        length: int,
        start: Any = None,
        end: Any = None,
        auxiliary: AuxiliaryWords | Mapping[str, Any] | None = None,
        classes: Sequence[Hashable] | Any = None,
        names: Sequence[str] | None = None,
        factors: Sequence[Factor | ConfigurationFactor] = (),
    ) -> OrderingProblem:
        """Shift the scores of vertices onto the edges that lead into them (section 2.1).

        Parameters
        ----------
        selection : (n,) array of numbers
            Score of selecting each vertex.
        ordering : (n, n) array of numbers
            Score of the column's vertex following the row's directly.
        length, classes, names, factors
            As in the class.
        start, end : (n,) array of numbers, optional
            Score of a vertex being the first, the last; 0 by default.
        auxiliary : AuxiliaryWords, or mapping of str to (n, n) array of numbers, optional
            Scores of the transition through each auxiliary word: edges parallel to the direct one (section 6, Graph
            Construction). The best of them is kept, and which it was: see `spelled`. Ties go to the direct edge,
            then to the first word.

        Returns
        -------
        OrderingProblem
        """
        chosen = checked_scores("selection", selection)
        if chosen.ndim != 1:
            raise InvalidProblem(f"selection has shape {chosen.shape}, expected (n,)")
        n = chosen.size
        direct = checked_scores("ordering", ordering)
        if direct.shape != (n, n):
            raise InvalidProblem(f"ordering has shape {direct.shape}, expected {(n, n)} because selection has {n}")
        first = np.zeros(n) if start is None else checked_scores("start", start)
        if first.shape != (n,):
            raise InvalidProblem(f"start has shape {first.shape}, expected {(n,)} because selection has {n}")
        remembered = None
        if auxiliary is not None:
            direct, remembered = AuxiliaryWords.of(auxiliary, (n, n)).join(direct)
        return cls(
            first + chosen,
            direct + chosen,
            np.zeros(n) if end is None else end,
            length,
            classes=classes,
            names=names,
            auxiliary=remembered,
            factors=factors,
        )

    @classmethod
    def for_summary(
        cls,
        sentences: Sequence[str],
        extraction: Any,
        precedence: Any,
        clusters: Sequence[Hashable] | Any = None,
        *,
        length: int,
        start: Any = None,
        end: Any = None,
    ) -> OrderingProblem:
        """A summary of `length` sentences in their best order (section 2.2).

        Parameters
        ----------
        sentences : sequence of n str
            They become `names`.
        extraction : (n,) array of numbers
            Log-likelihood of each sentence to be extracted.
        precedence : (n, n) array of numbers
            Log-likelihood of the row's sentence standing directly before the column's.
        clusters : (n,) sequence of numbers or strings, optional
            Sentences of one cluster say the same; the summary takes at most one of each.
        length : int
        start, end : (n,) array of numbers, optional
            Score of a sentence opening or closing the summary; 0 by default.
        """
        return cls.from_selection(
            extraction,
            precedence,
            length=length,
            start=start,
            end=end,
            classes=clusters,
            names=sentences,
        )

    @classmethod
    def from_digraph(
        cls,
        graph: nx.DiGraph[Any],
        source: Hashable,
        sink: Hashable,
        length: int,
        *,
        weight: str = "weight",
        class_attribute: str = "class",
    ) -> OrderingProblem:
        """The best path of `length` inner vertices from `source` to `sink` in a weighted directed graph.

        Parameters
        ----------
        graph : networkx.DiGraph or MultiDiGraph
            An edge that is not there is forbidden; of parallel edges the best counts.
        source, sink : hashable
            Two vertices of the graph; all others may be inner ones, in the graph's order.
        length : int
        weight : str
            Edge attribute with the score.
        class_attribute : str
            Vertex attribute with the equivalence class; a vertex without one has its own.

        Raises
        ------
        InvalidProblem
            `source` or `sink` is missing, the graph is undirected, or an edge has no weight.
        """
        from gapless_ordering.digraph import digraph_arrays  # noqa: PLC0415  networkx, for those who have such a graph

        start, ordering, end, classes, inner = digraph_arrays(graph, source, sink, weight, class_attribute)
        return cls(start, ordering, end, length, classes=classes, names=[str(vertex) for vertex in inner])

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
        """Name of a vertex."""
        return self.names[vertex] if self.names is not None else f"vertex {vertex}"

    def spelled(self, path: Any) -> list[str]:
        """The names along a path, auxiliary words between them where an edge passes through one."""
        vertices = self._read(path)
        words = [self.name(vertices[0])]
        for u, v in pairwise(vertices.tolist()):
            through = self.auxiliary.word(u, v) if self.auxiliary is not None else None
            words += [self.name(v)] if through is None else [through, self.name(v)]
        return words

    def named(self, structure: IntArray, words: Sequence[str] = ()) -> Names:
        """The names in their order, auxiliary words between them; see `spelled`."""
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
        """Sum of the scores along the path from its start, in float64; -inf when an edge is forbidden.

        One edge after the other, as the kernels add: where large scores cancel, another order gives another sum.
        """
        path = self._read(structure)
        # sum() would compensate for rounding from Python 3.12 on.
        total = functools.reduce(operator.add, self._edge_scores(path)) if path.size else -math.inf
        return total + self.factor_value(path) if self.factors and total > -math.inf else total

    def violations(self, structure: IntArray) -> Sequence[str]:
        """Wrong length, unknown vertices, a class visited twice, forbidden edges."""
        path = self._read(structure)
        found = []
        if path.size != self.length:
            found.append(f"the path has {path.size} vertices, the length is {self.length}")
        unknown = path[(path < 0) | (path >= self.vertices)]
        if unknown.size or not path.size:
            return [*found, *(f"there is no vertex {v}" for v in unknown)]
        groups = self.classes[path]
        for at in range(path.size):
            before = np.flatnonzero(groups[:at] == groups[at])
            if before.size:
                u, v = self.name(path[before[0]]), self.name(path[at])
                found.append(f"{u} is visited twice" if u == v else f"{u} and {v} belong to one class")
        words = ["start", *(self.name(v) for v in path), "end"]
        distinct = [True, *(groups[1:] != groups[:-1]).tolist(), True]
        found += [
            f"the edge {words[i]} -> {words[i + 1]} is forbidden"
            for i, score in enumerate(self._edge_scores(path))
            if score == -math.inf and distinct[i]
        ]
        return found or self.factor_violations(path)

    def encode(self, structure: IntArray) -> IntArray:
        """Ids of the path's edges, ascending."""
        path, n = self._read(structure), self.vertices
        inner = n + n * path[:-1] + path[1:]
        return np.concatenate([path[:1], np.sort(inner), n + n * n + path[-1:]])

    def decode(self, on_ids: IntArray) -> IntArray:
        """The path along the edges that are on."""
        ids, n = np.asarray(on_ids, np.int64), self.vertices
        first = ids[ids < n]
        inner = ids[(ids >= n) & (ids < n + n * n)] - n
        follows = dict(zip((inner // n).tolist(), (inner % n).tolist(), strict=True))
        path = first[:1].tolist()
        while path and path[-1] in follows and len(path) <= self.length:
            path.append(follows[path[-1]])
        return np.array(path, np.int64)

    def infeasibility(self) -> Sequence[str]:
        """Too few classes, or the first layer that no walk reaches; see `reachability.explain`."""
        return explain(self)

    def backbone(self) -> Backbone[IntArray]:
        """Walks of `length` vertices; that no class comes twice is for `structural_factors` to say."""
        from gapless_ordering.enumerated_paths import EnumeratedPaths  # noqa: PLC0415  as the next
        from gapless_ordering.walk_maximiser import WalkMaximiser  # noqa: PLC0415  most methods need no backbone

        def guess() -> IntArray | None:
            scores = self.start, self.ordering, self.end
            value, path = path_beam_search(*scores, self.classes, self.length, _NARROW)
            return path if value > -np.inf else None

        def nothing() -> Certificate:
            from gapless_ordering import exact  # noqa: PLC0415  a method, which needs this module

            return exact.run(attrs.evolve(self, factors=()), Solve(Budget())).certificate

        weights = np.concatenate([self.start, self.ordering.ravel(), self.end])
        enumerated = EnumeratedPaths()
        return Backbone(WalkMaximiser(self), weights, guess=guess, nothing=nothing, enumerated=enumerated)

    @functools.cached_property
    def structural_factors(self) -> tuple[ConfigurationFactor, ...]:
        """Rules of the problem's own that `backbone` leaves out: at most one edge into each class."""
        from gapless_ordering.walk_maximiser import class_factors  # noqa: PLC0415  as above

        return class_factors(self)

    def checked_backbone(self, weights: FloatArray, fixings: Fixings) -> CheckedBounds:
        """The best walk under weights of edges, and through each, for verifiers."""
        from gapless_ordering.proofs.walk_bounds import walk_bounds  # noqa: PLC0415  for verifiers alone

        state = fixings.state
        kept, start, inner, end = self._left(weights, state)
        kept[(state == ON) & (kept > -np.inf)] = 0.0  # in every path once, however often a walk uses it
        bounds = walk_bounds(start, inner, end, self.length)
        if bounds.best == -np.inf or not (state == ON).any():
            return bounds
        bounds = bounds.plus(weights[state == ON])
        decided = not ((kept > -np.inf) & (state == FREE)).any()
        if np.count_nonzero(state == ON) > self.length + 1 or (decided and not self._is_path(state == ON)):
            nothing = np.full(state.size, -np.inf)
            return CheckedBounds(-np.inf, nothing, nothing)
        return bounds

    def restricted(self, fixings: Fixings) -> OrderingProblem:
        """Without factors, and without the edges that are off or shut out by those that are on."""
        weights = np.concatenate([self.start, self.ordering.ravel(), self.end])
        _, start, inner, end = self._left(weights, fixings.state)
        return attrs.evolve(self, start=start, ordering=inner, end=end, factors=())

    def _left(self, weights: FloatArray, state: Any) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """All weights where edges may be taken, else -inf, and views of those of starts, inner edges and ends."""
        n = self.vertices
        kept = np.where(state == OFF, -np.inf, weights)
        start, inner, end = kept[:n], kept[n : n + n * n].reshape(n, n), kept[n + n * n :]
        for edge in np.flatnonzero(state == ON).tolist():
            # An edge that is on shuts out the others of its ends.
            if edge < n:
                start[np.arange(n) != edge], inner[:, edge] = -np.inf, -np.inf
            elif edge >= n + n * n:
                end[np.arange(n) != edge - n - n * n], inner[edge - n - n * n] = -np.inf, -np.inf
            else:
                u, v = divmod(edge - n, n)
                inner[u, np.arange(n) != v], inner[np.arange(n) != u, v] = -np.inf, -np.inf
                start[v], end[u] = -np.inf, -np.inf
        return kept, start, inner, end

    def _is_path(self, on: BoolArray) -> bool:
        """Whether exactly these edges are those of a path."""
        on_ids = np.flatnonzero(on)
        try:
            path = self.decode(on_ids)
        except (InvalidProblem, ValueError, LookupError):
            return False
        if path.size != self.length or np.unique(self.classes[path]).size < path.size:
            return False
        return np.array_equal(np.sort(self.encode(path)), on_ids)

    def linear_model(self) -> LinearModel:
        """The flow formulation of the paper (section 4), and rows for factors."""
        return with_factors(integer_program(self), self.factor_set)

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

    def __repr__(self) -> str:
        return f"<OrderingProblem: {self.length} of {self.vertices} vertices in {self.class_count} classes>"
