"""The best label for every position of a chain, under label scores and scores of neighbouring labels."""

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
from gapless_chains.label_maximiser import ViterbiMaximiser
from gapless_chains.node_labelling import NodeLabelling
from gapless_chains.polytope import local_polytope
from gapless_chains.reachability import every_position_reachable, reached_from_left
from gapless_chains.scores import as_final, as_initial, as_names, as_transition, check_ends, immutable, scores


def _unary(values: Any) -> FloatArray:
    return scores("unary", values)


@serialisable("gapless_chains.ChainProblem")
@attrs.frozen(eq=False, slots=False, repr=False)
class ChainProblem(NodeLabelling):
    """Maximise ``initial[y_0] + sum_i unary[i, y_i] + sum_i transition[i, y_i, y_{i+1}] + final[y_{n-1}]``.

    A structure is an int64 array (n,) of labels. Any score may be minus infinity, which forbids. Scores are copied
    to immutable float64 arrays; problems made by `many`, by a `ChainModel`, or from the ``transition`` of another
    problem share theirs.

    Parameters
    ----------
    unary : (n, K) array of numbers
        Score of each label at each position; n and K at least 1.
    transition : (K, K) or (n-1, K, K) array of numbers
        Score of neighbouring labels, source first; one matrix for all edges or one for each.
    initial, final : (K,) array of numbers, optional
        Score of the first and of the last label.
    labels : sequence of K str, optional
        Names, for messages.
    factors : sequence of Factor or ConfigurationFactor, optional
        Scores of sets of decisions, beyond those above; see `gapless.Problem`.

    Raises
    ------
    InvalidProblem
        Empty, wrong shape, not numbers, NaN, plus infinity; the message names array and index.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> result = gl.solve(problem)
    >>> result.best, result.value
    (array([1, 1]), 2.0)
    """

    shape_word: ClassVar[str] = "chain"
    node_word: ClassVar[str] = "token"
    nodes_word: ClassVar[str] = "positions"
    unary: FloatArray = attrs.field(converter=_unary)
    transition: FloatArray = attrs.field(converter=as_transition)
    initial: FloatArray | None = attrs.field(converter=as_initial, default=None, kw_only=True)
    final: FloatArray | None = attrs.field(converter=as_final, default=None, kw_only=True)
    labels: tuple[str, ...] | None = attrs.field(converter=as_names, default=None, kw_only=True)
    factors: tuple[Factor | ConfigurationFactor, ...] = attrs.field(
        converter=as_factors, default=(), kw_only=True, metadata=WRITTEN_FACTORS
    )

    def __attrs_post_init__(self) -> None:
        shape = self.unary.shape
        if len(shape) != 2 or 0 in shape:
            raise InvalidProblem(
                f"unary has shape {shape}, expected (n, K) with at least one position and one label"
                + ("; an empty sentence has nothing to decode, leave it out" if 0 in shape else "")
                + (
                    "; many padded sentences are for ChainModel(transition).batch(unary, mask=...)"
                    if len(shape) == 3
                    else ""
                )
            )
        n, k = shape
        if self.transition.shape not in ((k, k), (n - 1, k, k)):
            raise InvalidProblem(
                f"transition has shape {self.transition.shape}, expected {(k, k)} or {(n - 1, k, k)} "
                f"because unary has shape {shape}"
            )
        check_ends(k, self.labels, initial=self.initial, final=self.final)

    @classmethod
    def many(
        cls,
        unaries: Iterable[Any],
        transition: Any,
        *,
        initial: Any = None,
        final: Any = None,
        labels: Sequence[str] | None = None,
        factors: Sequence[Factor | ConfigurationFactor] = (),
    ) -> list[ChainProblem]:
        """Make one problem per entry of `unaries`, all sharing the other scores, which are checked and copied once.

        Each has all `factors`, whose scopes are those of its own decisions.
        """
        shared, start, end, names = (
            as_transition(transition),
            as_initial(initial),
            as_final(final),
            as_names(labels),
        )
        shared_factors, sentences = as_factors(factors), given_sequence(unaries, "unaries")
        return [
            cls(unary, shared, initial=start, final=end, labels=names, factors=shared_factors)
            for unary in sentences
        ]

    # --- sizes and derived arrays

    @cached_property
    def local(self) -> FloatArray:
        """`unary` with the scores of starting and ending added to its ends, float64 (n, K), read-only."""
        if self.initial is None and self.final is None:
            return self.unary
        folded = self.unary.copy()
        if self.initial is not None:
            folded[0] += self.initial
        if self.final is not None:
            folded[-1] += self.final
        return immutable(folded)

    # --- the role

    def _forbidden_transitions(self, labels: IntArray) -> list[str]:
        return [
            f"the transition {self._label(labels[i])} -> {self._label(labels[i + 1])} after token {i} is forbidden"
            for i in np.flatnonzero(self._pair_scores(labels)[1:] == -np.inf)
        ]

    def infeasibility(self) -> Sequence[str]:
        """Describe tokens without a label, or else the first edge that no allowed path crosses."""
        unlabelled = self._unlabelled()
        if unlabelled:
            return unlabelled
        if every_position_reachable(self.local, self.transition):
            return []
        dead = np.flatnonzero(~reached_from_left(self.local, self.transition).any(axis=1))
        if not dead.size:
            return []
        return [
            f"no transition survives after token {dead[0] - 1}: from every label that an allowed path reaches "
            f"there, all transitions to the allowed labels of token {dead[0]} are -inf"
        ]

    def linear_model(self) -> LinearModel:
        """Build the local polytope, see `local_polytope`, with rows for factors."""
        return with_factors(local_polytope(self.local, self.transition), self.factor_set)

    def edges(self) -> tuple[Sequence[int], Callable[[int], FloatArray]]:
        """Return a path rooted at the first position; the pair scores of an edge belong to its right end."""
        same = self.transition.ndim == 2
        return range(-1, self.positions - 1), lambda i: self.transition if same else self.transition[i - 1]

    def backbone(self) -> Backbone[IntArray]:
        """Return Viterbi's algorithm: label scores are its weights, transition scores its internal scores."""
        return Backbone(ViterbiMaximiser(self), self.local.ravel())

    def _pair_scores(self, labels: IntArray) -> FloatArray:
        pairs = np.zeros(labels.size)
        edge = () if self.transition.ndim == 2 else (np.arange(labels.size - 1),)
        pairs[1:] = self.transition[(*edge, labels[:-1], labels[1:])]
        return pairs
