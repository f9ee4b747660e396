"""A trained chain tagger over product labels: chain taggers of the parts, and scores of pairs of combinations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gapless_models.tagging.product_labels import ProductLabels
from gapless_models.tagging.sentence import TaggedSentence
from gapless_models.tagging.tagger import ARRAYS, ChainTagger, Scores, Tagger, read_tagger

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
