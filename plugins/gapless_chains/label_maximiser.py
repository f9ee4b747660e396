"""The common part of the maximisers of chains and trees: rows of labels, of which each node has exactly one."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, Generic, TypeVar

import numpy as np

from gapless.core.decisions import OFF, ON
from gapless.core.score_array import LARGEST
from gapless.core.sparse import FloatArray, IntArray
from gapless.roles import Fixings, Maximised, Maximiser, Slacks
from gapless_chains.labelling import Labelling
from gapless_kernels import COMPILED

P = TypeVar("P", bound=Labelling)


class LabelMaximiser(Maximiser[IntArray], Generic[P]):
    """The best labelling under weights of a problem's decisions, the scores of neighbouring labels being its own.

    Parameters
    ----------
    problem : ChainProblem or TreeProblem
        Its label scores are not looked at: they are weights, see `Problem.backbone`.
    """

    def __init__(self, problem: P) -> None:
        self.problem = problem
        self.largest_own = 2 * LARGEST * len(problem.unary)

    def own_size(self) -> float:
        """The largest transition."""
        return float(np.max(self.problem.transition, initial=0.0))

    def to_fields(self) -> dict[str, Any]:
        """For JSON: the problem."""
        return {"problem": self.problem}

    def solve(self, weights: FloatArray, fixings: Fixings) -> Maximised[IntArray]:
        """One pass of messages; `Maximised.own` is the score of neighbouring labels."""
        value, labels = self._best(self._rows(weights, fixings))
        if value == -math.inf:
            return Maximised(value, np.zeros(0, np.int64))
        on_ids = self.problem.encode(labels)
        return Maximised(value, on_ids, labels, value - float(weights[on_ids].sum()))

    def slacks(self, weights: FloatArray, fixings: Fixings) -> Slacks:
        """Both kinds, from max-marginals: a label is off exactly when its node has another one."""
        marginals = self._marginals(self._rows(weights, fixings))
        value = marginals[0].max()
        if value == -math.inf:
            impossible = np.full(weights.shape, math.inf)
            return Slacks(impossible, impossible)
        best = marginals.argmax(axis=1)[:, None]
        rest = marginals.copy()
        np.put_along_axis(rest, best, -math.inf, axis=1)
        off = np.zeros(marginals.shape)
        np.put_along_axis(off, best, value - rest.max(axis=1, keepdims=True), axis=1)
        return Slacks(np.maximum(value - marginals, 0.0).ravel(), np.maximum(off, 0.0).ravel())

    def _rows(self, weights: FloatArray, fixings: Fixings) -> FloatArray:
        """Weights of the labels that the fixings leave at each node, float64 (n, K); -inf for the others."""
        state = fixings.state.reshape(self.problem.unary.shape)
        chosen = state == ON
        others_on = chosen.sum(axis=1, keepdims=True) - chosen
        return np.where((state != OFF) & (others_on == 0), weights.reshape(state.shape), -math.inf)

    def compiled(self) -> Any:
        """The same in compiled code."""
        if not COMPILED:
            return None
        from gapless_kernels.trees._tree_backbone import TreeLabels  # noqa: PLC0415  not without compiled kernels

        return TreeLabels(*self._tree())

    @abstractmethod
    def _tree(self) -> tuple[IntArray, FloatArray]:
        """Parents, int64 (n,), and scores of neighbours, float64 (K, K) or (n, K, K), the parent's first."""

    @abstractmethod
    def _best(self, rows: FloatArray) -> tuple[float, IntArray]:
        """The best labelling under label scores float64 (n, K), and its value; -inf where there is none."""

    @abstractmethod
    def _marginals(self, rows: FloatArray) -> FloatArray:
        """The best value with each label of each node, float64 (n, K)."""
