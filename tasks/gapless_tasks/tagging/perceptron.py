"""Training a chain tagger with the averaged structured perceptron."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gapless_tasks.tagging.averaging import AveragedArray
from gapless_tasks.tagging.features import SentenceFeatures, index_training
from gapless_tasks.tagging.sentence import TaggedSentence
from gapless_tasks.tagging.tagger import ChainTagger, Decoder

Labels = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class EpochReport:
    """What one pass over the training part did.

    Parameters
    ----------
    epoch : int
        From 1.
    updates : int
        Sentences that were decoded wrongly.
    mistakes : int
        Words that got a wrong label while training, with the margin against the gold labels.
    dev_accuracy : float or None
        Word accuracy of the averaged weights on the development part, in [0, 1]; None without such a part.
    """

    epoch: int
    updates: int
    mistakes: int
    dev_accuracy: float | None


class _ChainWeights:
    """The weights of a chain under training."""

    def __init__(self, features: int, labels: int) -> None:
        self.unary = AveragedArray((features, labels))
        self.transition = AveragedArray((labels, labels))
        self.initial = AveragedArray((labels,))
        self.final = AveragedArray((labels,))

    def learn(self, sentence: SentenceFeatures, gold: Labels, decode: Decoder, margin: float, step: int) -> int:
        """Decode against the margin, move towards the gold labels, return the number of wrong words."""
        unary = sentence.scores(self.unary.values)
        unary[np.arange(len(gold)), gold] -= margin
        found = _labels(decode(unary, self.transition.values, self.initial.values, self.final.values), unary)
        wrong = np.flatnonzero(found != gold)
        if len(wrong):
            lengths = np.diff(sentence.indptr)
            active = sentence.ids[np.repeat(found != gold, lengths)]
            for labels, change in ((gold, 1.0), (found, -1.0)):
                self.unary.add((active, np.repeat(labels[wrong], lengths[wrong])), change, step)
                self.transition.add((labels[:-1], labels[1:]), change, step)
                self.initial.add(labels[0], change, step)
                self.final.add(labels[-1], change, step)
        return len(wrong)


def _labels(found: Sequence[int] | NDArray[np.integer], unary: NDArray[np.float64]) -> Labels:
    labels = np.asarray(found, dtype=np.intp)
    count, kinds = unary.shape
    if labels.shape != (count,) or labels.min() < 0 or labels.max() >= kinds:
        raise ValueError(
            f"decode returned {labels.tolist()}; it must return {count} numbers between 0 and {kinds - 1}"
        )
    return labels


def train(
    sentences: Sequence[TaggedSentence],
    decode: Decoder,
    epochs: int = 10,
    seed: int = 0,
    dev: Sequence[TaggedSentence] | None = None,
    *,
    progress: Callable[[EpochReport], None] | None = None,
    margin: float = 60.0,
    patience: int = 3,
    min_count: int = 1,
) -> ChainTagger:
    """Train a chain tagger; the same arguments give the same tagger.

    Each sentence is decoded with the current weights, the gold labels handicapped by `margin`; where the
    answer is wrong, the weights of the gold chain's features go up by 1 and those of the decoded chain's go
    down by 1. The tagger gets the average of the weights over all steps.

    Parameters
    ----------
    sentences : sequence of TaggedSentence
        The training part.
    decode : Decoder
        Finds the best chain under ``unary (n, K)``, ``transition (K, K)``, ``initial (K,)``, ``final (K,)``.
    epochs : int
        Passes over the training part, at least 1; fewer are made once a pass has no mistakes.
    seed : int
        Shuffles the sentences.
    dev : sequence of TaggedSentence, optional
        If given, the epoch with the best accuracy on it is kept.
    progress : callable, optional
        Is called with an :class:`EpochReport` after each epoch.
    margin : float
        By how much a wrong label must lose against the gold one not to count as an error, per word. A word
        has about 50 features, so one update moves its score by about twice that; 0 is the plain perceptron.
    patience : int
        Stop after that many epochs without a better accuracy on `dev`.
    min_count : int
        Features that occur less often are dropped.

    Returns
    -------
    ChainTagger

    Raises
    ------
    ValueError
        If there are no sentences, `epochs` or `patience` is below 1, `margin` is negative or not finite, or
        `decode` returns something other than label numbers.

    Notes
    -----
    Memory is 16 bytes per feature and label while training (255 MB for 355,000 features and 45 labels).

    Sources: Collins, "Discriminative training methods for hidden Markov models" (EMNLP 2002), figure 1 and
    section 2.4 for the averaged perceptron; Tsochantaridis, Joachims, Hofmann and Altun, "Large margin
    methods for structured and interdependent output variables" (JMLR 2005), section 2.2.4, for decoding
    with the Hamming margin added.
    """
    if epochs < 1 or patience < 1:
        raise ValueError(f"epochs={epochs}, patience={patience}: both must be at least 1")
    if not 0 <= margin < np.inf:
        raise ValueError(f"margin={margin}: must be a finite number, 0 or more")
    index, features = index_training(sentences, min_count=min_count)
    names = sorted({label for sentence in sentences for label in sentence.labels})
    number = {label: i for i, label in enumerate(names)}
    gold = [np.array([number[label] for label in sentence.labels], dtype=np.intp) for sentence in sentences]
    weights = _ChainWeights(len(index), len(names))

    def averaged(steps: int) -> ChainTagger:
        return ChainTagger(
            names,
            index,
            weights=weights.unary.average(steps),
            transition=weights.transition.average(steps),
            initial=weights.initial.average(steps),
            final=weights.final.average(steps),
        )

    rng = np.random.default_rng(seed)
    step = 0
    best: ChainTagger | None = None
    best_accuracy, best_epoch = -1.0, 0
    for epoch in range(1, epochs + 1):
        updates = mistakes = 0
        for i in rng.permutation(len(sentences)):
            step += 1
            wrong = weights.learn(features[i], gold[i], decode, margin, step)
            updates += wrong > 0
            mistakes += wrong
        accuracy = None
        if dev:
            tagger = averaged(step)
            accuracy = tagger.accuracy(dev, decode)
            if accuracy > best_accuracy:
                best, best_accuracy, best_epoch = tagger, accuracy, epoch
        if progress is not None:
            progress(EpochReport(epoch, updates, mistakes, accuracy))
        if mistakes == 0 or (dev and epoch - best_epoch >= patience):
            break
    return averaged(step) if best is None else best
