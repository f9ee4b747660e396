"""Input of estimators: sentences of words, sequences of rows, a matrix; and their answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, check_consistent_length

from gapless import InvalidProblem

Kind = Literal["words", "rows", "matrix"]


def kind_of(X: Any) -> Kind:
    """Distinguish sentences of words, sequences of rows of numbers, and a matrix with one token in each row.

    Raises
    ------
    InvalidProblem
        Tokens that are features by name.
    """
    if getattr(X, "ndim", 1) == 2 or not hasattr(X, "__getitem__") or not hasattr(X, "__len__") or not len(X):
        return "matrix"
    index = next((i for i, sentence in enumerate(X) if hasattr(sentence, "__len__") and len(sentence)), None)
    if index is None:
        return "matrix"
    first = X[index]
    _refuse_features(first, index)
    if isinstance(first, str) or isinstance(first[0], str):
        return "words"
    return "rows" if np.ndim(first) == 2 else "matrix"


def _refuse_features(sentence: Any, place: int) -> None:
    """Refuse tokens that are dictionaries or lists of features, as `sklearn-crfsuite` takes them."""
    if isinstance(sentence, Mapping):
        raise InvalidProblem(
            f"X[{place}] is a dictionary, expected a sentence: a list of words, or an array of numbers (n, d). "
            f"{_AS_NUMBERS}"
        )
    token = None if isinstance(sentence, str) else sentence[0]
    strings = isinstance(token, list | tuple | set) and any(isinstance(feature, str) for feature in token)
    if isinstance(token, Mapping) or strings:
        raise InvalidProblem(
            f"X[{place}][0] holds features by name ({type(token).__name__}), expected a word, whose features are "
            f"made here, or a row of numbers. {_AS_NUMBERS}"
        )


_AS_NUMBERS = (
    "To turn features into numbers: v = sklearn.feature_extraction.DictVectorizer(sparse=False).fit([token for "
    "sentence in X for token in sentence]); X = [v.transform(sentence) for sentence in X]"
)


def word_sequences(X: Sequence[Any]) -> list[tuple[str, ...]]:
    """Convert sentences to tuples of words.

    Raises
    ------
    InvalidProblem
        A sentence that is one string, or a word that is none.
    """
    sentences = []
    for i, sentence in enumerate(X):
        if isinstance(sentence, str) or not all(isinstance(word, str) for word in sentence):
            raise InvalidProblem(f"X[{i}] is {sentence!r}, expected a list of words")
        sentences.append(tuple(map(str, sentence)))
    return sentences


def row_sequences(X: Sequence[Any]) -> list[NDArray[np.float64]]:
    """Convert sequences of rows to float64 arrays (n, d) of one width.

    Raises
    ------
    InvalidProblem
        Widths that differ.
    """
    arrays = [check_array(rows, dtype=np.float64, input_name=f"X[{i}]") for i, rows in enumerate(X)]
    for i, rows in enumerate(arrays):
        if rows.shape[1] != arrays[0].shape[1]:
            raise InvalidProblem(f"X[{i}] has {rows.shape[1]} numbers a token, X[0] has {arrays[0].shape[1]}")
    return arrays


def answers(X: Sequence[Any], y: Any, what: str) -> list[list[Any]]:
    """Return the right labels or heads of each sentence, as many as it has tokens.

    Raises
    ------
    InvalidProblem
        Another number of them.
    ValueError
        More answers than sentences, or fewer.
    """
    if y is None:
        raise ValueError("this estimator requires y to be passed, but the target y is None")
    check_consistent_length(X, y)
    converted = []
    for i, (sentence, raw) in enumerate(zip(X, y, strict=True)):
        if isinstance(sentence, str):
            raise InvalidProblem(f"X[{i}] is {sentence!r}, expected a list of words")
        if isinstance(raw, str) or not hasattr(raw, "__len__") or len(raw) != len(sentence):
            raise InvalidProblem(
                f"y[{i}] is {raw!r}, expected {len(sentence)} {what}, one for each token of X[{i}]"
            )
        converted.append(raw.tolist() if hasattr(raw, "tolist") else list(raw))
    return converted


def share_right(right: Sequence[Sequence[Any]], found: Sequence[Sequence[Any]], what: str) -> float:
    """Compute the share of right answers among those of all sentences, in [0, 1].

    Raises
    ------
    InvalidProblem
        There is none: "a score needs at least one `what`".
    """
    same = [a == b for rows in zip(right, found, strict=True) for a, b in zip(*rows, strict=True)]
    if not same:
        raise InvalidProblem(f"a score needs at least one {what}")
    return float(np.mean(same))
