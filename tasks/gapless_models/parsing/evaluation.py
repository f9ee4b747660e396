"""Attachment scores, and whether the difference of two parsers is more than chance."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import ArrayLike

from gapless import InvalidProblem
from gapless.arrays.sparse import IntArray
from gapless_models.parsing.sentence import Sentence

PUNCTUATION = frozenset({"``", "''", ":", ",", ".", ";", "PU", "PUNCT", "XP"})
"""Gold tags of punctuation: Penn Treebank, Chinese Treebank, Universal Dependencies, and PAROLE."""


@attrs.frozen(eq=False)
class Attachment:
    """Words with the right head, sentence by sentence.

    Parameters
    ----------
    right, words : int64 (sentences,)
        Of all words.
    right_inner, words_inner : int64 (sentences,)
        Of those that are no punctuation.
    """

    right: IntArray
    words: IntArray
    right_inner: IntArray
    words_inner: IntArray

    @property
    def uas(self) -> float:
        """Unlabelled attachment score, in [0, 1]; NaN where there are no words."""
        return _share(self.right, self.words)

    @property
    def uas_without_punctuation(self) -> float:
        """Unlabelled attachment score of the words that are no punctuation; NaN where there are none."""
        return _share(self.right_inner, self.words_inner)

    @property
    def whole_trees(self) -> float:
        """Share of the sentences whose heads are all right, punctuation left out; NaN where there are none."""
        return float((self.right_inner == self.words_inner).mean()) if self.words.size else float("nan")


def _share(right: IntArray, words: IntArray) -> float:
    return float(right.sum() / words.sum()) if words.sum() else float("nan")


def is_punctuation(sentence: Sentence) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return which words have a gold tag of punctuation, bool (n,)."""
    pairs = zip(sentence.tags, sentence.coarse, strict=True)
    return np.array([tag in PUNCTUATION or coarse in PUNCTUATION for tag, coarse in pairs])


def attachment(sentences: Sequence[Sentence], heads: Sequence[ArrayLike | None]) -> Attachment:
    """Compare heads with the gold ones.

    Parameters
    ----------
    sentences : sequence of Sentence
        With gold heads.
    heads : sequence of arrays (n,) or None
        ``heads[i]`` has one entry for each word of ``sentences[i]``; where it is None there is no tree, and no head
        is right.
    """
    counts = np.zeros((4, len(sentences)), np.int64)
    for i, (sentence, predicted) in enumerate(zip(sentences, heads, strict=True)):
        hit, inner = _hits(sentence, predicted), ~is_punctuation(sentence)
        counts[:, i] = hit.sum(), len(hit), hit[inner].sum(), inner.sum()
    return Attachment(*counts)


def bootstrap_p_value(
    sentences: Sequence[Sentence],
    heads: Sequence[ArrayLike | None],
    baseline: Sequence[ArrayLike | None],
    *,
    punctuation: bool = True,
    samples: int = 10_000,
    seed: int = 0,
) -> float:
    """Compute the one-sided p-value of `heads` over `baseline` by a paired bootstrap.

    Sentences are drawn with replacement; the value is the share of draws in which the lead in right heads is at
    least twice the lead seen (Berg-Kirkpatrick, Burkett and Klein, EMNLP 2012, section 2).

    Parameters
    ----------
    sentences : sequence of Sentence
        With gold heads.
    heads, baseline : sequence of arrays (n,) or None
        As for `attachment`.
    punctuation : bool
        Whether it counts; test the score that is reported beside it.
    samples : int
    seed : int

    Returns
    -------
    float
        In (0, 1]; 1 when there is no lead.
    """
    ours, theirs = attachment(sentences, heads), attachment(sentences, baseline)
    leads = ours.right - theirs.right if punctuation else ours.right_inner - theirs.right_inner
    if leads.sum() <= 0:
        return 1.0
    # A draw counts how often each sentence came: a multinomial.
    draws = np.random.default_rng(seed).multinomial(len(leads), np.full(len(leads), 1 / len(leads)), size=samples)
    beyond = int(np.count_nonzero(draws @ leads >= 2 * leads.sum()))
    return (beyond + 1) / (samples + 1)


def _hits(sentence: Sentence, heads: ArrayLike | None) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    if not sentence.heads:
        raise InvalidProblem(f"a sentence has no gold heads: {' '.join(sentence.words[:8])} ...")
    if heads is None:
        return np.zeros(len(sentence), bool)
    predicted = np.asarray(heads)
    if predicted.shape != (len(sentence),):
        raise InvalidProblem(f"heads of shape {predicted.shape} for a sentence of {len(sentence)} words")
    hits: np.ndarray[tuple[int], np.dtype[np.bool_]] = predicted == np.array(sentence.heads)
    return hits
