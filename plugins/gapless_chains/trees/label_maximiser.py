"""The backbone of rooted trees: messages between parents and children in the role of a maximiser."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from gapless.arrays.serial import serialisable
from gapless.arrays.sparse import FloatArray, IntArray
from gapless_chains.label_maximiser import LabelMaximiser
from gapless_kernels import tree_viterbi


@serialisable("gapless_chains.TreeLabelMaximiser")
class TreeLabelMaximiser(LabelMaximiser):
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

    @cached_property
    def _parents(self) -> IntArray:
        return np.array(self.problem.edges()[0], np.int64)

    def _tree(self) -> tuple[IntArray, FloatArray]:
        return self._parents, self.problem.transition

    def _best(self, rows: FloatArray) -> tuple[float, IntArray]:
        labels, values = np.empty(len(rows), np.int64), np.empty(1)
        offsets = np.array([0, len(rows)])
        parents, transition = self._tree()
        tree_viterbi(rows, parents, offsets, transition, np.empty(rows.shape), labels, values)
        return float(values[0]), labels

    def _marginals(self, rows: FloatArray) -> FloatArray:
        parents, pairs = self.problem.edges()
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
        outside = np.zeros(rows.shape)
        outside[roots] = sums_of_others(below[roots].max(axis=1, keepdims=True))
        for above, listed in enumerate(children):
            others = rows[above] + outside[above] + sums_of_others(offers[listed])
            for i, parent_scores in zip(listed, others, strict=True):
                outside[i] = (parent_scores[:, None] + pairs(i)).max(axis=0)
        marginals = below + outside
        return marginals if marginals[roots[0]].max() > -math.inf else np.full(rows.shape, -math.inf)


def sums_of_others(rows: FloatArray) -> FloatArray:
    """Compute for each row the sum of the other rows.

    The sum over all rows minus the row would be NaN for minus infinity, and would round small messages away beside
    a large one.
    """
    prefix, suffix = np.zeros(rows.shape), np.zeros(rows.shape)
    np.cumsum(rows[:-1], axis=0, out=prefix[1:])
    suffix[:-1] = np.cumsum(rows[:0:-1], axis=0)[::-1]
    return prefix + suffix
