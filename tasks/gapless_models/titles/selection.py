"""A maximum-entropy classifier that selects the stems of a title by positional and distributional features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import attrs
import numpy as np

import gapless as gl
from gapless.arrays.sparse import BoolArray, FloatArray
from gapless_models.titles.content_words import ContentWords, folded, is_word
from gapless_models.titles.section import Section


@attrs.define
class Occurrences:
    """Counts of one stem.

    Parameters
    ----------
    first_token, first_sentence : int
        The position of its first occurrence, from 0.
    capitalised, acronyms : int
        Inside sentences: with a capital first letter, all in capitals. The first word of a sentence does not count.
    after_auxiliary, before_boundary, after_boundary : int
        Directly after an auxiliary word; before, after a punctuation mark or an end of the sentence.
    forms : dict of str to int
        Folded words with this stem.
    """

    first_token: int
    first_sentence: int
    count: int = 0
    sentences: set[int] = attrs.field(factory=set)
    capitalised: int = 0
    acronyms: int = 0
    after_auxiliary: int = 0
    before_boundary: int = 0
    after_boundary: int = 0
    forms: dict[str, int] = attrs.field(factory=dict)


@attrs.frozen
class Body:
    """The content words of one body.

    Parameters
    ----------
    tokens, sentences : int
        Their number.
    stems : mapping of str to Occurrences
        In the order in which they first occur.
    """

    tokens: int
    sentences: int
    stems: Mapping[str, Occurrences]

    @property
    def words(self) -> list[tuple[str, str]]:
        """Each distinct content word with its stem."""
        return [(word, stem) for stem, occurrences in self.stems.items() for word in occurrences.forms]


def read_body(section: Section, content: ContentWords) -> Body:
    """Count the stems of a section's body."""
    stems: dict[str, Occurrences] = {}
    position = 0
    for number, sentence in enumerate(section.body):
        words = [folded(token) for token in sentence]
        for index, (token, word) in enumerate(zip(sentence, words, strict=True)):
            if content.is_content(word):
                stem = content.stem(word)
                occurrences = stems.setdefault(stem, Occurrences(position + index, number))
                occurrences.count += 1
                occurrences.sentences.add(number)
                occurrences.forms[word] = occurrences.forms.get(word, 0) + 1
                if index:
                    occurrences.capitalised += token[0].isupper()
                    occurrences.acronyms += len(token) > 1 and token.isupper()
                    occurrences.after_auxiliary += words[index - 1] in content.auxiliary
                occurrences.after_boundary += not index or not is_word(words[index - 1])
                occurrences.before_boundary += index + 1 == len(words) or not is_word(words[index + 1])
        position += len(words)
    return Body(position, len(section.body), stems)


_LATER = 3
"""Sentences that count as the beginning."""


@attrs.frozen
class DocumentFrequencies:
    """Number of bodies in which each stem occurs."""

    bodies: int
    counts: Mapping[str, int]

    @classmethod
    def of(cls, bodies: Iterable[Body]) -> DocumentFrequencies:
        """Count the occurrences."""
        counts: Counter[str] = Counter()
        total = 0
        for body in bodies:
            counts.update(body.stems.keys())
            total += 1
        return cls(total, counts)

    def inverse(self, stem: str) -> float:
        """Compute ``log((bodies + 1) / (bodies with the stem + 1))``: 0 for a stem that is everywhere."""
        return float(np.log((self.bodies + 1) / (self.counts.get(stem, 0) + 1)))


@attrs.frozen
class _Seen:
    """One stem and the data of its features."""

    stem: str
    found: Occurrences
    body: Body
    idf: float

    @property
    def form(self) -> str:
        """Most frequent form of the stem."""
        return max(self.found.forms, key=lambda form: self.found.forms[form])

    def share(self, count: int) -> float:
        """Return the share of its occurrences."""
        return count / self.found.count


