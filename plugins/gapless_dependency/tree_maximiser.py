"""Backbones in the role of maximisers: weights of candidate arcs, with or without labels, under fixings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.decisions.decisions import FREE, OFF, ON
from gapless.roles import Fixings, Maximiser, MaxMarginals, Optimum
from gapless_dependency.arcs import LabelledArcs
from gapless_dependency.backbones import TreeBackbone, largest_sum
from gapless_dependency.problem import ParsingProblem
from gapless_dependency.tree import DependencyTree, crossing, cycle
from gapless_kernels import COMPILED


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


class LabelledTreeMaximiser(Maximiser[DependencyTree]):
    """The maximiser of labelled trees under weights of labelled arcs.

    Parameters
    ----------
    trees : TreeMaximiser
        Over the arcs without labels.
    decisions : LabelledArcs

    Examples
    --------
    >>> import numpy as np
    >>> from gapless_dependency import LabelledParsingProblem
    >>> type(LabelledParsingProblem(np.zeros((3, 3, 2))).backbone().maximiser).__name__
    'LabelledTreeMaximiser'
    """

    def __init__(self, trees: TreeMaximiser, decisions: LabelledArcs) -> None:
        self.trees = trees
        self.largest_internal_term = trees.largest_internal_term
        self.decisions = decisions

    def solve(self, weights: FloatArray, fixings: Fixings) -> Optimum[DependencyTree]:
        """Call the maximiser of trees once, with the weight of the best label of each arc."""
        allowed = self._allowed(weights, fixings)
        top, best = self._best(allowed)
        optimum = self.trees.solve(top, self._arcs_fixed(fixings))
        if optimum.value == -math.inf:
            return Optimum(-math.inf, np.zeros(0, np.int64))
        on_ids = best[optimum.on_ids]
        names = [self.decisions.label_names[label] for label in self.decisions.labels[on_ids]]
        tree = DependencyTree(self.decisions.heads[on_ids], names)
        return Optimum(optimum.value, on_ids, tree, optimum.internal_score)

    def max_marginals(self, weights: FloatArray, fixings: Fixings) -> MaxMarginals:
        """Add the slack of the arc and the loss of the label against the arc's best label."""
        allowed = self._allowed(weights, fixings)
        top, _ = self._best(allowed)
        arcs = self.trees.max_marginals(top, self._arcs_fixed(fixings))
        arc = self.decisions.arc
        with np.errstate(invalid="ignore"):
            # An arc without an allowed label has -inf on both sides, whose difference is NaN and is not used.
            behind = np.where(allowed > -math.inf, top[arc] - allowed, math.inf)
        on = arcs.on[arc] + behind
        groups = self.decisions.first[1:]
        off = np.zeros(on.size)
        for start, stop in zip(groups[:-1].tolist(), groups[1:].tolist(), strict=True):
            costs = on[start:stop]
            if costs.size:
                # Each word has one labelled arc: only the optimal one costs something to turn off.
                cheapest = int(costs.argmin())
                off[start + cheapest] = np.delete(costs, cheapest).min(initial=math.inf)
        return MaxMarginals(on, off)

    def compiled(self) -> Any:
        """Return the maximiser in compiled code if there is one for the trees."""
        trees = self.trees.compiled() if COMPILED else None
        if trees is None:
            return None
        from gapless_kernels.choices._alternatives import Alternatives  # noqa: PLC0415  not without compiled kernels

        return Alternatives(trees, self.decisions.arc)

    def _allowed(self, weights: FloatArray, fixings: Fixings) -> FloatArray:
        """Return the weights, -inf where the fixings or another label that is on exclude the decision."""
        state, arc = fixings.state, self.decisions.arc
        labels_on = np.bincount(arc[state == ON], minlength=self.decisions.arcs.count)[arc]
        possible = (state != OFF) & ((labels_on == 0) | ((labels_on == 1) & (state == ON)))
        return np.where(possible, weights, -math.inf)

    def _best(self, allowed: FloatArray) -> tuple[FloatArray, IntArray]:
        """Return the weight of the best label of each arc, float64 (arcs,), and its decision, int64 (arcs,)."""
        arc, count = self.decisions.arc, self.decisions.arcs.count
        top = np.full(count, -math.inf)
        np.maximum.at(top, arc, allowed)
        best = np.zeros(count, np.int64)
        # Reversed, so that of equally good labels the first is written last, and stays.
        optimal = np.flatnonzero(allowed == top[arc])[::-1]
        best[arc[optimal]] = optimal
        return top, best

    def _arcs_fixed(self, fixings: Fixings) -> Fixings:
        state = np.full(self.decisions.arcs.count, FREE, np.int8)
        state[self.decisions.arc[fixings.on]] = ON
        return Fixings(state)
