"""A chain tagger over product labels as a linear model: every part has its own weights, pairs of both have some."""

from __future__ import annotations

import numpy as np

from gapless.learn import Blocks, FeatureVector, Weights
from gapless_models.tagging.chain_features import (
    EMISSION,
    FINAL,
    INITIAL,
    TRANSITION,
    ChainFeatures,
    ChainScores,
    Labels,
    TrainingSentence,
)
from gapless_models.tagging.product_labels import ProductLabels

PAIRS = "joint transition"
"""The block of neighbouring joint labels, (K, K)."""


def part_block(part: int, block: str) -> str:
    """Return the name of a block of `ChainFeatures` for one part of the labels."""
    return f"part {part} {block}"


class ProductFeatures(ChainFeatures):
    """The features of `ChainFeatures` for each part of the labels, and pairs of neighbouring joint labels.

    A combination that the training part never shows has the scores of its parts.

    Parameters
    ----------
    features : int
        The number of features of words.
    """

    def __init__(self, features: int, labels: ProductLabels) -> None:
        self.labels = labels
        self._parts = [ChainFeatures(features, size) for size in labels.sizes]
        shapes = {part_block(i, name): shape for i, p in enumerate(self._parts) for name, shape in p.blocks.items()}
        self._blocks = Blocks({**shapes, PAIRS: (len(labels), len(labels))})

    def problem(self, weights: Weights, example: TrainingSentence) -> ChainScores:
        """Build the problem of a sentence over the whole product, with float64 scores."""
        ids, indptr = example.features.ids, example.features.indptr
        numbers = range(len(self._parts))
        emission = [weights.row_sums(part_block(i, EMISSION), ids, indptr) for i in numbers]
        pairs = self.labels.sum_pairs([weights[part_block(i, TRANSITION)] for i in numbers])
        pairs += weights[PAIRS]
        first, last = (
            self.labels.sum([weights[part_block(i, name)] for i in numbers]) for name in (INITIAL, FINAL)
        )
        return ChainScores(self.labels.sum(emission), pairs, first, last)

    def features(self, example: TrainingSentence, structure: Labels) -> FeatureVector:
        """Return all features that fire."""
        parts = {PAIRS: self._pairs(structure)}
        for i, labels in enumerate(self.labels.split(structure)):
            vector = self._parts[i].features(example, labels)
            parts |= {part_block(i, name): entries for name, entries in vector.parts.items()}
        return FeatureVector(parts)

    def difference(self, example: TrainingSentence, better: Labels, worse: Labels) -> FeatureVector:
        """Return, for each part, the features of the words and pairs on which the two labellings differ in it."""
        up, down = self._pairs(better), self._pairs(worse)
        parts = {PAIRS: (np.concatenate([up[0], down[0]]), np.concatenate([up[1], -down[1]]))}
        split = zip(self.labels.split(better), self.labels.split(worse), strict=True)
        for i, (mine, other) in enumerate(split):
            if not np.array_equal(mine, other):
                vector = self._parts[i].difference(example, mine, other)
                parts |= {part_block(i, name): entries for name, entries in vector.parts.items()}
        return FeatureVector(parts)

    def _pairs(self, labels: Labels) -> tuple[Labels, np.ndarray[tuple[int], np.dtype[np.float64]]]:
        places = labels[:-1] * len(self.labels) + labels[1:]
        return places, np.ones(places.size)
