"""Chains over tokens that are rows of numbers: a linear model for the trainers of `gapless.learn`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gapless.learn import FeatureVector, Weights
from gapless_models.tagging.chain_features import (
    EMISSION,
    FINAL,
    INITIAL,
    TRANSITION,
    ChainFeatures,
    ChainScores,
    Labels,
)


class DenseSentence(NamedTuple):
    """Rows of ``n`` tokens, float64 (n, d), and their gold label numbers, int64 (n,)."""

    features: NDArray[np.float64]
    gold: Labels


class DenseChainFeatures(ChainFeatures):
    """Numbers of tokens with labels, and pairs of neighbouring labels.

    Parameters
    ----------
    features : int
        The number of values of a token, d.
    labels : int
        ``K``.
    """

    def problem(self, weights: Weights, example: Any) -> ChainScores:
        """Build the decoding problem of a sentence, with float64 scores."""
        rows: DenseSentence = example
        tables = [weights[name].astype(np.float64, copy=False) for name in (EMISSION, TRANSITION, INITIAL, FINAL)]
        return ChainScores(rows.features @ tables[0], *tables[1:])

    def features(self, example: Any, structure: Labels) -> FeatureVector:
        """Return all features that fire; a numeric feature counts by its value."""
        rows: DenseSentence = example
        numbers = np.arange(rows.features.shape[1])
        return self.blocks.vector(
            **{
                EMISSION: ((numbers, structure[:, None]), rows.features.ravel()),
                TRANSITION: ((structure[:-1], structure[1:]), 1.0),
                INITIAL: ((structure[:1],), 1.0),
                FINAL: ((structure[-1:],), 1.0),
            }
        )

    def difference(self, example: Any, better: Labels, worse: Labels) -> FeatureVector:
        """Return the features of the tokens and pairs on which the two labellings differ."""
        return (self.features(example, better) - self.features(example, worse)).merged()
