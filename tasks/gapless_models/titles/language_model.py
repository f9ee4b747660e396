"""A bigram model of words that backs off to bigrams of their stems, and from there to single stems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless_models.titles.back_off import BackOff
from gapless_models.titles.content_words import PLACEHOLDERS, folded, is_word
from gapless_models.titles.good_turing import discounts
from gapless_models.titles.section import Section

BOUNDARY, UNKNOWN = "a boundary", "an unknown word"
"""No token has a space."""


def phrases(sections: Iterable[Section]) -> Iterable[list[str]]:
    """Split the folded words of the bodies at punctuation marks.

    A title has no punctuation; so words that begin or end a phrase, not only a sentence, are what can begin or end
    a title. Placeholders count as words, which no title has: the words around one are no neighbours.
    """
    for section in sections:
        for sentence in section.body:
            phrase: list[str] = []
            for token in sentence:
                if is_word(token) or token in PLACEHOLDERS:
                    phrase.append(folded(token))
                elif phrase:
                    yield phrase
                    phrase = []
            if phrase:
                yield phrase


@attrs.frozen(eq=False)
class BigramModel:
    """P(word | word before it), by Good-Turing smoothing and back-off.

    From bigrams of surface forms it backs off to those of stems, times the share of the form among its stem's
    occurrences, and from there to single stems. No library has this model: NLTK's `lm` smooths by other methods,
    and its `SimpleGoodTuringProbDist` does not back off.

    Parameters
    ----------
    numbers : mapping of str to int
        Of the words that were seen, `BOUNDARY` and `UNKNOWN` included.
    """

    numbers: Mapping[str, int]
    words: BackOff

    @classmethod
    def estimate(cls, sections: Sequence[Section], stem: Callable[[str], str]) -> BigramModel:
        """Estimate the model from the bodies of sections, without their titles.

        Raises
        ------
        InvalidProblem
            Too little text.
        """
        numbers = {BOUNDARY: 0, UNKNOWN: 1}
        text = [0]
        for phrase in phrases(sections):
            text += [numbers.setdefault(word, len(numbers)) for word in phrase]
            text.append(0)
        stems: dict[str, int] = {BOUNDARY: 0, UNKNOWN: 1}
        special = (BOUNDARY, UNKNOWN, *PLACEHOLDERS)
        stem_of = np.array(
            [stems.setdefault(word if word in special else stem(word), len(stems)) for word in numbers]
        )
        seen = np.array(text)
        by_stem = stem_of[seen]
        single = _single_stems(by_stem, len(stems))
        share = _shares(seen, stem_of)
        pairs = BackOff.estimate(
            by_stem[:-1], by_stem[1:], (len(stems), len(stems)), lambda _, outcomes: single[outcomes]
        )

        def by_stems(contexts: IntArray, outcomes: IntArray) -> FloatArray:
            return pairs(stem_of[contexts], stem_of[outcomes]) * share[outcomes]

        return cls(numbers, BackOff.estimate(seen[:-1], seen[1:], (len(numbers), len(numbers)), by_stems))

    def __contains__(self, word: str) -> bool:
        return word in self.numbers

    def log_probabilities(self, before: Sequence[str], after: Sequence[str]) -> FloatArray:
        """Compute natural logarithms of P(after | before).

        Parameters
        ----------
        before : sequence of m str
        after : sequence of n str
            Folded words; `BOUNDARY` is where a phrase begins and ends. Words that were not seen count as `UNKNOWN`.

        Returns
        -------
        float64 (m, n)
        """
        contexts, outcomes = self._numbered(before), self._numbered(after)
        return np.log(self.words(contexts[:, None], outcomes[None, :]))

    def _numbered(self, words: Sequence[str]) -> IntArray:
        unknown = self.numbers[UNKNOWN]
        return np.array([self.numbers.get(word, unknown) for word in words], np.int64)


def _single_stems(text: IntArray, count: int) -> FloatArray:
    """Compute discounted relative frequencies; `UNKNOWN` has the rest."""
    counts = np.bincount(text, minlength=count)
    shares: FloatArray = discounts(counts[counts > 0])[counts] * counts / text.size
    shares[1] = 1.0 - shares.sum()
    return shares


def _shares(text: IntArray, stem_of: IntArray) -> FloatArray:
    """Compute P(word | its stem); 1 for `UNKNOWN`, which has a stem of its own."""
    counts = np.bincount(text, minlength=stem_of.size).astype(float)
    counts[1] = 1.0
    shares: FloatArray = counts / np.bincount(stem_of, counts)[stem_of]
    return shares
