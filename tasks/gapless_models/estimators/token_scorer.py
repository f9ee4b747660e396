"""Scikit-learn's scorers, which compare flat labels, for lists of them."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer

from gapless import InvalidProblem, UnknownOption
from gapless_models.estimators.sequences import answers


class token_scorer:  # noqa: N801  it is called like scikit-learn's make_scorer
    """A scorer over the tokens of all sentences together, for ``scoring=``.

    Scikit-learn's own names (``scoring="f1_macro"``) compare arrays of labels, and fail on lists, one a sentence.

    Parameters
    ----------
    scoring : str or callable
        A name such as "f1_macro", or what `sklearn.metrics.make_scorer` makes; it judges predictions, not
        probabilities.

    Raises
    ------
    UnknownOption
        The scorer asks for probabilities or decision values, which these models do not give.
    ValueError
        Scikit-learn knows no such name.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from gapless_models.estimators import ChainTagger, token_scorer
    >>> X, y = [["a", "cat"], ["the", "cat"]] * 4, [["DET", "NOUN"], ["DET", "NOUN"]] * 4
    >>> cross_val_score(ChainTagger(epochs=2), X, y, scoring=token_scorer("f1_macro"), cv=2).tolist()
    [1.0, 1.0]
    """

    def __init__(self, scoring: str | Callable[..., Any]) -> None:
        self.scoring = scoring
        self._scorer: Any = get_scorer(scoring)
        labels = np.array([0, 1])
        with warnings.catch_warnings(), contextlib.suppress(ValueError):
            warnings.simplefilter("ignore")
            try:
                self._scorer(_Answers(labels, labels), None, labels)
            except AttributeError as error:
                raise UnknownOption(
                    f"scoring {scoring!r} asks for more than predictions, and these models have no probabilities: "
                    "take one that compares labels, such as 'f1_macro'"
                ) from error

    def __call__(self, estimator: Any, X: Sequence[Any], y: Any) -> float:
        """Score the predictions of `estimator` for the sentences X, whose right answers are y."""
        right = _flat(answers(X, y, "answers"))
        if not right.size:
            raise InvalidProblem("a score needs at least one token")
        predictions = _flat(estimator.predict(X))
        return float(self._scorer(_Answers(predictions, right), None, right))

    def __repr__(self) -> str:
        return f"token_scorer({self.scoring!r})"


class _Answers(ClassifierMixin, BaseEstimator):
    """Stand-in for a classifier that has predicted already."""

    def __init__(self, found: NDArray[Any], right: NDArray[Any]) -> None:
        self.found = found
        self.right = right

    @property
    def classes_(self) -> NDArray[Any]:
        return np.unique(np.concatenate([self.found, self.right]))

    def predict(self, _: None) -> NDArray[Any]:
        """Predict the answers."""
        return self.found


def _flat(sentences: Sequence[Sequence[Any]]) -> NDArray[Any]:
    return np.array([label for labels in sentences for label in labels])
