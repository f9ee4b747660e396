"""A quick chain model over joint labels whose scores are sums of scores of the labels' parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless_kernels import viterbi
from gapless_tasks.chain_benchmark.averaging import AveragedArray
from gapless_tasks.tagging import TaggedSentence
from gapless_tasks.tagging.features import FeatureIndex, SentenceFeatures, index_training

Labels = NDArray[np.int64]
Floats = NDArray[np.float64]

JOINT = "|"
"""Stands between the parts of a label."""
MARGIN = 60.0
"""By how much a wrong part must lose against the gold one in training; see `gapless_tasks.tagging.train`."""


@attrs.frozen(eq=False)
class PartModel:
    """A trained model.

    Parameters
    ----------
    labels : tuple of K str
        The labels, their parts joined by :data:`JOINT`.
    parts : (K, P) array of int64
        The parts of each label, numbered through over all P positions: B of them.
    index : FeatureIndex
        Gives the features of the words.
    weights : (n_features, B) array of float32
        The weights of the parts.
    bias : (K,) array of float64
        A score of each label as a whole.
    transition : (K, K) array of float64
        Source first: the sum of one matrix for each position of the parts.
    initial, final : (K,) array of float64
        Scores of the first and of the last label.
    """

    labels: tuple[str, ...]
    parts: NDArray[np.int64]
    index: FeatureIndex
    weights: NDArray[np.float32]
    bias: Floats
    transition: Floats
    initial: Floats
    final: Floats

    def scores(self, words: Sequence[str]) -> Floats:
        """Score each label at each word, float64 (n, K)."""
        return label_scores(self.index.features(words).scores(self.weights), self.parts, self.bias)


def label_scores(part_scores: Floats, parts: NDArray[np.int64], bias: Floats) -> Floats:
    """Add up the scores (n, B) of the parts of each label to (n, K)."""
    total = np.tile(bias, (len(part_scores), 1))
    for column in parts.T:
        total += part_scores[:, column]
    return total


def train(
    sentences: Sequence[TaggedSentence],
    labels: Sequence[str],
    epochs: int,
    seed: int = 0,
    progress: Callable[[], None] = lambda: None,
) -> PartModel:
    """Train with the averaged structured perceptron, decoding every sentence exactly.

    Parameters
    ----------
    sentences : sequence of TaggedSentence
        Their labels are among `labels`.
    labels : sequence of K str
        All with the same number of parts.
    epochs : int
        Passes over the sentences.
    seed : int
        Shuffles the sentences.
    progress : callable
        Is called after each sentence.

    Returns
    -------
    PartModel

    Notes
    -----
    Source: Collins, "Discriminative training methods for hidden Markov models" (EMNLP 2002), figure 1, with the
    factored features that Belanger et al. (NIPS 2012, section 6) use for part-of-speech tags joined with entities.
    """
    # Word classes come from the first parts: joint labels would make nearly as many classes as words.
    index, features = index_training(
        [TaggedSentence(s.words, tuple(label.split(JOINT)[0] for label in s.labels)) for s in sentences],
        min_count=2,
    )
    learner = _Learner(len(index), number_parts(labels))
    number = {label: y for y, label in enumerate(labels)}
    gold = [np.array([number[label] for label in s.labels], np.int64) for s in sentences]
    order = np.random.default_rng(seed)
    for _ in range(epochs):
        for i in order.permutation(len(sentences)):
            learner.learn(features[i], gold[i])
            progress()
    return learner.averaged(labels, index)


def number_parts(labels: Sequence[str]) -> NDArray[np.int64]:
    """Number the parts of each label through over all positions, int64 (K, P)."""
    columns = []
    count = 0
    for column in zip(*(label.split(JOINT) for label in labels), strict=True):
        names = {name: count + i for i, name in enumerate(dict.fromkeys(column))}
        columns.append([names[name] for name in column])
        count += len(names)
    return np.array(columns, np.int64).T


class _Learner:
    """The weights under training.

    A transition weight of a pair of parts is shared by all label pairs with these parts. Averaging is linear, so
    the sums themselves are what is kept, (K, K).
    """

    def __init__(self, features: int, parts: NDArray[np.int64]) -> None:
        k = len(parts)
        self.parts = parts
        self.with_part = [np.flatnonzero((parts == part).any(axis=1)) for part in range(parts.max() + 1)]
        self.step = 0
        self.weights = AveragedArray((features, len(self.with_part)))
        self.bias = AveragedArray((k,))
        self.transition = AveragedArray((k, k))
        self.initial = AveragedArray((k,))
        self.final = AveragedArray((k,))

    def learn(self, sentence: SentenceFeatures, gold: Labels) -> None:
        """Decode against the margin and move towards the gold labels."""
        self.step += 1
        part_scores = sentence.scores(self.weights.values)
        part_scores[np.arange(len(gold))[:, None], self.parts[gold]] -= MARGIN
        local = label_scores(part_scores, self.parts, self.bias.values)
        local[0] += self.initial.values
        local[-1] += self.final.values
        found = np.empty(len(gold), np.int64)
        viterbi(local, self.transition.values, found)
        if (found != gold).any():
            self._move(sentence, gold, found != gold, 1.0)
            self._move(sentence, found, found != gold, -1.0)

    def _move(self, sentence: SentenceFeatures, labels: Labels, wrong: NDArray[np.bool_], change: float) -> None:
        lengths = np.diff(sentence.indptr)
        active = sentence.ids[np.repeat(wrong, lengths)]
        for column in self.parts[labels].T:
            self.weights.add((active, np.repeat(column[wrong], lengths[wrong])), change, self.step)
            for i in np.flatnonzero(wrong[:-1] | wrong[1:]):
                pair = np.ix_(self.with_part[column[i]], self.with_part[column[i + 1]])
                self.transition.add(pair, change, self.step)
            self.initial.add(self.with_part[column[0]], change, self.step)
            self.final.add(self.with_part[column[-1]], change, self.step)
        self.bias.add(labels[wrong], change, self.step)

    def averaged(self, labels: Sequence[str], index: FeatureIndex) -> PartModel:
        """The average of the weights over all steps."""
        bias, transition, initial, final = (
            array.average(self.step) for array in (self.bias, self.transition, self.initial, self.final)
        )
        weights = self.weights.average(self.step).astype(np.float32)
        return PartModel(tuple(labels), self.parts, index, weights, bias, transition, initial, final)
