"""The best tree, the best bound and its certificate, improved by the rounds of a linear program."""

from __future__ import annotations

import math

import attrs
import numpy as np

from gapless import Certificate
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.arrays.tolerance import meets, round_bound, score_tolerance
from gapless.roles import Branch, InconsistentBound, Tightening, TreeCertificate
from gapless_dependency import DependencyTree, backbone_for
from gapless_pricecut.dual_completion import DualCompletion, OpenParts
from gapless_pricecut.pricing_tables import PricingTables


def linearised(split: PricingTables, on_ids: IntArray) -> FloatArray:
    """Weight the arcs around a tree, float64 (arcs,).

    A scope that fires gives each of its arcs an even share of its score; a scope that lacks a single arc gives that
    arc the whole score. Scopes that lack more arcs, and configuration factors, contribute nothing.
    """
    weights = split.problem.arc_weights.copy()
    on = np.zeros(weights.size, np.int8)
    on[on_ids] = 1
    for block in split.blocks:
        width = block.arcs.shape[1]
        count = on[block.arcs[:, 0]]
        for column in range(1, width):
            count += on[block.arcs[:, column]]  # much faster than a sum over the short axis
        firing = np.flatnonzero((count == width) & block.possible)
        scores = np.maximum(block.scores[firing], -split.loss)
        np.add.at(weights, block.arcs[firing], scores[:, None] / width)
        near = np.flatnonzero((count == width - 1) & block.possible)
        missing = block.arcs[near, (on[block.arcs[near]] == 0).argmax(axis=1)]
        np.add.at(weights, missing, np.maximum(block.scores[near], -split.loss))
    return weights


REPARSES = 3
"""Number of parses with scores linearised around a tree, for each better tree."""


@attrs.frozen(eq=False)
class CompletedBound:
    """A bound on the trees of some alive arcs.

    `tree` (int64 (n,)): arcs of the best tree under the completed weights; empty when there is none. `through`
    (float64 (arcs,)): a bound on the trees with each arc.
    """

    bound: float
    tree: IntArray
    through: FloatArray


