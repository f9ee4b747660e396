"""Selection and ordering: the best path through some of many units."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from gapless import Certificate, InvalidProblem
from gapless.arrays.score_array import LARGEST, bracketed, check_scores
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.decisions.decisions import FREE, ON
from gapless.factors.factor_json import WRITTEN_FACTORS
from gapless.factors.factor_rows import with_factors
from gapless.factors.factor_set import as_factors
from gapless.oracles.verifier_bounds import CheckedBounds
from gapless.roles import (
    Backbone,
    ConfigurationFactor,
    Factor,
    Fixings,
    LinearModel,
    SolveBudget,
    SolveRequest,
    serialisable,
)
from gapless_kernels import forbid_within_classes, path_beam_search, score_extent
from gapless_ordering.auxiliary import Auxiliary, AuxiliaryWords
from gapless_ordering.inputs import checked_scores, classes_of, end_of, length_of, names_of, ordering_of, start_of
from gapless_ordering.integer_program import integer_program
from gapless_ordering.path_problem import PathProblem
from gapless_ordering.reachability import explain

if TYPE_CHECKING:
    import networkx as nx

_NARROW = 10
"""Prefixes that a beam keeps for a path to begin with."""


@serialisable("gapless_ordering.OrderingProblem")
@attrs.frozen(eq=False, slots=False, repr=False)
class OrderingProblem(PathProblem):
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
            actual = getattr(self, name).shape
            if actual != shape:
                raise InvalidProblem(f"{name} has shape {actual}, expected {shape} because start has {n} scores")
        if self.names is not None and len(self.names) != n:
            raise InvalidProblem(f"names holds {len(self.names)} names, expected {n}")
        if self.auxiliary is not None and (
            not isinstance(self.auxiliary, Auxiliary) or self.auxiliary.via.shape != (n, n)
        ):
            raise InvalidProblem(f"auxiliary must be an Auxiliary over {n} vertices; see from_selection")
        extent = max(score_extent(array) for array in (self.start, self.ordering, self.end))
        # NaN fails the comparison, too; only then are the arrays searched for the entry to name.
        if not extent <= LARGEST:
            for name in ("start", "ordering", "end"):
                check_scores(getattr(self, name), bracketed(name))
        object.__setattr__(self, "extent", extent)
        # In place: the converters have copied the caller's arrays.
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
        selected = checked_scores("selection", selection)
        if selected.ndim != 1:
            raise InvalidProblem(f"selection has shape {selected.shape}, expected (n,)")
        n = selected.size
        direct = checked_scores("ordering", ordering)
        if direct.shape != (n, n):
            raise InvalidProblem(f"ordering has shape {direct.shape}, expected {(n, n)} because selection has {n}")
        first = np.zeros(n) if start is None else checked_scores("start", start)
        if first.shape != (n,):
            raise InvalidProblem(f"start has shape {first.shape}, expected {(n,)} because selection has {n}")
        through = None
        if auxiliary is not None:
            direct, through = AuxiliaryWords.of(auxiliary, (n, n)).join(direct)
        return cls(
            first + selected,
            direct + selected,
            np.zeros(n) if end is None else end,
            length,
            classes=classes,
            names=names,
            auxiliary=through,
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
        """Order `length` sentences into the best summary (section 2.2).

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
        """Make the problem of the best path of `length` inner vertices in a weighted directed graph.

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
        from gapless_ordering.digraph import digraph_arrays  # noqa: PLC0415  networkx, only for such graphs

        start, ordering, end, classes, inner = digraph_arrays(graph, source, sink, weight, class_attribute)
        return cls(start, ordering, end, length, classes=classes, names=[str(vertex) for vertex in inner])

    # --- the role

    def infeasibility(self) -> Sequence[str]:
        """Describe a lack of classes, or the first layer that no walk reaches; see `reachability.explain`."""
        return explain(self)

    def backbone(self) -> Backbone[IntArray]:
        """Return walks of `length` vertices; `structural_factors` forbid that they visit a class twice."""
        from gapless_ordering.certificate import EnumeratedPaths  # noqa: PLC0415  as the next
        from gapless_ordering.walk_maximiser import WalkMaximiser  # noqa: PLC0415  most methods need no backbone

        def guess() -> IntArray | None:
            scores = self.start, self.ordering, self.end
            value, path = path_beam_search(*scores, self.classes, self.length, _NARROW)
            return path if value > -np.inf else None

        def nothing() -> Certificate:
            from gapless_ordering import exact  # noqa: PLC0415  a method: imported on demand

            # Factors can forbid paths but never add any, so a proof without them suffices.
            return exact.run(attrs.evolve(self, factors=()), SolveRequest(SolveBudget())).certificate

        weights = np.concatenate([self.start, self.ordering.ravel(), self.end])
        enumerated = EnumeratedPaths()
        return Backbone(
            WalkMaximiser(self),
            weights,
            initial_structure=guess,
            infeasibility_certificate=nothing,
            enumeration_certificate=enumerated,
        )

    @functools.cached_property
    def structural_factors(self) -> tuple[ConfigurationFactor, ...]:
        """Rules of the problem's own that `backbone` leaves out: at most one edge into each class."""
        from gapless_ordering.walk_maximiser import class_factors  # noqa: PLC0415  as above

        return class_factors(self)

    def verifier_backbone_bounds(self, weights: FloatArray, fixings: Fixings) -> CheckedBounds:
        """Bound the best walk under weights of edges, and the best through each edge, for verifiers."""
        from gapless_ordering.proofs.walks import walk_bounds  # noqa: PLC0415  for verifiers alone

        state = fixings.state
        allowed, start, inner, end = self.walk_weights(weights, state)
        bounds = walk_bounds(start, inner, end, self.length)
        if bounds.best == -np.inf or not (state == ON).any():
            return bounds
        bounds = bounds.plus(weights[state == ON])
        decided = not ((allowed > -np.inf) & (state == FREE)).any()
        # More edges on than a path has, or all edges decided without making a path: nothing agrees.
        if np.count_nonzero(state == ON) > self.length + 1 or (decided and not self._is_path(state == ON)):
            nothing = np.full(state.size, -np.inf)
            return CheckedBounds(-np.inf, nothing, nothing)
        return bounds

    def restricted(self, fixings: Fixings) -> OrderingProblem:
        """Copy the problem without factors and without the edges that are off or excluded by edges that are on."""
        weights = np.concatenate([self.start, self.ordering.ravel(), self.end])
        _, start, inner, end = self.open_weights(weights, fixings.state)
        return attrs.evolve(self, start=start, ordering=inner, end=end, factors=())

    def linear_model(self) -> LinearModel:
        """Build the flow formulation of the paper (section 4), with rows for factors."""
        return with_factors(integer_program(self), self.factor_set)

    def __repr__(self) -> str:
        return f"<OrderingProblem: {self.length} of {self.vertices} vertices in {self.class_count} classes>"
