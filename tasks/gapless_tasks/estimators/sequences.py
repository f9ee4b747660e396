"""What estimators are given: sentences of words, sequences of rows, a matrix; and their answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, check_consistent_length

from gapless import InvalidProblem

Kind = Literal["words", "rows", "matrix"]


def kind_of(X: Any) -> Kind:
    """Sentences of words, sequences of rows of numbers, or a matrix, whose rows are sentences of one token."""
    if getattr(X, "ndim", 1) == 2 or not hasattr(X, "__getitem__") or not hasattr(X, "__len__") or not len(X):
        return "matrix"
    first = next((sentence for sentence in X if hasattr(sentence, "__len__") and len(sentence)), None)
    if first is None:
        return "matrix"
    if isinstance(first, str) or isinstance(first[0], str):
        return "words"
    return "rows" if np.ndim(first) == 2 else "matrix"


def word_sequences(X: Sequence[Any]) -> list[tuple[str, ...]]:
    """Sentences as tuples of words.

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
    """Sequences of rows as float64 arrays (n, d) of one width.

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
    """The right labels or heads of each sentence, as many as it has tokens.

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
    found = []
    for i, (sentence, given) in enumerate(zip(X, y, strict=True)):
        if isinstance(sentence, str):
            raise InvalidProblem(f"X[{i}] is {sentence!r}, expected a list of words")
        if isinstance(given, str) or not hasattr(given, "__len__") or len(given) != len(sentence):
            raise InvalidProblem(
                f"y[{i}] is {given!r}, expected {len(sentence)} {what}, one for each token of X[{i}]"
            )
        found.append(given.tolist() if hasattr(given, "tolist") else list(given))
    return found