_FEATURES: Mapping[str, Callable[[_Seen], float]] = {
    "in the first sentence": lambda s: s.found.first_sentence == 0,
    "in the first sentences": lambda s: s.found.first_sentence < _LATER,
    "log of the first sentence": lambda s: np.log1p(s.found.first_sentence),
    "relative place": lambda s: s.found.first_token / s.body.tokens,
    "log of the first place": lambda s: np.log1p(s.found.first_token),
    "in the last sentence": lambda s: s.body.sentences - 1 in s.found.sentences,
    "log of the count": lambda s: np.log(s.found.count),
    "once only": lambda s: s.found.count == 1,
    "frequency": lambda s: 100.0 * s.found.count / s.body.tokens,
    "share of the sentences": lambda s: len(s.found.sentences) / s.body.sentences,
    "IDF": lambda s: s.idf,
    "IDF squared": lambda s: s.idf**2,
    "TF*IDF": lambda s: 100.0 * s.found.count / s.body.tokens * s.idf,
    "log TF*IDF": lambda s: np.log(s.found.count) * s.idf,
    "first sentence and IDF": lambda s: (s.found.first_sentence == 0) * s.idf,
    "first sentence and count": lambda s: (s.found.first_sentence == 0) * np.log(s.found.count),
    "capitalised": lambda s: s.share(s.found.capitalised),
    "acronym": lambda s: s.share(s.found.acronyms),
    "after an auxiliary word": lambda s: s.share(s.found.after_auxiliary),
    "before a boundary": lambda s: s.share(s.found.before_boundary),
    "after a boundary": lambda s: s.share(s.found.after_boundary),
    "letters": lambda s: len(s.form),
    "short": lambda s: len(s.form) <= 2,
    "no plain word": lambda s: not s.form.replace("-", "").isalpha(),
    "hyphen": lambda s: "-" in s.form,
    "-ing": lambda s: s.form.endswith("ing"),
    "-ed": lambda s: s.form.endswith("ed"),
    "-ly": lambda s: s.form.endswith("ly"),
    "-s": lambda s: s.form.endswith("s"),
    "-ion": lambda s: s.form.endswith(("ion", "ions")),
    "forms": lambda s: len(s.found.forms),
}
_RANKED = ("log of the count", "TF*IDF")
NAMES = (*_FEATURES, *(f"rank of {name}" for name in _RANKED))


def stem_features(body: Body, frequencies: DocumentFrequencies) -> FloatArray:
    """Compute the features of every stem of a body.

    Returns
    -------
    float64 (stems, features)
        In the order of ``body.stems`` and of `NAMES`. A rank is the logarithm of 1 + the stems that have more.
    """
    rows = [
        [float(feature(seen)) for feature in _FEATURES.values()]
        for seen in (
            _Seen(stem, occurrences, body, frequencies.inverse(stem)) for stem, occurrences in body.stems.items()
        )
    ]
    values = np.array(rows, np.float64).reshape(-1, len(_FEATURES))
    columns = [values[:, NAMES.index(name)] for name in _RANKED]
    ranks = [np.log1p(column.size - np.searchsorted(np.sort(column), column, "right")) for column in columns]
    return np.column_stack([values, *ranks])


FOLDS = 10
_PSEUDO = 5.0
"""Bodies with the average rate that are added to those that a stem occurs in."""

_CONSTANT = 1e-9
"""A feature that varies less, relative to its size, is constant but for rounding."""


