"""A trainer of first-order models: the conditional likelihood of trees, by stochastic gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from gapless import InvalidProblem
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.learn import Step, Trainer, TrainingWeights
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_models.parsing.features import TABLE, ParsingFeatures, TrainingSentence, arc_places
from gapless_models.parsing.parser_model import arc_scores
from gapless_models.parsing.pruning import arc_marginals

NEGLIGIBLE = 1e-3
"""Probabilities that are wrong by no more cost no update: most arcs of a sentence are settled after an epoch."""


def log_loss(marginals: FloatArray, heads: IntArray) -> float:
    """Compute minus the mean logarithm of the gold arcs' probabilities."""
    gold = marginals[heads, np.arange(1, len(heads) + 1)]
    return -float(np.log(np.maximum(gold, 1e-12)).mean())


def arc_gradient(marginals: FloatArray, heads: IntArray) -> tuple[float, IntArray, FloatArray]:
    """Compute the loss, the arcs (m, 2) whose probability is wrong, and how much each lacks, float64 (m,)."""
    missing = -marginals
    missing[heads, np.arange(1, len(heads) + 1)] += 1.0
    arcs = np.argwhere(np.abs(missing) > NEGLIGIBLE)
    return log_loss(marginals, heads), arcs, missing[arcs[:, 0], arcs[:, 1]]


class TreeLikelihood(Trainer[TrainingSentence, ParsingProblem, DependencyTree]):
    """Trainer that moves the weights along the gold features minus the expected ones.

    Trees have probabilities proportional to the exponentials of their scores. The rate falls
    with the steps, and the weights are averaged over them. Arcs whose probability is right within 0.001 are passed
    over.

    Parameters
    ----------
    features : ParsingFeatures
        Of arcs alone.
    rate : float
        Of the first step.

    Notes
    -----
    Koo, Globerson, Carreras and Collins (EMNLP 2007), section 4.1, without a regulariser: few epochs and the
    average do its work.
    """

    features: ParsingFeatures

    def __init__(self, features: ParsingFeatures, *, rate: float = 0.03) -> None:
        super().__init__(features)
        if features.families:
            raise InvalidProblem("marginals are those of arcs alone: train the pruner without families")
        if not 0.0 < rate < np.inf:
            raise InvalidProblem(f"rate={rate}: must be a positive number")
        self.rate = rate

    def settings(self) -> dict[str, Any]:
        """Return the settings of the trainer, the rate included."""
        return {**super().settings(), "rate": self.rate}

    def step(
        self, weights: TrainingWeights, example: TrainingSentence, rng: np.random.Generator, count: int
    ) -> Step:
        """Take one gradient step; the loss is minus the mean logarithm of the gold arcs' probabilities."""
        del rng
        marginals = arc_marginals(
            arc_scores(example.atoms, weights[TABLE], example.candidates),
            self.features.single_root,
            projective=self.features.projective,
        )
        loss, arcs, missing = arc_gradient(marginals, example.heads)
        if not len(arcs):
            return Step(loss)
        places, counts = arc_places(example.atoms, arcs, self.features.bits)
        change = self.features.blocks.vector(**{TABLE: (places, np.repeat(missing, counts))})
        weights.add(change, self.rate / (1.0 + weights.steps / (4.0 * count)))
        return Step(loss, 1)
