"""Positional and distributional features of the stems of a body (section 6: location, TF*IDF and the like)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray
from gapless_models.titles.stem_occurrences import Body, Occurrences

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
