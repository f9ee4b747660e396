"""A backbone in the role of a maximiser: weights of the candidate arcs of a problem, under fixings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.decisions.decisions import OFF, ON
from gapless.roles import Fixings, Maximiser, MaxMarginals, Optimum
from gapless_dependency.backbones import TreeBackbone, largest_sum
from gapless_dependency.problem import ParsingProblem
from gapless_dependency.shape import crossing, cycle
from gapless_dependency.tree import DependencyTree


class TreeMaximiser(Maximiser[DependencyTree]):
    """The maximiser of trees under weights of arcs; the backbone adds the scores of the factors it absorbs.

    Parameters
    ----------
    problem : ParsingProblem
    backbone : Backbone
        As `backbone_for` gives it for this problem.

    Examples
    --------
    >>> import numpy as np
    >>> from gapless_dependency import ParsingProblem
    >>> scores = np.array([[0, 1, 5, 0], [0, 0, 1, 1], [0, 4, 0, 3], [0, 1, 2, 0.0]])
    >>> from gapless.roles import Fixings
    >>> from gapless_dependency import TreeMaximiser, backbone_for
    >>> problem = ParsingProblem(scores)
    >>> arcs = problem.decisions
    >>> weights = scores[arcs.heads, arcs.modifiers]
    >>> maximiser = TreeMaximiser(problem, backbone_for(problem))
    >>> maximiser.solve(weights, Fixings.none(arcs.count)).value
    12.0
    """

    def __init__(self, problem: ParsingProblem, backbone: TreeBackbone) -> None:
        self.problem = problem
        self.backbone = backbone
        self.has_internal_scores = bool(backbone.scored_factors)
        self.largest_internal_term = largest_sum(problem.length, len(backbone.scored_factors))

    def solve(self, weights: FloatArray, fixings: Fixings) -> Optimum[DependencyTree]:
        """Call the backbone once; `Optimum.internal_score` is the score of the absorbed factors."""
        dense = self.dense_weights(weights, fixings)
        if dense is None:
            return Optimum(-math.inf, np.zeros(0, np.int64))
        value, heads = self.backbone.solve(dense)
        if value == -math.inf:
            return Optimum(value, np.zeros(0, np.int64))
        structure = self.problem.tree(heads[1:])
        on_ids = self.problem.encode(structure)
        own = value - float(weights[on_ids].sum()) if self.backbone.scored_factors else 0.0
        return Optimum(value, on_ids, structure, own)

    def max_marginals(self, weights: FloatArray, fixings: Fixings) -> MaxMarginals:
        """Compute both kinds from max-marginals: an arc is off exactly when another one enters its modifier."""
        arcs = self.problem.decisions
        impossible = np.full(arcs.count, math.inf)
        dense = self.dense_weights(weights, fixings)
        if dense is None:
            return MaxMarginals(impossible, impossible)
        value, _, marginals = self.backbone.max_marginals(dense)
        if value == -math.inf:
            return MaxMarginals(impossible, impossible)
        # Rounding may put a max-marginal slightly above the optimum.
        on = np.maximum(value - marginals[arcs.heads, arcs.modifiers], 0.0)
        best = marginals.argmax(axis=0)
        # Without the best arc into each word, the largest remaining max-marginal is the value with that arc off.
        # All other arcs are off in the optimum, so being off costs them nothing.
        rest = marginals.copy()
        rest[best, np.arange(len(best))] = -math.inf
        off = np.where(best[arcs.modifiers] == arcs.heads, value - rest.max(axis=0)[arcs.modifiers], 0.0)
        return MaxMarginals(on, np.maximum(off, 0.0))

    def compiled(self) -> Any:
        """Return the maximiser in compiled code, or None."""
        return self.backbone.compiled(self.problem.decisions)

    def conflicts(self) -> IntArray:
        """Return the reverse of each arc: no tree contains both."""
        arcs = self.problem.decisions
        return arcs.index[arcs.modifiers, arcs.heads]

    def are_exclusive(self, one: IntArray, other: IntArray) -> BoolArray:
        """Mark pairs that face each other, cross where trees are projective, or both leave a single root."""
        # The verifier has its own version, in `proofs.backbones`: it must not rely on this one.
        arcs, problem = self.problem.decisions, self.problem
        (head, word), (above, below) = ((arcs.heads[ids], arcs.modifiers[ids]) for ids in (one, other))
        never: BoolArray = (head == below) & (above == word)
        if problem.single_root:
            never = never | ((head == 0) & (above == 0))
        if problem.projective:
            (a, c), (b, d) = ((np.minimum(h, m), np.maximum(h, m)) for h, m in ((head, word), (above, below)))
            never = never | ((a < b) & (b < c) & (c < d)) | ((b < a) & (a < d) & (d < c))
        return never

    def internal_score_of(self, on: BoolArray) -> float:
        """Return the score of the absorbed factors; -inf if the arcs are no allowed tree."""
        on_ids = np.flatnonzero(on)
        heads = self.problem.decisions.heads[on_ids]
        words = self.problem.decisions.modifiers[on_ids]
        if not np.array_equal(words, np.arange(1, self.problem.length + 1)):
            return -math.inf
        roots = np.count_nonzero(heads == 0)
        if cycle(heads) or (self.problem.single_root and roots > 1):
            return -math.inf
        if self.problem.projective and crossing(heads) is not None:
            return -math.inf
        return super().internal_score_of(on) if self.backbone.scored_factors else 0.0

    def dense_weights(self, weights: FloatArray, fixings: Fixings) -> FloatArray | None:
        """Arrange weights by [head, modifier], float64 (n + 1, n + 1); None if two heads of a word are fixed on."""
        arcs = self.problem.decisions
        size = arcs.length + 1
        allowed = fixings.state != OFF
        on = fixings.on
        if on.size:
            counts = np.bincount(arcs.modifiers[on], minlength=size)
            if counts.max() > 1:
                return None
            # A fixed head excludes the other heads of its word, which the kernels see as -inf only.
            allowed &= (fixings.state == ON) | (counts[arcs.modifiers] == 0)
        dense = np.full((size, size), -math.inf)
        dense[arcs.heads[allowed], arcs.modifiers[allowed]] = weights[allowed]
        return dense