@attrs.frozen
class TitleRates:
    """The share of stems in a body that are also in its title.

    Parameters
    ----------
    bodies, titles : mapping of str to int
        Bodies with the stem; those of them whose title has it.
    """

    bodies: Mapping[str, int]
    titles: Mapping[str, int]

    @classmethod
    def of(cls, pairs: Iterable[tuple[Body, Collection[str]]]) -> TitleRates:
        """Count the stems of bodies and of their titles."""
        bodies: Counter[str] = Counter()
        titles: Counter[str] = Counter()
        for body, title in pairs:
            bodies.update(body.stems.keys())
            titles.update(body.stems.keys() & set(title))
        return cls(bodies, titles)

    def log_rates(self, stems: Collection[str]) -> FloatArray:
        """Compute logarithms of the rates, smoothed towards the average where counts are low; float64 (stems,)."""
        average = (sum(self.titles.values()) + 1) / (sum(self.bodies.values()) + 2)
        seen = np.array([(self.titles.get(stem, 0), self.bodies.get(stem, 0)) for stem in stems], np.float64)
        return np.log((seen[:, 0] + _PSEUDO * average) / (seen[:, 1] + _PSEUDO))


@attrs.frozen(eq=False)
class SelectionModel:
    """Maximum-entropy classifier of P(the title has the stem | features of the stem in the body).

    Parameters
    ----------
    centre, scale, weights : float64 (features,)
        The features are standardised.
    """

    frequencies: DocumentFrequencies
    rates: TitleRates
    centre: FloatArray
    scale: FloatArray
    weights: FloatArray
    intercept: float

    @classmethod
    def train(
        cls,
        bodies: Sequence[Body],
        titles: Sequence[Collection[str]],
        frequencies: DocumentFrequencies,
        strength: float = 1.0,
    ) -> SelectionModel:
        """Train by scikit-learn's `LogisticRegression`.

        The rate at which a stem gets into titles is a feature; for training it is counted on the other nine tenths
        of the sections, so that no section's own title is in it.

        Parameters
        ----------
        bodies : sequence of Body
        titles : sequence of collections of str
            The stems of each title's content words.
        frequencies : DocumentFrequencies
        strength : float
            Inverse of the L2 penalty.

        Raises
        ------
        InvalidProblem
            No title shares a stem with its body, or too few sections.
        MissingDependency
            scikit-learn is not installed.
        """
        pairs = list(zip(bodies, titles, strict=True))
        rows: list[FloatArray] = []
        in_title: list[bool] = []
        for fold in range(FOLDS):
            others = [pair for i, pair in enumerate(pairs) if i % FOLDS != fold]
            rates = TitleRates.of(others)
            for body, title in pairs[fold::FOLDS]:
                rows.append(_features(body, frequencies, rates))
                in_title += [stem in title for stem in body.stems]
        features, labels = np.concatenate(rows), np.array(in_title)
        if labels.all() or not labels.any():
            raise gl.InvalidProblem(
                f"selection cannot be learnt: of {labels.size} stems in the bodies of {len(bodies)} training "
                f"sections, {int(labels.sum())} are in the titles"
            )
        centre, scale = features.mean(0), features.std(0)
        scale[scale <= _CONSTANT * np.maximum(1.0, np.abs(centre))] = 1.0
        weights, intercept = _maximum_entropy((features - centre) / scale, labels, strength)
        return cls(frequencies, TitleRates.of(pairs), centre, scale, weights, intercept)

    def log_probabilities(self, body: Body) -> FloatArray:
        """Compute the log-probability that the title has each stem; float64 (stems,), as in ``body``."""
        features = (_features(body, self.frequencies, self.rates) - self.centre) / self.scale
        return -np.logaddexp(0.0, -(features @ self.weights + self.intercept))


def _features(body: Body, frequencies: DocumentFrequencies, rates: TitleRates) -> FloatArray:
    return np.column_stack([stem_features(body, frequencies), rates.log_rates(body.stems.keys())])


def _maximum_entropy(features: FloatArray, labels: BoolArray, strength: float) -> tuple[FloatArray, float]:
    try:
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  slow to load
    except ImportError as error:
        raise gl.MissingDependency("selection needs scikit-learn: pip install 'gapless[tasks]'") from error
    model = LogisticRegression(C=strength, max_iter=1000).fit(features, labels)
    return model.coef_[0], float(model.intercept_[0])
