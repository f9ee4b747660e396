"""The backbones of chains and trees of labels: Viterbi's algorithm, and messages between parents and children."""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import cached_property
from typing import Any

import numpy as np

from gapless.arrays.score_array import LARGEST
from gapless.arrays.serial import serialisable
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.roles import Fixings, Maximiser, MaxMarginals, Optimum
from gapless_chains.node_labelling import NodeLabelling
from gapless_kernels import COMPILED, forward_messages, tree_viterbi, viterbi


class LabelMaximiser(Maximiser[IntArray]):
    """The best labelling under weights of a problem's decisions, the scores of neighbouring labels being its own.

    Parameters
    ----------
    problem : ChainProblem or TreeProblem
        Its label scores are not looked at: they are weights, see `Problem.backbone`.
    """

    def __init__(self, problem: NodeLabelling) -> None:
        self.problem = problem
        self.largest_internal_term = 2 * LARGEST * len(problem.unary)

    def internal_score_limit(self) -> float:
        """Return the largest transition score."""
        return float(np.max(self.problem.transition, initial=0.0))

    def to_fields(self) -> dict[str, Any]:
        """Return the problem, for JSON."""
        return {"problem": self.problem}

    def solve(self, weights: FloatArray, fixings: Fixings) -> Optimum[IntArray]:
        """Pass messages once; `Optimum.internal_score` is the score of neighbouring labels."""
        value, labels = self._best(self._rows(weights, fixings))
        if value == -math.inf:
            return Optimum(value, np.zeros(0, np.int64))
        on_ids = self.problem.encode(labels)
        # The difference, not a second sum over the transitions: callers add both parts up and must get the
        # value.
        return Optimum(value, on_ids, labels, value - float(weights[on_ids].sum()))

    def max_marginals(self, weights: FloatArray, fixings: Fixings) -> MaxMarginals:
        """Derive both kinds from max-marginals: a label is off exactly when its node has another one."""
        marginals = self._marginals(self._rows(weights, fixings))
        value = marginals[0].max()
        if value == -math.inf:
            impossible = np.full(weights.shape, math.inf)
            return MaxMarginals(impossible, impossible)
        # With its best label off, a node takes the second best; with any other label off, the optimum stays
        # possible.
        best = marginals.argmax(axis=1)[:, None]
        rest = marginals.copy()
        np.put_along_axis(rest, best, -math.inf, axis=1)
        off = np.zeros(marginals.shape)
        np.put_along_axis(off, best, value - rest.max(axis=1, keepdims=True), axis=1)
        return MaxMarginals(np.maximum(value - marginals, 0.0).ravel(), np.maximum(off, 0.0).ravel())

    def _rows(self, weights: FloatArray, fixings: Fixings) -> FloatArray:
        """Arrange the weights by node, float64 (n, K), with -inf for labels that the fixings exclude."""
        return np.where(self.problem.free(fixings), weights.reshape(self.problem.unary.shape), -math.inf)

    def compiled(self) -> Any:
        """Return the same maximiser in compiled code."""
        if not COMPILED:
            return None
        from gapless_kernels.trees._tree_backbone import TreeLabels  # noqa: PLC0415  not without compiled kernels

        return TreeLabels(*self._tree())

    @abstractmethod
    def _tree(self) -> tuple[IntArray, FloatArray]:
        """Return parents, int64 (n,), and pair scores, float64 (K, K) or (n, K, K), the parent's label first."""

    @abstractmethod
    def _best(self, rows: FloatArray) -> tuple[float, IntArray]:
        """Find the best value (-inf if there is none) and labelling under label scores float64 (n, K)."""

    @abstractmethod
    def _marginals(self, rows: FloatArray) -> FloatArray:
        """Compute the best value with each label of each node, float64 (n, K)."""


@serialisable("gapless_chains.ViterbiMaximiser")
class ViterbiMaximiser(LabelMaximiser):
    """The best labelling of a chain under weights of its decisions, O(n K^2) (Viterbi 1967).

    The scores of neighbouring labels are the maximiser's own; the label scores are not looked at, they are weights.

    Parameters
    ----------
    problem : ChainProblem

    Examples
    --------
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> from gapless.roles import Fixings
    >>> from gapless_chains import ViterbiMaximiser
    >>> maximiser = ViterbiMaximiser(problem)
    >>> maximiser.solve(problem.backbone().weights, Fixings.none(4)).value
    2.0
    """

    def _tree(self) -> tuple[IntArray, FloatArray]:
        """Return a path rooted at the first position."""
        transition = self.problem.transition
        # Trees index pair scores by the lower end of an edge; the root has no edge, so a block of zeros comes
        # first.
        if transition.ndim == 3:
            transition = np.concatenate([np.zeros((1, *transition.shape[1:])), transition])
        return np.arange(-1, self.problem.positions - 1), transition

    def _best(self, rows: FloatArray) -> tuple[float, IntArray]:
        """Decode from the right, as over trees, so that ties are broken in the same way."""
        labels = np.empty(len(rows), np.int64)
        value = viterbi(rows[::-1], self._turned(), labels)
        return value, labels[::-1]

    def _marginals(self, rows: FloatArray) -> FloatArray:
        transition = self.problem.transition
        forward, backward = np.empty(rows.shape), np.empty(rows.shape)
        forward_messages(rows, transition, forward)
        # From the right, each message with the label's own weight last, so that it can be left out.
        forward_messages(rows[::-1], self._turned(), backward)
        follow = np.zeros(rows.shape)
        for i in range(len(rows) - 1):
            pairs = transition if transition.ndim == 2 else transition[i]
            follow[i] = (pairs + backward[len(rows) - 2 - i]).max(axis=1)
        return forward + follow

    def _turned(self) -> FloatArray:
        """Return the transition scores of the reversed chain."""
        transition = self.problem.transition
        turned: FloatArray = transition.T if transition.ndim == 2 else transition[::-1].transpose(0, 2, 1)
        return turned


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
