"""The backbone of rooted trees: messages between parents and children in the role of a maximiser."""

from __future__ import annotations

import math

import numpy as np

from gapless.core.serial import serialisable
from gapless.core.sparse import FloatArray, IntArray
from gapless_chains.label_maximiser import LabelMaximiser
from gapless_chains.trees.problem import TreeProblem
from gapless_kernels import tree_viterbi


@serialisable("gapless_chains.TreeLabelMaximiser")
class TreeLabelMaximiser(LabelMaximiser[TreeProblem]):
    """The best labelling of a tree or forest under weights of its decisions, O(n K^2).

    The scores of neighbouring labels are the maximiser's own; the label scores are not looked at, they are weights.

    Parameters
    ----------
    problem : TreeProblem

    Examples
    --------
    >>> from gapless.roles import Fixings
    >>> from gapless_chains import TreeProblem
    >>> tree = TreeProblem([[2.0, 0.0], [0.0, 0.5], [1.0, 0.0]], [[0.0, 1.0], [0.0, 0.0]], parents=[-1, 0, 0])
    >>> backbone = tree.backbone()
    >>> backbone.maximiser.solve(backbone.weights, Fixings.none(tree.decisions.count)).value
    4.5
    """

    def _tree(self) -> tuple[IntArray, FloatArray]:
        return self.problem.parents, self.problem.transition

    def _best(self, rows: FloatArray) -> tuple[float, IntArray]:
        labels, values = np.empty(len(rows), np.int64), np.empty(1)
        offsets = np.array([0, len(rows)])
        problem = self.problem
        tree_viterbi(rows, problem.parents, offsets, problem.transition, np.empty(rows.shape), labels, values)
        return float(values[0]), labels

    def _marginals(self, rows: FloatArray) -> FloatArray:
        parents, pairs = self.problem.parents.tolist(), self.problem.pairs
        below, offers = rows.copy(), np.zeros(rows.shape)
        for i in range(len(rows) - 1, -1, -1):
            if parents[i] >= 0:
                offers[i] = (pairs(i) + below[i]).max(axis=1)
                below[parents[i]] += offers[i]
        children: list[list[int]] = [[] for _ in rows]
        roots = [i for i, above in enumerate(parents) if above < 0]
        for i, above in enumerate(parents):
            if above >= 0:
                children[above].append(i)
        # What one offers is left out by sums from both sides: differences of -inf would be NaN.
        outside = np.zeros(rows.shape)
        outside[roots] = _without_each(below[roots].max(axis=1, keepdims=True))
        for above, listed in enumerate(children):
            beside = rows[above] + outside[above] + _without_each(offers[listed])
            for i, left in zip(listed, beside, strict=True):
                outside[i] = (left[:, None] + pairs(i)).max(axis=0)
        marginals = below + outside
        return marginals if marginals[roots[0]].max() > -math.inf else np.full(rows.shape, -math.inf)


def _without_each(rows: FloatArray) -> FloatArray:
    """For each row the sum of all others."""
    before, after = np.zeros(rows.shape), np.zeros(rows.shape)
    before[1:] = np.cumsum(rows[:-1], axis=0)
    after[:-1] = np.cumsum(rows[:0:-1], axis=0)[::-1]
    return before + after
