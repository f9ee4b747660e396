"""The backbone of chains: Viterbi's algorithm in the role of a maximiser."""

from __future__ import annotations

import numpy as np

from gapless.arrays.serial import serialisable
from gapless.arrays.sparse import FloatArray, IntArray
from gapless_chains.label_maximiser import LabelMaximiser
from gapless_kernels import forward_messages, viterbi


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
