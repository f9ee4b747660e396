"""A bigram model of words: Good-Turing discounts, and back-off to bigrams of stems and to single stems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import attrs
import numpy as np

import gapless as gl
from gapless.arrays.sparse import FloatArray, IntArray
from gapless_models.titles.content_words import PLACEHOLDERS, folded, is_word
from gapless_models.titles.section import Section

SIGNIFICANT = 1.96
"""Standard deviations by which Turing's estimate must differ from the smoothed one to be preferred."""


def discounts(counts: IntArray) -> FloatArray:
    """Compute the discounts of events that were seen r times.

    Source: Gale and Sampson, Good-Turing Frequency Estimation Without Tears (1995), without their last step, the
    renormalisation: what is left over goes to back-off here. NLTK's `SimpleGoodTuringProbDist` estimates the same
    for one distribution, without back-off.

    Parameters
    ----------
    counts : int64 (events,)
        Counts of the events; all positive.

    Returns
    -------
    float64 (largest count + 1,)
        ``r* / r`` for each r that occurs, strictly between 0 and 1; 0 for others.

    Raises
    ------
    InvalidProblem
        Too little text: the counts of counts do not fall as those of language do.
    """
    sizes, times = np.unique(counts, return_counts=True)
    slope = _slope(sizes, times) if sizes.size > 1 else 0.0
    if slope >= -1.0:
        raise gl.InvalidProblem(
            f"{counts.size} different events seen {int(counts.sum())} times are too little text for Good-Turing "
            "smoothing; give more sections"
        )
    adjusted = sizes * (1.0 + 1.0 / sizes) ** (slope + 1.0)
    for i in range(sizes.size - 1):
        r, now, above = float(sizes[i]), float(times[i]), float(times[i + 1])
        turing = (r + 1.0) * above / now
        deviation = (r + 1.0) * np.sqrt(above / now**2 * (1.0 + above / now))
        if sizes[i + 1] != r + 1 or turing >= r or abs(turing - adjusted[i]) <= SIGNIFICANT * deviation:
            break
        adjusted[i] = turing
    rates = np.zeros(int(sizes[-1]) + 1)
    rates[sizes] = adjusted / sizes
    return rates


def _slope(seen: IntArray, times: IntArray) -> float:
    """Fit the slope of the line through the log counts of counts, each averaged over the gap around it."""
    previous = np.concatenate([[0], seen[:-1]])
    following = np.concatenate([seen[1:], [2 * seen[-1] - previous[-1]]])
    x, y = np.log(seen), np.log(2.0 * times / (following - previous))
    x -= x.mean()
    return float(x @ (y - y.mean()) / (x @ x))


Distribution = Callable[[IntArray, IntArray], FloatArray]
"""``p(contexts, outcomes)``: probability of each outcome in its context; arrays of one shape."""


@attrs.frozen(eq=False)
class BackOff:
    """Model of P(outcome | context) with back-off.

    An outcome that was seen in a context has its discounted relative frequency there; the others share the rest,
    in proportion to `coarser`. Source: Katz, Estimation of Probabilities from Sparse Data (1987).

    Parameters
    ----------
    width : int
        Number of outcomes.
    keys : int64 (pairs,)
        ``context * width + outcome`` of the pairs that were seen, ascending.
    discounted : float64 (pairs,)
        Their probabilities.
    weights : float64 (contexts,)
        Factor of `coarser` for what was not seen.
    """

    width: int
    keys: IntArray
    discounted: FloatArray
    weights: FloatArray
    coarser: Distribution

    @classmethod
    def estimate(
        cls, contexts: IntArray, outcomes: IntArray, shape: tuple[int, int], coarser: Distribution
    ) -> BackOff:
        """Estimate the probabilities from pairs as they occur in text.

        Parameters
        ----------
        contexts, outcomes : int64 (occurrences,)
        shape : (int, int)
            The numbers of contexts and of outcomes. One outcome at least is never seen.
        coarser : callable
            A distribution that gives every outcome a positive probability.
        """
        height, width = shape
        keys, counts = np.unique(contexts * width + outcomes, return_counts=True)
        context, outcome = keys // width, keys % width
        totals = np.bincount(context, counts, minlength=height)
        discounted = discounts(counts)[counts] * counts / totals[context]
        back_off_mass = 1.0 - np.bincount(context, discounted, minlength=height)
        free = 1.0 - np.bincount(context, coarser(context, outcome), minlength=height)
        return cls(width, keys, discounted, back_off_mass / free, coarser)

    def __call__(self, contexts: IntArray, outcomes: IntArray) -> FloatArray:
        """Compute the probability of each outcome in its context; the arrays are broadcast."""
        context, outcome = np.broadcast_arrays(contexts, outcomes)
        keys = context * self.width + outcome
        nearest = np.minimum(np.searchsorted(self.keys, keys), self.keys.size - 1)
        backed_off = self.weights[context] * self.coarser(context, outcome)
        probabilities: FloatArray = np.where(self.keys[nearest] == keys, self.discounted[nearest], backed_off)
        return probabilities


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
