"""How many heads are right, with and without punctuation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs
import numpy as np

from gapless.core.sparse import IntArray
from gapless_tasks.parsing import Sentence
from gapless_tasks.parsing.evaluation import is_punctuation


@attrs.frozen
class Accuracy:
    """Heads of a part.

    Parameters
    ----------
    right, counted : int64 (sentences,)
        Words that count, without punctuation, and how many of them have the gold head.
    right_all, counted_all : int64 (sentences,)
        The same of all words.
    """

    right: IntArray
    counted: IntArray
    right_all: IntArray
    counted_all: IntArray

    @property
    def uas(self) -> float:
        """Share of the words with their gold head, punctuation left out; 0 without words."""
        return float(self.right.sum() / max(1, self.counted.sum()))

    @property
    def uas_all(self) -> float:
        """The same of all words."""
        return float(self.right_all.sum() / max(1, self.counted_all.sum()))

    @property
    def exact(self) -> float:
        """Share of the sentences whose whole tree is right, punctuation left out."""
        return float((self.right == self.counted).mean()) if self.right.size else 0.0


def accuracy(sentences: Sequence[Sentence], heads: Mapping[int, IntArray]) -> Accuracy:
    """Compare trees with the gold ones; a sentence that has no tree has no head right.

    Parameters
    ----------
    sentences : sequence of Sentence
        With gold trees.
    heads : mapping of int to int64 (n,)
        Trees by the number of their sentence.
    """
    counts = np.zeros((4, len(sentences)), np.int64)
    for i, sentence in enumerate(sentences):
        words = ~is_punctuation(sentence)
        right = heads[i] == np.array(sentence.heads) if i in heads else np.zeros(len(sentence), bool)
        counts[:, i] = (right & words).sum(), words.sum(), right.sum(), len(sentence)
    return Accuracy(*counts)
