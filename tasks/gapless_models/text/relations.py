"""Relations of a tree: a first-order chain over the words, whose features look at each word and its head.

The tree is found first, and then the relations, exactly, under the model of the second step (McDonald, Lerman and
Pereira, CoNLL 2006, section 3): a chain over the words sees pairs of neighbours' relations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray
from gapless.learn import StructuredPerceptron
from gapless_chains import ChainModel, ChainProblem
from gapless_models.parsing.sentence import Sentence
from gapless_models.tagging.chain_features import (
    EMISSION,
    FINAL,
    INITIAL,
    TRANSITION,
    ChainFeatures,
    TrainingSentence,
)
from gapless_models.tagging.decoder import decode
from gapless_models.tagging.features import sparse_rows
from gapless_models.tagging.tagger import ARRAYS, checked_arrays

ROOT = "root"
_EDGE = "<edge>"
_FAR = (1, 2, 3, 5, 10)
"""Distances of a word from its head at which the feature changes."""
MARGIN = 25.0
"""An arc has about as many features, as a word of the tagger has 60."""


def arc_features(sentence: Sentence, heads: Sequence[int]) -> list[list[str]]:
    """List the features of each word with its head; `heads` as in `Sentence`."""
    words = [ROOT, *(word.lower() for word in sentence.words)]
    tags = [ROOT, *sentence.tags]
    children = np.bincount(np.asarray(heads, np.int64), minlength=len(words))
    rows = []
    for m, h in enumerate(heads, start=1):
        previous, following = tags[m - 1], tags[m + 1] if m + 1 < len(tags) else _EDGE
        side = "^" if not h else "<" if m < h else ">"
        far = sum(abs(h - m) >= limit for limit in _FAR)
        inner = [tags[i] for i in range(min(h, m) + 1, max(h, m))]
        rows.append(
            [
                "bias",
                f"m {words[m]}",
                f"mt {tags[m]}",
                f"h {words[h]}",
                f"ht {tags[h]}",
                f"side mt {side} {tags[m]}",
                f"side ht {side} {tags[h]}",
                f"side mt ht {side} {tags[m]} {tags[h]}",
                f"side mt ht far {side} {tags[m]} {tags[h]} {far}",
                f"m ht {side} {words[m]} {tags[h]}",
                f"mt h {side} {tags[m]} {words[h]}",
                f"m h {words[m]} {words[h]}",
                f"m-3 mt ht {words[m][-3:]} {tags[m]} {tags[h]}",
                f"-1 mt ht {side} {previous} {tags[m]} {tags[h]}",
                f"mt +1 ht {side} {tags[m]} {following} {tags[h]}",
                f"-1 m {words[m - 1]} {tags[m]} {side}",
                f"children {side} {tags[m]} {tags[h]} {min(children[m], 3)} {min(children[h], 3)}",
                f"verb between {side} {tags[m]} {'VERB' in inner or 'AUX' in inner} {'PUNCT' in inner}",
            ]
        )
    return rows


@attrs.frozen(eq=False)
class RelationModel:
    """A model of the relations of a tree.

    Parameters
    ----------
    labels : tuple of K str
    numbers : mapping of str to int
        The number of each feature.
    weights : float32 (features, K)
    transition : float64 (K, K)
    initial, final : float64 (K,)
    """

    labels: tuple[str, ...]
    numbers: Mapping[str, int]
    weights: np.ndarray[Any, np.dtype[np.float32]]
    transition: FloatArray
    initial: FloatArray
    final: FloatArray

    @classmethod
    def train(cls, sentences: Sequence[Sentence], *, epochs: int = 5, seed: int = 0) -> RelationModel | None:
        """Train on gold trees with the structured perceptron; None where a word has no relation.

        The same arguments give the same model. Ctrl-C raises `KeyboardInterrupt`.
        """
        if any("_" in sentence.labels or not sentence.labels for sentence in sentences):
            return None
        labels = sorted({label for sentence in sentences for label in sentence.labels})
        number = {label: i for i, label in enumerate(labels)}
        numbers: dict[str, int] = {}
        examples = []
        for sentence in sentences:
            rows = arc_features(sentence, sentence.heads)
            active = sparse_rows([[numbers.setdefault(name, len(numbers)) for name in row] for row in rows])
            examples.append(
                TrainingSentence(active, np.array([number[label] for label in sentence.labels], np.int64))
            )
        model = ChainFeatures(len(numbers), len(labels))
        fitted = StructuredPerceptron(model, lambda scores: decode(*scores), margin=MARGIN).fit(
            examples, epochs=epochs, seed=seed
        )
        if fitted.reason == "interrupted":
            raise KeyboardInterrupt
        blocks = (EMISSION, TRANSITION, INITIAL, FINAL)
        arrays = {name: fitted.weights[block] for name, block in zip(ARRAYS, blocks, strict=True)}
        return cls(tuple(labels), numbers, *checked_arrays(arrays, len(numbers), len(labels)))

    def problem(self, sentence: Sentence, heads: Sequence[int]) -> ChainProblem:
        """Build the problem of labelling a tree: a label for each word, in the order of the words."""
        known = self.numbers
        rows = [[known[name] for name in row if name in known] or [0] for row in arc_features(sentence, heads)]
        model = ChainModel(self.transition, initial=self.initial, final=self.final, labels=self.labels)
        return model.batch(sparse_rows(rows).scores(self.weights), [len(rows)])[0]

    def contents(self) -> tuple[dict[str, np.ndarray[Any, Any]], dict[str, Any]]:
        """Return the contents of the file: arrays, and JSON data."""
        features = sorted(self.numbers, key=self.numbers.__getitem__)
        return {name: getattr(self, name) for name in ARRAYS}, {"labels": self.labels, "features": features}

    @classmethod
    def of_contents(cls, arrays: Mapping[str, np.ndarray[Any, Any]], texts: Mapping[str, Any]) -> RelationModel:
        """Build the model that `contents` describes; raise ValueError or LookupError for what does not fit."""
        labels = tuple(map(str, texts["labels"]))
        numbers = {str(name): i for i, name in enumerate(texts["features"])}
        return cls(labels, numbers, *checked_arrays(arrays, len(numbers), len(labels), "relations: "))
