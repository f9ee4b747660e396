"""The backbone of labelled parsing: the best label of each arc, then the best tree."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gapless.core.decisions import FREE, OFF, ON
from gapless.core.sparse import FloatArray, IntArray
from gapless.roles import Fixings, Maximised, Maximiser, Slacks
from gapless_dependency.labelled_arcs import LabelledArcs
from gapless_dependency.tree import DependencyTree
from gapless_dependency.tree_maximiser import TreeMaximiser
from gapless_kernels import COMPILED


class LabelledTreeMaximiser(Maximiser[DependencyTree]):
    """The best labelled tree under weights of labelled arcs.

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
        self.largest_own = trees.largest_own
        self.decisions = decisions

    def solve(self, weights: FloatArray, fixings: Fixings) -> Maximised[DependencyTree]:
        """One call of the maximiser of trees."""
        allowed = self._allowed(weights, fixings)
        top, best = self._best(allowed)
        found = self.trees.solve(top, self._arcs_fixed(fixings))
        if found.value == -math.inf:
            return Maximised(-math.inf, np.zeros(0, np.int64))
        on_ids = best[found.on_ids]
        names = [self.decisions.label_names[label] for label in self.decisions.labels[on_ids]]
        tree = DependencyTree(self.decisions.heads[on_ids], names)
        return Maximised(found.value, on_ids, tree, found.own)

    def slacks(self, weights: FloatArray, fixings: Fixings) -> Slacks:
        """Those of the arc, and what the label costs against the arc's best one; off when another is cheapest."""
        allowed = self._allowed(weights, fixings)
        top, _ = self._best(allowed)
        arcs = self.trees.slacks(top, self._arcs_fixed(fixings))
        arc = self.decisions.arc
        with np.errstate(invalid="ignore"):
            behind = np.where(allowed > -math.inf, top[arc] - allowed, math.inf)
        on = arcs.on[arc] + behind
        groups = self.decisions.first[1:]
        off = np.zeros(on.size)
        for start, stop in zip(groups[:-1].tolist(), groups[1:].tolist(), strict=True):
            costs = on[start:stop]
            if costs.size:
                chosen = int(costs.argmin())
                off[start + chosen] = np.delete(costs, chosen).min(initial=math.inf)
        return Slacks(on, off)

    def compiled(self) -> Any:
        """The same in compiled code, where there is one for the trees."""
        trees = self.trees.compiled() if COMPILED else None
        if trees is None:
            return None
        from gapless_kernels.choices._alternatives import Alternatives  # noqa: PLC0415  not without compiled kernels

        return Alternatives(trees, self.decisions.arc)

    def _allowed(self, weights: FloatArray, fixings: Fixings) -> FloatArray:
        """Weights, -inf where the fixings or another label of the same arc that is on leave a decision out."""
        state, arc = fixings.state, self.decisions.arc
        labels_on = np.bincount(arc[state == ON], minlength=self.decisions.arcs.count)[arc]
        possible = (state != OFF) & ((labels_on == 0) | ((labels_on == 1) & (state == ON)))
        return np.where(possible, weights, -math.inf)

    def _best(self, allowed: FloatArray) -> tuple[FloatArray, IntArray]:
        """The weight of the best label of each arc, float64 (arcs,), and its decision, int64 (arcs,)."""
        arc, count = self.decisions.arc, self.decisions.arcs.count
        top = np.full(count, -math.inf)
        np.maximum.at(top, arc, allowed)
        best = np.zeros(count, np.int64)
        attained = np.flatnonzero(allowed == top[arc])[::-1]
        best[arc[attained]] = attained
        return top, best

    def _arcs_fixed(self, fixings: Fixings) -> Fixings:
        state = np.full(self.decisions.arcs.count, FREE, np.int8)
        state[self.decisions.arc[fixings.on]] = ON
        return Fixings(state)
