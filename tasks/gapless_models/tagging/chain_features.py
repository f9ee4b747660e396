"""The chain tagger as a linear model that the trainers of `gapless.learn` can train; chains near another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gapless.learn import Blocks, FeatureMap, FeatureVector, Weights
from gapless_kernels import forward_messages, viterbi
from gapless_models.tagging.features import SentenceFeatures

Labels = NDArray[np.int64]
Scores = NDArray[np.float64]

EMISSION, TRANSITION, INITIAL, FINAL = "emission", "transition", "initial", "final"


class TrainingSentence(NamedTuple):
    """The features of a sentence of ``n`` words, and its gold label numbers, int64 (n,)."""

    features: SentenceFeatures
    gold: Labels


class ChainScores(NamedTuple):
    """The input of a decoder: ``unary (n, K)``, ``transition (K, K)``, ``initial (K,)``, ``final (K,)``."""

    unary: Scores
    transition: Scores
    initial: Scores
    final: Scores


class ChainFeatures(FeatureMap[TrainingSentence, ChainScores, Labels]):
    """Sparse features of words with labels, and pairs of neighbouring labels.

    Parameters
    ----------
    features : int
        The number of features of words.
    labels : int
        ``K``.
    """

    def __init__(self, features: int, labels: int) -> None:
        self._labels = labels
        self._blocks = Blocks(
            {EMISSION: (features, labels), TRANSITION: (labels, labels), INITIAL: (labels,), FINAL: (labels,)}
        )

    @property
    def blocks(self) -> Blocks:
        """Blocks of words, pairs of labels, first and last label."""
        return self._blocks

    def gold(self, example: TrainingSentence) -> Labels:
        """Return the gold label numbers."""
        return example.gold

    def problem(self, weights: Weights, example: TrainingSentence) -> ChainScores:
        """Build the decoding problem of a sentence, with float64 scores."""
        sentence = example.features
        unary = weights.row_sums(EMISSION, sentence.ids, sentence.indptr)
        pairs, first, last = (weights[name].astype(np.float64, copy=False) for name in (TRANSITION, INITIAL, FINAL))
        return ChainScores(unary, pairs, first, last)

    def augmented_problem(self, weights: Weights, example: TrainingSentence, margin: float) -> ChainScores:
        """Build the problem with the gold labels handicapped, which is the Hamming loss up to a constant."""
        scores = self.problem(weights, example)
        scores.unary[np.arange(len(example.gold)), example.gold] -= margin
        return scores

    def features(self, example: TrainingSentence, structure: Labels) -> FeatureVector:
        """Return all features that fire."""
        ids, indptr = example.features.ids, example.features.indptr
        count = self._labels
        places = ids * count + np.repeat(structure, np.diff(indptr))
        pairs = structure[:-1] * count + structure[1:]
        return FeatureVector(
            {
                EMISSION: (places, np.ones(places.size)),
                TRANSITION: (pairs, np.ones(pairs.size)),
                INITIAL: (structure[:1], np.ones(1)),
                FINAL: (structure[-1:], np.ones(1)),
            }
        )

    def difference(self, example: TrainingSentence, better: Labels, worse: Labels) -> FeatureVector:
        """Return the features of the words and pairs on which the two labellings differ."""
        ids, indptr = example.features.ids, example.features.indptr
        count = self._labels
        differ = better != worse
        wrong = np.flatnonzero(differ)
        lengths = indptr[wrong + 1] - indptr[wrong]
        if wrong.size == 1:
            active = ids[indptr[wrong[0]] : indptr[wrong[0] + 1]] * count
        else:
            active = ids[np.repeat(differ, np.diff(indptr))] * count
        pairs = np.flatnonzero(differ[:-1] | differ[1:])
        parts = {
            EMISSION: _both(active + np.repeat(better[wrong], lengths), active + np.repeat(worse[wrong], lengths)),
            TRANSITION: _both(better[pairs] * count + better[pairs + 1], worse[pairs] * count + worse[pairs + 1]),
        }
        for name, position in ((INITIAL, 0), (FINAL, -1)):
            if differ[position]:
                parts[name] = _both(better[position, None], worse[position, None])
        return FeatureVector(parts)

    def loss(self, example: TrainingSentence, structure: Labels) -> float:
        """Count the words with a wrong label."""
        return float(np.count_nonzero(structure != example.gold))


def _both(gained: Labels, lost: Labels) -> tuple[Labels, Scores]:
    values = np.ones(gained.size + lost.size)
    values[gained.size :] = -1.0
    return np.concatenate([gained, lost]), values


def margin_violation(scores: ChainScores, gold: Labels, margin: float) -> Labels | None:
    """Return the best chain other than `gold` if it scores at least as much as `gold` less the margin; else None.

    Such a chain differs from `gold` at some word. Forward and backward messages say for every word and label what
    the best chain through it scores (its max-marginal); the best one with a label that is not gold is the answer,
    which is decoded only if it violates the margin.
    """
    local = scores.unary.copy()
    local[0] += scores.initial
    local[-1] += scores.final
    forward, backward = np.empty_like(local), np.empty_like(local)
    forward_messages(local, scores.transition, forward)
    forward_messages(np.ascontiguousarray(local[::-1]), np.ascontiguousarray(scores.transition.T), backward)
    through = forward + backward[::-1] - local
    words = np.arange(len(gold))
    gold_score = local[words, gold].sum() + scores.transition[gold[:-1], gold[1:]].sum() - margin
    through[words, gold] = -np.inf
    word, label = np.unravel_index(int(through.argmax()), through.shape)
    if through[word, label] < gold_score or through[word, label] == -np.inf:
        return None
    others = np.ones(local.shape[1], bool)
    others[label] = False
    local[word, others] = -np.inf
    labels = np.empty(len(gold), np.int64)
    viterbi(local, scores.transition, labels)
    return labels


def propose_label(scores: ChainScores, labels: Labels, rng: np.random.Generator) -> Labels | None:
    """Propose another label for a random word: a random one in half of the cases, else the word's best one."""
    count = scores.unary.shape[1]
    if count == 1:
        return None
    word = int(rng.integers(len(labels)))
    current = int(labels[word])
    if rng.random() < 0.5:
        proposal = (current + 1 + int(rng.integers(count - 1))) % count
    else:
        row = scores.unary[word].copy()
        row[current] = -np.inf
        proposal = int(row.argmax())
    neighbour = labels.copy()
    neighbour[word] = proposal
    return neighbour
