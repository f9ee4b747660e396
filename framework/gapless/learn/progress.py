"""Progress reports of a training."""

from __future__ import annotations

from typing import Literal

import attrs


@attrs.frozen
class EpochReport:
    """Summary of one pass over the training examples.

    Parameters
    ----------
    epoch : int
        Number of the epoch, from 1.
    wrong : int
        Examples with a loss above 0.
    updates : int
        Number of updates of the weights.
    loss : float
        Sum over the examples of the trainer's loss: wrong places for the perceptron, hinge loss for the structured
        SVM, wrongly ranked proposals for SampleRank.
    score : float or None
        Score on dev, higher is better; None without dev.
    """

    epoch: int
    wrong: int
    updates: int
    loss: float
    score: float | None = None


@attrs.frozen
class Progress:
    """A progress event of a training.

    Parameters
    ----------
    kind : {"examples", "epoch", "resumed"}
        During an epoch; after an epoch, scored and stored; after reading a checkpoint.
    epoch : int
        Number of the epoch, from 1; for ``"resumed"`` of the last completed one.
    done, count : int
        Examples of the epoch processed so far, and their total.
    report : EpochReport
        Summary of this epoch so far; for ``"resumed"`` of the last completed one.
    """

    kind: Literal["examples", "epoch", "resumed"]
    epoch: int
    done: int
    count: int
    report: EpochReport
