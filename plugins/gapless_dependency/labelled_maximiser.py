"""The backbone of labelled parsing: the best label of each arc, then the best tree."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.decisions.decisions import FREE, OFF, ON
from gapless.roles import Fixings, Maximiser, MaxMarginals, Optimum
from gapless_dependency.arcs import LabelledArcs
from gapless_dependency.tree import DependencyTree
from gapless_dependency.tree_maximiser import TreeMaximiser
from gapless_kernels import COMPILED


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
