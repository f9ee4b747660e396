"""The best label for every node of a tree, under label scores and scores of a parent's and a child's label."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, ClassVar

import attrs
import numpy as np

from gapless import InvalidProblem
from gapless.arrays.array_input import given_sequence
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.factors.factor_json import WRITTEN_FACTORS
from gapless.factors.factor_rows import with_factors
from gapless.factors.factor_set import as_factors
from gapless.roles import Backbone, ConfigurationFactor, Factor, LinearModel, serialisable
from gapless_chains.label_maximiser import TreeLabelMaximiser
from gapless_chains.node_labelling import NodeLabelling
from gapless_chains.polytope import local_polytope
from gapless_chains.reachability import reached_from_below
from gapless_chains.scores import as_names, as_transition, check_ends, scores


def _unary(values: Any) -> FloatArray:
    return scores("unary", values)


def _parents(values: Any) -> IntArray:
    try:
        array = np.asarray(values)
    except (ValueError, TypeError) as error:
        raise InvalidProblem(f"parents is not a list of integers: {error}") from error
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InvalidProblem(
            f"parents has shape {array.shape} and dtype {array.dtype}, expected one integer for each node"
        )
    parents = np.array(array, dtype=np.int64)
    parents.flags.writeable = False
    return parents


@serialisable("gapless_chains.TreeProblem")
@attrs.frozen(eq=False, slots=False, repr=False)
class TreeProblem(NodeLabelling):
    """Maximise ``sum_i unary[i, y_i] + sum_i transition[y_p(i), y_i]``, over nodes i and their parents p(i).

    A structure is an int64 array (n,) of labels. Any score may be minus infinity, which forbids. Scores are copied
    to immutable float64 arrays; problems made by `many`, or from the ``transition`` of another problem, share
    theirs. Several roots make a forest, whose trees are labelled independently.

    Parameters
    ----------
    unary : (n, K) array of numbers
        Score of each label at each node; n and K at least 1.
    transition : (K, K) or (n, K, K) array of numbers
        Score of neighbouring labels, the parent's first. One matrix for all edges, or one for each: entry i is for
        the edge from ``parents[i]`` to i. Where i is a root it holds scores like the others, which count nowhere.
    parents : (n,) integers
        The parent of each node, which comes before the node; -1 for a root.
    labels : sequence of K str, optional
        Names, for messages.
    factors : sequence of Factor or ConfigurationFactor, optional
        Scores of sets of decisions, beyond those above; see `gapless.Problem`.

    Raises
    ------
    InvalidProblem
        Empty, wrong shape, not numbers, NaN, plus infinity, or a parent that does not come before its child; the
        message names array and index.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_chains import TreeProblem
    >>> tree = TreeProblem([[2.0, 0.0], [0.0, 0.5], [1.0, 0.0]], [[0.0, 1.0], [0.0, 0.0]], parents=[-1, 0, 0])
    >>> gl.solve(tree).best
    array([0, 1, 0])
    """

    shape_word: ClassVar[str] = "tree"
    node_word: ClassVar[str] = "node"
    unary: FloatArray = attrs.field(converter=_unary)
    transition: FloatArray = attrs.field(converter=as_transition)
    parents: IntArray = attrs.field(converter=_parents)
    labels: tuple[str, ...] | None = attrs.field(converter=as_names, default=None, kw_only=True)
    factors: tuple[Factor | ConfigurationFactor, ...] = attrs.field(
        converter=as_factors, default=(), kw_only=True, metadata=WRITTEN_FACTORS
    )

    def __attrs_post_init__(self) -> None:
        shape = self.unary.shape
        if len(shape) != 2 or 0 in shape:
            raise InvalidProblem(
                f"unary has shape {shape}, expected (n, K) with at least one node and one label"
                + ("; an empty tree has nothing to decode, leave it out" if 0 in shape else "")
            )
        n, k = shape
        if self.transition.shape not in ((k, k), (n, k, k)):
            raise InvalidProblem(
                f"transition has shape {self.transition.shape}, expected {(k, k)} or {(n, k, k)} "
                f"because unary has shape {shape}"
            )
        if self.parents.shape != (n,):
            raise InvalidProblem(f"parents has shape {self.parents.shape}, expected {(n,)}, one for each node")
        self._check_order()
        check_ends(k, self.labels)

    @classmethod
    def many(
        cls,
        unaries: Iterable[Any],
        transition: Any,
        parents: Iterable[Any],
        *,
        labels: Sequence[str] | None = None,
        factors: Sequence[Factor | ConfigurationFactor] = (),
    ) -> list[TreeProblem]:
        """Make one problem per pair of `unaries` and `parents`, all sharing `transition`, checked and copied once.

        Each has all `factors`, whose scopes are those of its own decisions.

        Raises
        ------
        InvalidProblem
            As the class, and when there are more of the one than of the other.
        """
        shared, names = as_transition(transition), as_names(labels)
        scored, linked = given_sequence(unaries, "unaries"), given_sequence(parents, "parents")
        if len(scored) != len(linked):
            raise InvalidProblem(
                f"there are {len(scored)} unaries, but {len(linked)} parents; give one of each for every tree"
            )
        shared_factors = as_factors(factors)
        return [
            cls(unary, shared, above, labels=names, factors=shared_factors)
            for unary, above in zip(scored, linked, strict=True)
        ]

    def _check_order(self) -> None:
        n = self.positions
        wrong = np.flatnonzero((self.parents < -1) | (self.parents >= np.arange(n)))
        if not wrong.size:
            return
        i = int(wrong[0])
        parent = int(self.parents[i])
        if not -1 <= parent < n:
            raise InvalidProblem(f"parents[{i}] is {parent}, expected -1 for a root or a node from 0 to {n - 1}")
        raise InvalidProblem(
            f"parents[{i}] is {parent}, but a parent comes before its child ({wrong.size} in all): number "
            "the nodes from the roots down; if that is impossible, some nodes are their own ancestors"
        )

    # --- derived arrays

    @property
    def local(self) -> FloatArray:
        """`unary`: no other score depends on one label only."""
        return self.unary

    @cached_property
    def inner(self) -> IntArray:
        """Nodes that have a parent, ascending: the targets of the edges."""
        return np.flatnonzero(self.parents >= 0)

    @cached_property
    def roots(self) -> IntArray:
        """For each node the root of its tree, int64 (n,)."""
        roots = list(range(self.positions))
        # Parents precede their children, so the parent's root is known.
        for i, parent in enumerate(self.parents.tolist()):
            if parent >= 0:
                roots[i] = roots[parent]
        return np.array(roots, np.int64)

    def pairs(self, node: int) -> FloatArray:
        """Return the pair scores of the edge above a node, float64 (K, K), the parent's label first."""
        return self.transition if self.transition.ndim == 2 else self.transition[node]

    # --- the role

    def infeasibility(self) -> Sequence[str]:
        """Describe nodes without a label, or else the lowest nodes whose subtree has no labelling."""
        unlabelled = self._unlabelled()
        if unlabelled:
            return unlabelled
        dead = np.logical_not(reached_from_below(self.unary, self.parents.tolist(), self.pairs).any(axis=1))
        dead_below = np.zeros(self.positions, bool)
        dead_below[self.parents[self.inner[dead[self.inner]]]] = True
        return [
            f"no label of node {i} is left: each is -inf, or all its transitions to what is left of a child are"
            for i in np.flatnonzero(dead & ~dead_below)
        ]

    def linear_model(self) -> LinearModel:
        """Build the local polytope, edges in the order of their lower ends, with rows for factors."""
        pairs = self.transition if self.transition.ndim == 2 else self.transition[self.inner]
        return with_factors(
            local_polytope(self.unary, pairs, (self.parents[self.inner], self.inner)), self.factor_set
        )

    def edges(self) -> tuple[Sequence[int], Callable[[int], FloatArray]]:
        """Return `parents` as a list, and `pairs`."""
        return self.parents.tolist(), self.pairs

    def backbone(self) -> Backbone[IntArray]:
        """Return messages along the edges: label scores are weights, transition scores internal scores."""
        return Backbone(TreeLabelMaximiser(self), self.local.ravel())

    def _pair_scores(self, labels: IntArray) -> FloatArray:
        pairs = np.zeros(labels.size)
        edge = () if self.transition.ndim == 2 else (self.inner,)
        pairs[self.inner] = self.transition[(*edge, labels[self.parents[self.inner]], labels[self.inner])]
        return pairs

    def _forbidden_transitions(self, labels: IntArray) -> list[str]:
        broken = np.flatnonzero(self._pair_scores(labels) == -np.inf)
        return [
            f"the transition {self._label(labels[p])} -> {self._label(labels[i])} from node {p} to node {i} "
            "is forbidden"
            for p, i in zip(self.parents[broken].tolist(), broken.tolist(), strict=True)
        ]
