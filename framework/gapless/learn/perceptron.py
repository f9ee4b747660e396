"""The averaged structured perceptron."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from gapless.errors import InvalidProblem
from gapless.learn.feature_map import FeatureMap
from gapless.learn.trainer import RIGHT, Step, Trainer
from gapless.learn.training_weights import TrainingWeights

X = TypeVar("X")
P = TypeVar("P")
S = TypeVar("S")


class StructuredPerceptron(Trainer[X, P, S]):
    """Decodes; where the answer is wrong, adds the gold features and subtracts those of the answer.

    Parameters
    ----------
    features, solver, average, dtype
        As for every `Trainer`.
    margin : float
        Margin by which a wrong structure must lose, per unit of its loss; needs `augmented_problem` of the feature
        map. 0 is the plain perceptron.

    Notes
    -----
    Collins, "Discriminative training methods for hidden Markov models" (EMNLP 2002), figure 1, with the averaged
    parameters of its section 2.4; the margin as in Tsochantaridis, Joachims, Hofmann and Altun (JMLR 2005), section
    2.2.4 (margin re-scaling).
    """

    ends_when_clean: ClassVar[bool] = True

    def __init__(
        self,
        features: FeatureMap[X, P, S],
        solver: Callable[[P], S] | None = None,
        *,
        margin: float = 0.0,
        average: bool = True,
        dtype: DTypeLike = np.float64,
    ) -> None:
        super().__init__(features, solver, average=average, dtype=dtype)
        if not 0.0 <= margin < math.inf:
            raise InvalidProblem(f"margin={margin}: must be a finite number, 0 or more")
        self.margin = margin

    def settings(self) -> dict[str, Any]:
        """Return the settings with the margin."""
        return {**super().settings(), "margin": self.margin}

    def step(self, weights: TrainingWeights, example: X, rng: np.random.Generator, count: int) -> Step:
        """Decode once, and update if the answer is wrong."""
        del rng, count
        features = self.features
        if self.margin:
            problem = features.augmented_problem(weights, example, self.margin)
        else:
            problem = features.problem(weights, example)
        found = self.solver(problem)
        loss = features.loss(example, found)
        if loss == 0:
            return RIGHT
        weights.add(features.difference(example, features.gold(example), found))
        return Step(loss, 1)