class BoundState:
    """The best tree and the best bound known of a problem.

    Parameters
    ----------
    alive : bool (arcs,)
        Space of trees to search.

    Attributes
    ----------
    bound : float
        On all trees of the alive arcs that were given.
    evidence : Certificate or None
        For `bound`.
    alive : bool (arcs,)
        Less the arcs that no better tree has.
    """

    def __init__(self, parts: PricingTables, alive: BoolArray) -> None:
        self.parts, self.problem, self.arcs = parts, parts.problem, parts.arcs
        self.oracle = backbone_for(self.problem, "first")
        self.alive = alive
        self.tree: DependencyTree | None = None
        self.on_ids: IntArray = np.zeros(0, np.int64)
        self.value, self.bound = -math.inf, math.inf
        self._kept: tuple[DualCompletion, OpenParts] | None = None
        self.tightenings: list[Tightening] = []
        self.calls = 0
        self._seen: set[bytes] = set()

    @classmethod
    def of_all(cls, parts: PricingTables) -> BoundState:
        """Return the state with all arcs alive."""
        return cls(parts, np.ones(parts.arcs.count, bool))

    # --- trees

    def offer(self, tree: DependencyTree) -> bool:
        """Store a tree if it is better than the incumbent; return whether it was."""
        value = self.problem.value(tree)
        if value <= self.value:
            return False
        self._doubt(value, self.bound)
        self.tree, self.value, self.on_ids = tree, value, self.problem.encode(tree)
        return True

    def _doubt(self, value: float, bound: float) -> None:
        """Raise if a bound is below the incumbent, which is always among the alive trees."""
        if value > bound + score_tolerance(value):
            raise InconsistentBound(
                f"the trees are bounded by {bound:.12g}, but one of them scores {value:.12g}: the tree oracle or a "
                "score is wrong"
            )

    def best_tree(self, weights: FloatArray) -> IntArray:
        """Return the arcs of the best tree of alive arcs under some weights; empty if there is none."""
        self.calls += 1
        value, heads = self.oracle.solve(self._dense(weights))
        return np.zeros(0, np.int64) if value == -math.inf else self._ids(heads)

    def improve(self, on_ids: IntArray) -> bool:
        """Offer a tree, then trees from scores linearised around it; return whether the incumbent improved."""
        previous = self.value
        for step in range(1 + REPARSES):
            key = on_ids.tobytes()
            # The point often rounds to the same tree: its neighbourhood has been explored already.
            if not on_ids.size or key in self._seen:
                break
            self._seen.add(key)
            if not self.offer(self.problem.decode(on_ids)) and step:
                break
            on_ids = self.best_tree(linearised(self.parts, on_ids))
        return self.value > previous

    def _dense(self, weights: FloatArray) -> FloatArray:
        size = self.arcs.length + 1
        dense = np.full((size, size), -np.inf)
        heads, words = self.arcs.heads[self.alive], self.arcs.modifiers[self.alive]
        dense[heads, words] = weights[self.alive]
        return dense

    def _ids(self, heads: IntArray) -> IntArray:
        ids: IntArray = np.sort(self.arcs.index[heads[1:], np.arange(1, heads.size)])
        return ids

    # --- bounds

    def bounded(self, completion: DualCompletion) -> CompletedBound:
        """Bound the trees of alive arcs by completed prices: any prices give a true bound."""
        self.calls += 1
        value, heads, through = self.oracle.max_marginals(self._dense(completion.weights))
        if value == -math.inf:
            return CompletedBound(value, np.zeros(0, np.int64), np.full(self.arcs.count, -np.inf))
        # Bounds on the trees with each arc cost no more than one bound: inside and outside pass, or reduced costs.
        each = through[self.arcs.heads, self.arcs.modifiers] + completion.constant
        return CompletedBound(self._closed(value + completion.constant), self._ids(heads), each)

    def _closed(self, bound: float) -> float:
        """Round a bound to the granularity; return -inf if it is below the score of any allowed tree."""
        bound = round_bound(bound, self.problem.granularity)
        if self.tree is None and self.parts.below_all(bound):
            return -math.inf
        return bound

    def keep(self, bounded: CompletedBound, completion: DualCompletion, open_parts: OpenParts) -> None:
        """Store a bound if it is better than the current one."""
        self._doubt(self.value, bounded.bound)
        # Once arcs were dropped against the incumbent, a bound on the rest says nothing of trees as good as it.
        bound = max(bounded.bound, self.value) if self.tightenings else bounded.bound
        if bound < self.bound:
            self._kept = completion, open_parts
            self.bound = bound

    @property
    def multipliers(self) -> FloatArray | None:
        """Evidence of the bound, as `PricingTables.multipliers`; None while there is none."""
        return None if self._kept is None else self._multipliers_of(*self._kept)

    def _multipliers_of(self, completion: DualCompletion, open_parts: OpenParts) -> FloatArray:
        """As `PricingTables.multipliers`, but groups without an alive row get a level that charges nothing."""
        level = np.full(self.parts.group_lower.size, np.inf)
        level[open_parts.groups] = completion.level
        return self.parts.multipliers(level, completion.shares, completion.taken)

    def fix(self, bounded: CompletedBound, completion: DualCompletion, open_parts: OpenParts) -> IntArray:
        """Drop the arcs that no tree better than the incumbent contains, and return them."""
        # Scores are multiples of the granularity, so a better tree is better by one; half of it absorbs rounding.
        dropped = self.alive & (bounded.through <= self.value + 0.5 * (self.problem.granularity or 0.0))
        dropped[self.on_ids] = False
        arcs = np.flatnonzero(dropped)
        if arcs.size:
            evidence = self.parts.certificate(self._multipliers_of(completion, open_parts))
            self.tightenings.append(Tightening((), tuple(arcs), evidence))
            self.alive = self.alive & ~dropped
        return arcs

    @property
    def closed(self) -> bool:
        """Whether the bound meets the incumbent, or is -inf: there is no tree."""
        return self.bound == -math.inf or (self.tree is not None and meets(self.bound, self.value))

    def certificate(self) -> Certificate | None:
        """Return the certificate of `bound`; None while there is none."""
        multipliers = self.multipliers
        if multipliers is None:
            return None
        leaf = self.parts.certificate(multipliers)
        if not self.tightenings:
            return leaf
        # A single node whose tightenings prove that the dropped arcs are in no better tree.
        return TreeCertificate((-1,), (Branch(),), {"0": leaf}, {"0": tuple(self.tightenings)})
