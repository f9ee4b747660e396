"""One candidate of each set, such that the chosen vertices are close to each other in a graph."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless import InvalidProblem, Problem
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray, frozen_array
from gapless.certificates.choice_bounds import choice_bounds
from gapless.factors.factor_json import WRITTEN_FACTORS
from gapless.factors.factor_rows import with_factors
from gapless.factors.factor_set import as_factors
from gapless.oracles.verifier_bounds import CheckedBounds
from gapless.problems.names import Names
from gapless.roles import (
    Backbone,
    ConfigurationFactor,
    Decisions,
    Factor,
    Fixings,
    GroupMaximiser,
    LinearModel,
    Sense,
    serialisable,
)
from gapless_linking import member_costs, problem_fields
from gapless_linking.connection import Connection, maximal, minimal
from gapless_linking.distances import pairwise_distances
from gapless_linking.graph import Graph
from gapless_linking.integer_program import integer_program
from gapless_linking.member_costs import PairCosts
from gapless_linking.problem_fields import VertexNames

Matrix = NDArray[Any]


@serialisable("gapless_linking.LinkingProblem")
@attrs.frozen(eq=False, slots=False, repr=False)
class LinkingProblem(Problem[IntArray]):
    """Minimise ``sum_ij d(x_i, x_j) + sum_i sum_z b(z) d(x_i, z) - prior_weight sum_i prior_i(x_i)``.

    A structure is an int64 array (k,) of vertices: x_i is the candidate chosen from set i. This is MinDR of Blanco,
    Boldi, Marino 2013, section 3: the first sum goes over ordered pairs, so each pair counts twice. It is MinDIR
    where the sets are disjoint, and with anchors z of weight b(z) it is ExtMinDR (section 4.1). One vertex may be
    chosen for several sets; its distance from itself is 0. The prior is ours (section 7 asks for it).

    Parameters
    ----------
    graph : Graph
        None where the distances are given: see `from_distances`.
    candidates : sequence of k sequences of int
        The vertices that may be chosen for each mention, X_1, ..., X_k; not empty, without repetitions.
    anchors : mapping of int to float, or sequence of pairs, optional
        Fixed vertices z with their weights b(z).
    prior : sequence of k arrays of numbers, optional
        Fit of each candidate by itself, larger is better, -inf forbids; in the order of `candidates`.
    prior_weight : float
        Cost of one unit of the prior.
    mentions : sequence of k str, optional
        For messages and drawings.
    connection : Connection, optional
        Edges on top of the graph; see `maximal_connection` and `minimal_connection`.
    distance_matrix : (n, n) array of numbers, optional
        Instead of a graph; see `from_distances`.
    names : sequence of n str, optional
        Names of the vertices of given distances, for messages and drawings; a graph brings its own.
    factors : sequence of Factor or ConfigurationFactor, optional
        Scores of sets of decisions, beyond those above; see `gapless.Problem`.
        Larger is better: what they score is taken off the cost.

    Attributes
    ----------
    first : int64 (k + 1,)
        Set i holds the members ``first[i]:first[i + 1]``; decision d is member d.
    members : int64 (N,)
        All candidates, set by set.
    points : int64 (p,)
        The vertices whose distances matter: candidates and anchors, ascending.
    slots : int64 (N,)
        For each member its index in `points`.

    Raises
    ------
    InvalidProblem
        Empty sets, unknown vertices, wrong shapes, NaN; the message names the place.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_linking import Graph, LinkingProblem
    >>> graph = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> result = gl.solve(LinkingProblem(graph, [[0, 3], [1]]))
    >>> result.best, result.value
    (array([0, 1]), 2.0)
    """

    sense: ClassVar[Sense] = Sense.MINIMISE

    graph: Graph | None
    candidates: tuple[IntArray, ...] = attrs.field(converter=problem_fields.candidate_sets)
    anchors: tuple[tuple[int, float], ...] = attrs.field(
        converter=problem_fields.anchor_pairs, default=None, kw_only=True
    )
    prior: tuple[FloatArray, ...] | None = attrs.field(
        converter=problem_fields.prior_scores, default=None, kw_only=True
    )
    prior_weight: float = attrs.field(converter=problem_fields.prior_weight, default=1.0, kw_only=True)
    mentions: tuple[str, ...] | None = attrs.field(
        converter=problem_fields.mention_names, default=None, kw_only=True
    )
    connection: Connection | None = attrs.field(default=None, kw_only=True)
    distance_matrix: Matrix | None = attrs.field(
        converter=problem_fields.distance_matrix, default=None, kw_only=True
    )
    names: tuple[str, ...] | None = attrs.field(converter=problem_fields.vertex_names, default=None, kw_only=True)
    factors: tuple[Factor | ConfigurationFactor, ...] = attrs.field(
        converter=as_factors, default=(), kw_only=True, metadata=WRITTEN_FACTORS
    )
    first: IntArray = attrs.field(init=False)
    members: IntArray = attrs.field(init=False)
    points: IntArray = attrs.field(init=False)
    slots: IntArray = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        if (self.graph is None) == (self.distance_matrix is None):
            raise InvalidProblem("give a graph, or distances by LinkingProblem.from_distances, and not both")
        if self.graph is not None and not isinstance(self.graph, Graph):
            kind = type(self.graph)
            raise InvalidProblem(
                f"graph is a {kind.__module__}.{kind.__name__}; make a gapless_linking.Graph by "
                "Graph.read, Graph.from_edges, Graph.from_networkx, ..."
            )
        if self.connection is not None and not isinstance(self.connection, Connection):
            raise InvalidProblem(f"connection is a {type(self.connection).__name__}, expected a Connection")
        self._check_vertices()
        k, sizes = self.k, [members.size for members in self.candidates]
        if self.prior is not None and [scores.shape for scores in self.prior] != [(size,) for size in sizes]:
            raise InvalidProblem(f"prior must hold {k} arrays with one score for each candidate: {sizes}")
        if self.mentions is not None and len(self.mentions) != k:
            raise InvalidProblem(f"mentions holds {len(self.mentions)} names, expected {k}")
        if self.names is not None:
            problem_fields.check_names(self.names, self.distance_matrix)
        members = np.concatenate(self.candidates)
        points = np.unique(np.concatenate([members, np.array([z for z, _ in self.anchors], np.int64)]))
        for name, values in (
            ("first", np.concatenate([[0], np.cumsum(sizes)])),
            ("members", members),
            ("points", points),
            ("slots", np.searchsorted(points, members)),
        ):
            object.__setattr__(self, name, frozen_array(values, np.int64))

    def _check_vertices(self) -> None:
        fields = [(f"candidates[{i}]", members) for i, members in enumerate(self.candidates)]
        fields.append(("anchors", np.array([z for z, _ in self.anchors], np.int64)))
        for location, vertices in fields:
            if self.graph is not None:
                self.graph.require(vertices, location)
            else:
                problem_fields.check_rows(vertices, location, self.distance_matrix)

    # --- builders and transforms

    @classmethod
    def from_distances(cls, distances: Any, candidates: Any, **more: Any) -> LinkingProblem:
        """Make a problem over given distances, which need not be those of a graph.

        Parameters
        ----------
        distances : (n, n) array of numbers
            Symmetric, zero on the diagonal, not negative; inf where no path leads. Vertices are the rows 0..n-1.
        candidates
            As in the class.
        **more
            `anchors`, `prior`, `prior_weight`, `mentions`, `names`, as in the class.
        """
        return cls(None, candidates, distance_matrix=distances, **more)

    def maximal_connection(self) -> LinkingProblem:
        """Copy the problem with all candidates of a set joined to each other (section 5).

        Edges to other vertices stay. The graph is not copied.
        """
        return attrs.evolve(self, connection=maximal(self._graph(), self.candidates))

    def minimal_connection(self) -> LinkingProblem:
        """Copy the problem with just enough edges added to connect each set within itself (section 5).

        As in the paper's experiments (footnote 5): the vertex of largest degree in the set's largest component is
        joined to a vertex of each other component.
        """
        return attrs.evolve(self, connection=minimal(self._graph(), self.candidates))

    def without_graph(self) -> LinkingProblem:
        """Copy the problem with its distances only, to store it; vertices are numbered and named as in `points`."""
        rows = [np.searchsorted(self.points, members) for members in self.candidates]
        anchors = [(int(np.searchsorted(self.points, z)), weight) for z, weight in self.anchors]
        return attrs.evolve(
            self,
            graph=None,
            connection=None,
            distance_matrix=self.lengths(),
            candidates=rows,
            anchors=anchors,
            names=[self._names.bare(z) for z in self.points.tolist()] if self.has_names else None,
        )

    def with_distances(self, distances: Matrix) -> LinkingProblem:
        """Copy the problem with known distances between `points`, such as from another process."""
        copy = attrs.evolve(self)
        # This fills the cached property.
        copy.__dict__["distances"] = distances
        return copy

    def _graph(self) -> Graph:
        if self.graph is None:
            raise InvalidProblem("a problem over given distances has no graph to connect candidates in")
        return self.graph

    # --- sizes and costs

    @property
    def k(self) -> int:
        """The number of sets."""
        return len(self.candidates)

    @functools.cached_property
    def set_of(self) -> IntArray:
        """The set of each member, int64 (N,)."""
        return np.repeat(np.arange(self.k), np.diff(self.first))

    @functools.cached_property
    def disjoint(self) -> bool:
        """Whether no vertex is in two sets: MinDIR."""
        return np.unique(self.members).size == self.members.size

    @functools.cached_property
    def distances(self) -> Matrix:
        """Distances between `points`, (p, p); see `gapless_linking.distances.pairwise_distances`.

        Computed on first use, and cached.
        """
        if self.graph is None:
            table: Matrix = np.asarray(self.distance_matrix)[np.ix_(self.points, self.points)]
            return table
        table = pairwise_distances(self.graph, self.points, self.connection)
        table.flags.writeable = False
        return table

    @property
    def distances_known(self) -> bool:
        """Whether `distances` has been computed already."""
        return "distances" in self.__dict__

    @functools.cached_property
    def whole(self) -> bool:
        """Whether all distances are whole numbers."""
        if (self.graph is not None and self.graph.weights is None) or self.distances.dtype.kind == "u":
            return True
        connected = self.distances[np.isfinite(self.distances)]
        return bool(np.all(connected == np.floor(connected)))

    def lengths(self, rows: Any = slice(None), columns: Any = slice(None)) -> FloatArray:
        """Return distances between points in float64, inf if no path leads."""
        part = (
            self.distances[rows][:, columns] if isinstance(rows, slice) else self.distances[np.ix_(rows, columns)]
        )
        return self._as_float(part)

    @staticmethod
    def _as_float(distances: Matrix) -> FloatArray:
        """Convert distances to float64, with inf if no path leads."""
        lengths: FloatArray = distances.astype(np.float64)
        # Tables of unsigned integers mark "no path" by their largest value, see `pairwise_distances`.
        if distances.dtype.kind == "u":
            lengths[distances == np.iinfo(distances.dtype).max] = np.inf
        return lengths

    @functools.cached_property
    def unary_costs(self) -> FloatArray:
        """Unary cost of each candidate, (N,): its weighted distances from the anchors minus its prior; inf forbids.

        A candidate that no path connects with an anchor is forbidden, unless the anchor's weight is 0.
        """
        slots = ((np.searchsorted(self.points, [z]), weight) for z, weight in self.anchors if weight)
        lengths = ((weight, self.lengths(self.slots, at)[:, 0]) for at, weight in slots)
        costs = member_costs.unary_costs(lengths, self.weighted_prior)
        costs.flags.writeable = False
        return costs

    @property
    def weighted_prior(self) -> FloatArray:
        """The prior of each candidate in units of the cost, (N,); 0 without a prior."""
        # A weight of 0 must switch the prior off, but 0 * -inf is NaN.
        if self.prior is None or not self.prior_weight:
            return np.zeros(self.members.size)
        return self.prior_weight * np.concatenate(self.prior)

    @functools.cached_property
    def centred_costs(self) -> tuple[FloatArray, float]:
        """Costs of members beyond the least of their set, and the sum of the least.

        Large costs that cancel between sets leave the small ones their digits this way.
        """
        return member_costs.centred(self.unary_costs, self.first)

    @functools.cached_property
    def granularity(self) -> float | None:  # type: ignore[override]  # computed once instead of stated
        """Step between costs: 2 for integral distances alone, since pairs count twice; 1 with integral unary costs.

        None with factors, whose scores may be any numbers.
        """
        if self.factors or not self.whole:
            return None
        return member_costs.granularity(self.unary_costs) if self.anchors or self.prior is not None else 2.0

    def mention(self, i: int) -> str:
        """Name a set."""
        return self.mentions[i] if self.mentions is not None else f"set {i}"

    def name(self, vertex: int) -> str:
        """Describe a vertex by its name or number; by both if several of `points` have that name."""
        return self._names.clear(vertex)

    def describe(self, structure: IntArray, words: Sequence[str] = ()) -> Names:
        """Pair each mention with the name of the vertex that is chosen for it."""
        mentions = words if len(words) == self.k else [self.mention(i) for i in range(self.k)]
        return tuple(zip(mentions, map(self.name, self._read(structure).tolist()), strict=True))

    @property
    def has_names(self) -> bool:
        """Whether vertices have names."""
        return self._names.given is not None

    @functools.cached_property
    def _names(self) -> VertexNames:
        return VertexNames(self.names if self.graph is None else self.graph.names, self.points)

    # --- the role

    @functools.cached_property
    def decisions(self) -> Decisions:
        """Decision d: member d is chosen for its set."""

        def name(decision: int) -> str:
            i = int(np.searchsorted(self.first, decision, "right")) - 1
            return f"{self.mention(i)} = {self.name(int(self.members[decision]))}"

        groups = [list(range(a, b)) for a, b in zip(self.first[:-1].tolist(), self.first[1:].tolist(), strict=True)]
        return Decisions(self.members.size, name, exactly_one=groups)

    def value(self, structure: IntArray) -> float:
        """Compute the cost in float64; inf if two chosen vertices are not connected, or one is forbidden."""
        chosen = self.chosen(structure)
        if self._narrows:
            bare_cost = self._narrowed(chosen).value(self.members[chosen])
            return bare_cost + self.factor_value(structure) if self.factors and bare_cost < math.inf else bare_cost
        slots = self.slots[chosen]
        lengths = self.distances[slots[:, None], slots]
        if lengths.dtype.kind == "u":  # both ways at once, in whole numbers
            total = math.inf if lengths.max() == np.iinfo(lengths.dtype).max else float(lengths.sum(dtype=np.int64))
        else:
            total = 2.0 * float(np.triu(lengths, 1).sum())
        # fsum: large unary costs that cancel must not hide small distances.
        cost = math.fsum([total, *self.unary_costs[chosen].tolist()])
        return cost + self.factor_value(structure) if self.factors and cost < math.inf else cost

    def violations(self, structure: IntArray) -> Sequence[str]:
        """Describe vertices that are no candidates, forbidden ones, and pairs that no path connects."""
        vertices = self._read(structure)
        if vertices.size != self.k:
            return [f"there are {vertices.size} vertices for {self.k} sets"]
        sentences = [
            f"{vertices[i]} is no candidate of {self.mention(i)}"
            for i in np.flatnonzero(self._places(vertices) < 0).tolist()
        ]
        if sentences:
            return sentences
        chosen = self.chosen(vertices)
        if self._narrows:
            return self._narrowed(chosen).violations(vertices) or self.factor_violations(vertices)
        sentences = [
            f"{self.name(int(vertices[i]))} is forbidden for {self.mention(i)}"
            for i in np.flatnonzero(self.unary_costs[chosen] == np.inf).tolist()
        ]
        disconnected: BoolArray = np.isinf(self.lengths(self.slots[chosen], self.slots[chosen]))
        ends = [self.name(vertex) for vertex in vertices.tolist()]
        sentences += [
            f"no path connects {ends[i]} of {self.mention(i)} with {ends[j]} of {self.mention(j)}"
            for i, j in np.argwhere(np.triu(disconnected, 1)).tolist()
        ]
        return sentences or self.factor_violations(vertices)

    def encode(self, structure: IntArray) -> IntArray:
        """Return the chosen members."""
        return self.chosen(structure)

    def decode(self, on_ids: IntArray) -> IntArray:
        """Return the vertices of the members that are on."""
        return self.members[np.asarray(on_ids, np.int64)]

    def infeasibility(self) -> Sequence[str]:
        """Describe sets whose candidates are all forbidden, and pairs of sets that no path connects."""
        sentences = []
        for i in range(self.k):
            own = slice(self.first[i], self.first[i + 1])
            if np.all(np.isinf(self.unary_costs[own])):
                sentences.append(
                    f"all candidates of {self.mention(i)} are forbidden, or no path leads to an anchor"
                )
            for j in range(i):
                other = slice(self.first[j], self.first[j + 1])
                if np.all(np.isinf(self.lengths(self.slots[own], self.slots[other]))):
                    sentences.append(
                        f"no path connects a candidate of {self.mention(j)} with one of {self.mention(i)}"
                    )
        return sentences

    def backbone(self) -> Backbone[IntArray]:
        """Return the choice groups; distances are `structural_factors`."""
        return Backbone(GroupMaximiser(self.decisions), 0.0 - self.unary_costs)

    @functools.cached_property
    def structural_factors(self) -> tuple[Factor, ...]:
        """Scores of the problem's own that `backbone` leaves out: those of pairs of candidates.

        Raises `InvalidProblem`: there are more than a million pairs.
        """
        return (PairCosts(self.first, self._pair_lengths),)

    def _pair_lengths(self, a: IntArray, b: IntArray) -> FloatArray:
        return self._as_float(self.distances[self.slots[a], self.slots[b]])

    def verifier_backbone_bounds(self, weights: FloatArray, fixings: Fixings) -> CheckedBounds:
        """Bound the best of each set under weights of candidates, for verifiers."""
        return choice_bounds(self.decisions, weights, fixings)

    def linear_model(self) -> LinearModel:
        """Build `integer_program`, with rows for factors."""
        lengths = self.lengths(self.slots, self.slots)
        return with_factors(integer_program(self.first, self.unary_costs, lengths), self.factor_set)

    # --- without all the distances

    @property
    def _narrows(self) -> bool:
        """Whether the distances of one structure are cheaper than those of all candidates."""
        return self.graph is not None and not self.distances_known and self.members.size > self.k

    def _narrowed(self, chosen: IntArray) -> LinkingProblem:
        """Return the problem that leaves each set one candidate; the last is cached for value and violations."""
        key = chosen.tobytes()
        cached = self.__dict__.get("_last_narrowed")
        if cached is None or cached[0] != key:
            prior = None if self.prior is None else np.split(np.concatenate(self.prior)[chosen], self.k)
            members = np.split(self.members[chosen], self.k)
            cached = (
                key,
                attrs.evolve(self, candidates=members, prior=prior, factors=()),
            )  # factors read all candidates
            self.__dict__["_last_narrowed"] = cached
        narrowed: LinkingProblem = cached[1]
        return narrowed

    # --- reading structures

    def chosen(self, structure: Any) -> IntArray:
        """Return the members that a structure names, ascending."""
        vertices = self._read(structure)
        if vertices.size != self.k:
            raise InvalidProblem(f"there are {vertices.size} vertices for {self.k} sets")
        members = self._places(vertices)
        if np.any(members < 0):
            i = int(np.flatnonzero(members < 0)[0])
            raise InvalidProblem(f"{vertices[i]} is no candidate of {self.mention(i)}")
        return members

    def _places(self, vertices: IntArray) -> IntArray:
        """Return the member of each vertex in its set; -1 if the set has none."""
        matches = np.flatnonzero(np.repeat(vertices, np.diff(self.first)) == self.members)
        members = np.full(self.k, -1)
        members[np.searchsorted(self.first, matches, "right") - 1] = matches
        return members

    def _read(self, structure: Any) -> IntArray:
        vertices = np.asarray(structure)
        if vertices.ndim != 1 or (vertices.size and vertices.dtype.kind not in "iu"):
            raise InvalidProblem(
                f"a structure is an array of {self.k} vertices, got {vertices.dtype} {vertices.shape}"
            )
        return vertices.astype(np.int64)

    def __repr__(self) -> str:
        return f"<LinkingProblem: {self.k} sets, {self.members.size} candidates>"
