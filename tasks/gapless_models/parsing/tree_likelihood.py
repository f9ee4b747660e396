"""A trainer of first-order models: the conditional likelihood of trees, by stochastic gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from gapless import InvalidProblem
from gapless.learn import Step, Trainer, TrainingWeights
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_models.parsing.features import TABLE, ParsingFeatures, TrainingSentence, arc_places
from gapless_models.parsing.parser_model import arc_scores
from gapless_models.parsing.pruning import arc_marginals

_NEGLIGIBLE = 1e-3


class TreeLikelihood(Trainer[TrainingSentence, ParsingProblem, DependencyTree]):
    """Move the weights along the gold features minus the expected ones.

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
        """With the rate."""
        return {**super().settings(), "rate": self.rate}

    def step(
        self, weights: TrainingWeights, example: TrainingSentence, rng: np.random.Generator, count: int
    ) -> Step:
        """One gradient step; the loss is minus the mean logarithm of the gold arcs' probabilities."""
        del rng
        marginals = arc_marginals(
            arc_scores(example.atoms, weights[TABLE], example.candidates),
            self.features.single_root,
            projective=self.features.projective,
        )
        words = np.arange(1, len(example.heads) + 1)
        loss = -float(np.log(np.maximum(marginals[example.heads, words], 1e-12)).mean())
        missing = -marginals
        missing[example.heads, words] += 1.0
        arcs = np.argwhere(np.abs(missing) > _NEGLIGIBLE)
        if not len(arcs):
            return Step(loss)
        places, counts = arc_places(example.atoms, arcs, self.features.bits)
        change = self.features.blocks.vector(
            **{TABLE: (places, np.repeat(missing[arcs[:, 0], arcs[:, 1]], counts))}
        )
        weights.add(change, self.rate / (1.0 + weights.steps / (4.0 * count)))
        return Step(loss, 1)
