"""A backbone in the role of a maximiser: weights over the candidate arcs of a problem, under fixings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gapless.core.decisions import OFF, ON
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.roles import Fixings, Maximised, Maximiser, Slacks
from gapless_dependency.backbones import Backbone, largest_sum
from gapless_dependency.problem import ParsingProblem
from gapless_dependency.shape import crossing, cycle
from gapless_dependency.tree import DependencyTree


class TreeMaximiser(Maximiser[DependencyTree]):
    """The best tree under weights of a problem's arcs; see `Backbone` for what is counted besides the weights.

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

    def __init__(self, problem: ParsingProblem, backbone: Backbone) -> None:
        self.problem = problem
        self.backbone = backbone
        self.has_own = bool(backbone.absorbed)
        self.largest_own = largest_sum(problem.length, len(backbone.absorbed))

    def solve(self, weights: FloatArray, fixings: Fixings) -> Maximised[DependencyTree]:
        """One call of the backbone; `Maximised.own` is the score of the parts that it has absorbed."""
        dense = self.dense_weights(weights, fixings)
        if dense is None:
            return Maximised(-math.inf, np.zeros(0, np.int64))
        value, heads = self.backbone.solve(dense)
        if value == -math.inf:
            return Maximised(value, np.zeros(0, np.int64))
        structure = self.problem.tree(heads[1:])
        on_ids = self.problem.encode(structure)
        own = value - float(weights[on_ids].sum()) if self.backbone.absorbed else 0.0
        return Maximised(value, on_ids, structure, own)

    def slacks(self, weights: FloatArray, fixings: Fixings) -> Slacks:
        """Both kinds, from max-marginals: an arc is off exactly when another one enters its modifier."""
        arcs = self.problem.decisions
        impossible = np.full(arcs.count, math.inf)
        dense = self.dense_weights(weights, fixings)
        if dense is None:
            return Slacks(impossible, impossible)
        value, _, marginals = self.backbone.max_marginals(dense)
        if value == -math.inf:
            return Slacks(impossible, impossible)
        on = np.maximum(value - marginals[arcs.heads, arcs.modifiers], 0.0)
        best = marginals.argmax(axis=0)
        rest = marginals.copy()
        rest[best, np.arange(len(best))] = -math.inf
        off = np.where(best[arcs.modifiers] == arcs.heads, value - rest.max(axis=0)[arcs.modifiers], 0.0)
        return Slacks(on, np.maximum(off, 0.0))

    def compiled(self) -> Any:
        """The same in compiled code."""
        return self.backbone.compiled(self.problem.decisions)

    def rivals(self) -> IntArray:
        """The reverse of each arc."""
        arcs = self.problem.decisions
        return arcs.index[arcs.modifiers, arcs.heads]

    def excludes(self, one: IntArray, other: IntArray) -> BoolArray:
        """Arcs that face each other, that cross where trees are projective, or that both leave a single root."""
        arcs, problem = self.problem.decisions, self.problem
        (head, word), (above, below) = ((arcs.heads[at], arcs.modifiers[at]) for at in (one, other))
        never: BoolArray = (head == below) & (above == word)
        if problem.single_root:
            never = never | ((head == 0) & (above == 0))
        if problem.projective:
            (a, c), (b, d) = ((np.minimum(h, m), np.maximum(h, m)) for h, m in ((head, word), (above, below)))
            never = never | ((a < b) & (b < c) & (c < d)) | ((b < a) & (a < d) & (d < c))
        return never

    def own_score(self, on: BoolArray) -> float:
        """Score of the absorbed parts, if the arcs are a tree."""
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
        return super().own_score(on) if self.backbone.absorbed else 0.0

    def dense_weights(self, weights: FloatArray, fixings: Fixings) -> FloatArray | None:
        """The weights [head, modifier], float64 (n + 1, n + 1); None when two heads of a word are fixed on."""
        arcs = self.problem.decisions
        size = arcs.length + 1
        allowed = fixings.state != OFF
        on = fixings.on
        if on.size:
            counts = np.bincount(arcs.modifiers[on], minlength=size)
            if counts.max() > 1:
                return None
            allowed &= (fixings.state == ON) | (counts[arcs.modifiers] == 0)
        dense = np.full((size, size), -math.inf)
        dense[arcs.heads[allowed], arcs.modifiers[allowed]] = weights[allowed]
        return dense
