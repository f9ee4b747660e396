"""Chain taggers over product labels: taggers of the parts, and scores of pairs of combinations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

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
from gapless_models.tagging.sentence import TaggedSentence
from gapless_models.tagging.tagger import ARRAYS, ChainTagger, Scores, Tagger, read_tagger

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


_KIND = "product tagger"


class ProductTagger(Tagger):
    """A linear model over chains of product labels, all ``K`` combinations of which have scores.

    Parameters
    ----------
    labels : ProductLabels
        ``K`` combinations.
    parts : sequence of ChainTagger
        One for each part, with its labels and one feature index for all.
    pairs : ndarray of float, shape (K, K)
        Score of combination ``a`` followed by ``b`` on top of the scores of the parts' pairs.

    Raises
    ------
    ValueError
        If the parts or shapes do not agree.
    """

    def __init__(self, labels: ProductLabels, parts: Sequence[ChainTagger], *, pairs: NDArray[np.floating]) -> None:
        if tuple(part.labels for part in parts) != labels.parts:
            raise ValueError("the taggers of the parts must have the parts' labels, in their order")
        if any(part.index is not parts[0].index for part in parts):
            raise ValueError("the taggers of the parts must share one feature index")
        if pairs.shape != (len(labels), len(labels)):
            raise ValueError(f"pairs has shape {pairs.shape}; {len(labels)} labels need {(len(labels),) * 2}")
        self.product = labels
        self.parts = tuple(parts)
        self.pairs = pairs.astype(np.float64)
        self.index = parts[0].index
        self.labels = labels.names
        self.transition = labels.sum_pairs([part.transition for part in parts]) + self.pairs
        self.initial = labels.sum([part.initial for part in parts])
        self.final = labels.sum([part.final for part in parts])

    def scores(self, sentence: TaggedSentence | Sequence[str]) -> Scores:
        """Score each combination at each word, see `Tagger.scores`."""
        words = sentence.words if isinstance(sentence, TaggedSentence) else sentence
        features = self.index.features(words)
        return self.product.sum([features.scores(part.weights) for part in self.parts])

    def save(self, path: str | Path) -> None:
        """Write the tagger, see `Tagger.save`."""
        arrays = {f"{name} {i}": getattr(part, name) for i, part in enumerate(self.parts) for name in ARRAYS}
        self._write(path, _KIND, {**arrays, "pairs": self.pairs}, parts=self.product.parts)

    @classmethod
    def load(cls, path: str | Path) -> ProductTagger:
        """Read a tagger that :meth:`save` wrote.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ValueError
            If the file is damaged or not such a tagger.
        """
        with read_tagger(path, _KIND) as (arrays, texts, index):
            labels = ProductLabels(texts["parts"])
            parts = [
                ChainTagger.of_contents({name: arrays[f"{name} {i}"] for name in ARRAYS}, {"labels": names}, index)
                for i, names in enumerate(labels.parts)
            ]
            return cls(labels, parts, pairs=arrays["pairs"])
