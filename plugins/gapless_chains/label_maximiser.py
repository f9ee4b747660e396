"""The common part of the maximisers of chains and trees: rows of labels, of which each node has exactly one."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

import numpy as np

from gapless.arrays.score_array import LARGEST
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.roles import Fixings, Maximiser, MaxMarginals, Optimum
from gapless_chains.node_labelling import NodeLabelling
from gapless_kernels import COMPILED


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
