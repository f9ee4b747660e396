"""Attachment scores, and whether the difference of two parsers is more than chance."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import ArrayLike

from gapless import InvalidProblem
from gapless_tasks.parsing.sentence import Sentence

PUNCTUATION = frozenset({"``", "''", ":", ",", ".", ";", "PU", "PUNCT", "XP"})
"""Gold tags of what counts as punctuation: Penn Treebank, Chinese Treebank, Universal Dependencies, and PAROLE."""


@attrs.frozen
class Attachment:
    """Words with the right head.

    Parameters
    ----------
    right, words : int
        Of all words.
    right_inner, words_inner : int
        Of those that are no punctuation.
    """

    right: int
    words: int
    right_inner: int
    words_inner: int

    @property
    def uas(self) -> float:
        """Unlabelled attachment score, in [0, 1]."""
        return self.right / self.words

    @property
    def uas_without_punctuation(self) -> float:
        """The same where the gold tag is no punctuation; NaN where there is nothing else."""
        return self.right_inner / self.words_inner if self.words_inner else float("nan")


def is_punctuation(sentence: Sentence) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which words have a gold tag of punctuation, bool (n,)."""
    pairs = zip(sentence.tags, sentence.coarse, strict=True)
    return np.array([tag in PUNCTUATION or coarse in PUNCTUATION for tag, coarse in pairs])


def attachment(sentences: Sequence[Sentence], heads: Sequence[ArrayLike]) -> Attachment:
    """Compare heads with the gold ones; ``heads[i]`` has one entry for each word of ``sentences[i]``."""
    right = right_inner = words = words_inner = 0
    for sentence, found in zip(sentences, heads, strict=True):
        hit, inner = _hits(sentence, found), ~is_punctuation(sentence)
        right += int(hit.sum())
        right_inner += int(hit[inner].sum())
        words += len(hit)
        words_inner += int(inner.sum())
    return Attachment(right, words, right_inner, words_inner)


def bootstrap_p_value(
    sentences: Sequence[Sentence],
    heads: Sequence[ArrayLike],
    baseline: Sequence[ArrayLike],
    *,
    samples: int = 10_000,
    seed: int = 0,
) -> float:
    """How often chance alone would make `heads` beat `baseline` by what it does: a paired bootstrap, one-sided.

    Sentences are drawn with replacement; the value is the share of draws in which the lead in right heads is at
    least twice the lead seen (Berg-Kirkpatrick, Burkett and Klein, EMNLP 2012, section 2).

    Parameters
    ----------
    sentences : sequence of Sentence
        With gold heads.
    heads, baseline : sequence of arrays (n,)
    samples : int
    seed : int

    Returns
    -------
    float
        In (0, 1]; 1 when there is no lead.
    """
    leads = np.array(
        [
            int(_hits(sentence, ours).sum()) - int(_hits(sentence, theirs).sum())
            for sentence, ours, theirs in zip(sentences, heads, baseline, strict=True)
        ]
    )
    if leads.sum() <= 0:
        return 1.0
    # A draw counts how often each sentence came: a multinomial.
    draws = np.random.default_rng(seed).multinomial(len(leads), np.full(len(leads), 1 / len(leads)), size=samples)
    beyond = int(np.count_nonzero(draws @ leads >= 2 * leads.sum()))
    return (beyond + 1) / (samples + 1)


def _hits(sentence: Sentence, heads: ArrayLike) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    found = np.asarray(heads)
    if not sentence.heads:
        raise InvalidProblem(f"a sentence has no gold heads: {' '.join(sentence.words[:8])} ...")
    if found.shape != (len(sentence),):
        raise InvalidProblem(f"heads of shape {found.shape} for a sentence of {len(sentence)} words")
    hits: np.ndarray[tuple[int], np.dtype[np.bool_]] = found == np.array(sentence.heads)
    return hits
