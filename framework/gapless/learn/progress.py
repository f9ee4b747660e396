"""What a training tells while it runs."""

from __future__ import annotations

from typing import Literal

import attrs


@attrs.frozen
class EpochReport:
    """What one pass over the training examples did.

    Parameters
    ----------
    epoch : int
        From 1.
    wrong : int
        Examples with a loss above 0.
    updates : int
        How often the weights were moved.
    loss : float
        Sum over the examples, as the trainer measures it: wrong places for the perceptron, hinge loss for the
        structured SVM, wrongly ranked proposals for SampleRank.
    score : float or None
        On dev, higher is better; None without dev.
    """

    epoch: int
    wrong: int
    updates: int
    loss: float
    score: float | None = None


@attrs.frozen
class Progress:
    """A moment of a training.

    Parameters
    ----------
    kind : {"examples", "epoch", "resumed"}
        Inside an epoch; an epoch is finished, scored and stored; a checkpoint was read.
    epoch : int
        Which one, from 1; for ``"resumed"`` the last finished one.
    done, count : int
        Examples of the epoch that are done, and all of them.
    report : EpochReport
        About what is done of this epoch; for ``"resumed"`` about the last finished one.
    """

    kind: Literal["examples", "epoch", "resumed"]
    epoch: int
    done: int
    count: int
    report: EpochReport
