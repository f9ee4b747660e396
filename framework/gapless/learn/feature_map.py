"""The role behind every trainer: problems from examples, features from structures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

import numpy as np

from gapless.errors import InvalidProblem
from gapless.learn.blocks import Blocks, FeatureVector
from gapless.learn.weights import Weights

X = TypeVar("X")
P = TypeVar("P")
S = TypeVar("S")


class FeatureMap(ABC, Generic[X, P, S]):
    """A linear model: the score of a structure is the dot product of the weights with its features.

    It knows no trainer and no solver. `X` is the type of the examples (inputs with their right answers), `P` of the
    problems, `S` of the structures. A problem is the solver's input: a `gapless.Problem` for the default solver.
    The problem's score of a structure (to be maximised) must equal ``weights.dot(features(example, structure))`` up
    to a constant per example.
    """

    @property
    @abstractmethod
    def blocks(self) -> Blocks:
        """Names and shapes of the weights. Build them once."""

    @abstractmethod
    def gold(self, example: X) -> S:
        """Return the right structure."""

    @abstractmethod
    def problem(self, weights: Weights, example: X) -> P:
        """Build the problem of the example under these weights; must not keep views of them."""

    @abstractmethod
    def features(self, example: X, structure: S) -> FeatureVector:
        """Compute the features of a structure."""

    def difference(self, example: X, better: S, worse: S) -> FeatureVector:
        """Compute ``features(better) - features(worse)``; override it where most of the two cancels."""
        return self.features(example, better) - self.features(example, worse)

    def loss(self, example: X, structure: S) -> float:
        """Loss of a structure: 0 exactly when it is as good as the gold one.

        By default the Hamming distance, for structures that are sequences of equal length, such as labels or heads.
        """
        gold, found = np.asarray(self.gold(example)), np.asarray(structure)
        if gold.shape != found.shape:
            raise InvalidProblem(
                f"a structure of shape {found.shape} cannot be compared place by place with the gold one of shape "
                f"{gold.shape}; override {type(self).__name__}.loss()"
            )
        return float(np.count_nonzero(gold != found))

    def augmented_problem(self, weights: Weights, example: X, margin: float) -> P:
        """Build the problem with ``margin * loss(example, structure)`` added to every score, up to a constant.

        Optional: for the perceptron with a margin and the structured SVM with Hamming loss, where the loss
        decomposes in the same way as the scores.
        """
        raise NotImplementedError(
            f"{type(self).__name__} cannot add the loss to its scores; override augmented_problem(), "
            "or train without a margin or with the 0/1 loss"
        )
