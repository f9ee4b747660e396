"""The backbone of chains: Viterbi's algorithm in the role of a maximiser."""

from __future__ import annotations

from typing import Any

import numpy as np

from gapless.core.serial import serialisable
from gapless.core.sparse import FloatArray, IntArray
from gapless_chains.label_maximiser import LabelMaximiser
from gapless_chains.problem import ChainProblem
from gapless_kernels import COMPILED, forward_messages, viterbi


@serialisable("gapless_chains.ViterbiMaximiser")
class ViterbiMaximiser(LabelMaximiser[ChainProblem]):
    """The best labelling of a chain under weights of its decisions, O(n K^2) (Viterbi 1967).

    The scores of neighbouring labels are the maximiser's own; the label scores are not looked at, they are weights.

    Parameters
    ----------
    problem : ChainProblem
    """

    def compiled(self) -> Any:
        """The same in compiled code."""
        if not COMPILED:
            return None
        from gapless_kernels.chains._chain_backbone import ChainLabels  # noqa: PLC0415  not without compiled kernels

        return ChainLabels(self.problem.positions, self.problem.transition)

    def _best(self, rows: FloatArray) -> tuple[float, IntArray]:
        labels = np.empty(len(rows), np.int64)
        return viterbi(rows, self.problem.transition, labels), labels

    def _marginals(self, rows: FloatArray) -> FloatArray:
        transition = self.problem.transition
        before, after = np.empty(rows.shape), np.empty(rows.shape)
        forward_messages(rows, transition, before)
        # From the right, each message with the label's own weight last, so that it can be left out.
        turned = transition.T if transition.ndim == 2 else transition[::-1].transpose(0, 2, 1)
        forward_messages(rows[::-1], turned, after)
        follow = np.zeros(rows.shape)
        for i in range(len(rows) - 1):
            pairs = transition if transition.ndim == 2 else transition[i]
            follow[i] = (pairs + after[len(rows) - 2 - i]).max(axis=1)
        return before + follow
