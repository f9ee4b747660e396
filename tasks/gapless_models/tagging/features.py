"""Feature names indexed into integers: sentences as sparse 0/1 rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gapless_models.tagging.lexicon import LabelLexicon
from gapless_models.tagging.sentence import TaggedSentence
from gapless_models.tagging.templates import BIAS, Templates


@dataclass(frozen=True, slots=True)
class SentenceFeatures:
    """The active features of the words of one sentence.

    Parameters
    ----------
    indptr : ndarray of intp, shape (n + 1,)
        Word ``i`` has the features ``ids[indptr[i]:indptr[i + 1]]``, at least one.
    ids : ndarray of intp, shape (n_active,)
        Feature numbers, without repetitions inside a word.
    """

    indptr: NDArray[np.intp]
    ids: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def scores(self, weights: NDArray[np.floating]) -> NDArray[np.float64]:
        """Add up the weight rows of each word's features.

        Parameters
        ----------
        weights : ndarray of float, shape (n_features, K)

        Returns
        -------
        ndarray of float64, shape (n, K)
        """
        if len(self) == 0:
            return np.zeros((0, weights.shape[1]))
        rows = weights.take(self.ids, axis=0)
        return np.add.reduceat(rows, self.indptr[:-1], axis=0, dtype=np.float64)


class FeatureIndex:
    """Map from words to :class:`SentenceFeatures`; unknown features are left out.

    Parameters
    ----------
    lexicon : LabelLexicon
        The lexicon behind the class features.
    numbers : mapping of str to int
        The number of each feature name, ``0 .. n_features - 1``; the bias feature must be among them, so that
        no word is left without a feature.

    Raises
    ------
    ValueError
        If the bias feature has no number.
    """

    def __init__(self, lexicon: LabelLexicon, numbers: Mapping[str, int]) -> None:
        if BIAS not in numbers:
            raise ValueError(f"the feature {BIAS!r} has no number: every word needs a feature")
        self.lexicon = lexicon
        self.numbers = dict(numbers)
        self._templates = Templates(lexicon)

    def __len__(self) -> int:
        return len(self.numbers)

    def features(self, words: Sequence[str]) -> SentenceFeatures:
        """Look up the features of the ``n`` words of a sentence."""
        numbers = self.numbers
        rows = self._templates.features(words)
        return sparse_rows([numbers[name] for name in row if name in numbers] for row in rows)


def index_training(
    sentences: Sequence[TaggedSentence], folds: int = 10, min_count: int = 1
) -> tuple[FeatureIndex, list[SentenceFeatures]]:
    """Index the features of a training part.

    The classes of a sentence's words come from a lexicon that has not seen the sentence (jackknifing): else
    the class of a word that occurs once would give its label away, and the weights would trust a feature that
    is less sure on new text.

    Parameters
    ----------
    sentences : sequence of TaggedSentence
        The training part.
    folds : int
        The number of parts to divide the sentences into, at least 2.
    min_count : int
        Features that occur less often are dropped; raise it to save memory.

    Returns
    -------
    index : FeatureIndex
        With the lexicon of all sentences, for new text.
    features : list of SentenceFeatures
        The features of the given sentences.

    Raises
    ------
    ValueError
        If there are no sentences or fewer than 2 folds.
    """
    if not sentences:
        raise ValueError("no training sentences: give at least one")
    if folds < 2:
        raise ValueError(f"folds={folds}: each sentence needs a lexicon made from others, so use at least 2")
    numbers: dict[str, int] = {BIAS: 0}
    features: list[SentenceFeatures | None] = [None] * len(sentences)
    for fold in range(folds):
        others = (sentence for i, sentence in enumerate(sentences) if i % folds != fold)
        templates = Templates(LabelLexicon.fit(others))
        for i in range(fold, len(sentences), folds):
            rows = templates.features(sentences[i].words)
            features[i] = sparse_rows([[numbers.setdefault(name, len(numbers)) for name in row] for row in rows])
    every = [sentence for sentence in features if sentence is not None]
    frequent = np.bincount(np.concatenate([sentence.ids for sentence in every])) >= min_count
    frequent[numbers[BIAS]] = True
    renumbered = np.cumsum(frequent) - 1
    index = FeatureIndex(
        LabelLexicon.fit(sentences), {name: int(renumbered[i]) for name, i in numbers.items() if frequent[i]}
    )
    return index, [_restrict(sentence, frequent, renumbered) for sentence in every]


def sparse_rows(rows: Iterable[Sequence[int]]) -> SentenceFeatures:
    """Build the features of a sentence from the numbers of each word, none of them twice."""
    ids: list[int] = []
    indptr = [0]
    for row in rows:
        ids.extend(row)
        indptr.append(len(ids))
    return SentenceFeatures(np.array(indptr, dtype=np.intp), np.array(ids, dtype=np.intp))


def _restrict(
    sentence: SentenceFeatures, kept: NDArray[np.bool_], renumbered: NDArray[np.intp]
) -> SentenceFeatures:
    mask = kept[sentence.ids]
    starts = np.concatenate([[0], np.cumsum(mask)])
    return SentenceFeatures(starts[sentence.indptr], renumbered[sentence.ids[mask]])
