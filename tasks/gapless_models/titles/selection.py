"""A maximum-entropy classifier that selects the stems of a title from the body."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import attrs
import numpy as np

import gapless as gl
from gapless.arrays.sparse import BoolArray, FloatArray
from gapless_models.titles.stem_features import DocumentFrequencies, stem_features
from gapless_models.titles.stem_occurrences import Body

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
