"""A trained first-order chain tagger: words in, chain scores out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gapless.learn import DamagedFile, read_archive, write_archive
from gapless_chains import ChainBatch, ChainModel, ChainProblem
from gapless_models.tagging.features import FeatureIndex
from gapless_models.tagging.lexicon import LabelLexicon
from gapless_models.tagging.sentence import TaggedSentence

Scores = NDArray[np.float64]
Arrays = Mapping[str, NDArray[Any]]

Decoder = Callable[[Scores, Scores, Scores, Scores], Sequence[int] | NDArray[np.integer]]
"""``decode(unary (n, K), transition (K, K), initial (K,), final (K,))`` returns ``n`` label numbers that
maximise the sum of the scores; ``transition[a, b]`` is for label ``a`` followed by ``b``."""


KIND = "chain tagger"
ARRAYS = ("weights", "transition", "initial", "final")
UPOS, XPOS, BOTH = "upos", "xpos", "upos|xpos"
COLUMNS = (UPOS, XPOS, BOTH)
"""Columns of CoNLL-U that a tagger fills; labels for both have ``|`` between the two tags."""


class Tagger(ABC):
    """Model that scores chains of labels over words.

    Attributes
    ----------
    labels : tuple of str
        The ``K`` labels.
    transition : ndarray of float64, shape (K, K)
    initial, final : ndarray of float64, shape (K,)
    """

    labels: tuple[str, ...]
    index: FeatureIndex
    transition: Scores
    initial: Scores
    final: Scores

    @abstractmethod
    def scores(self, sentence: TaggedSentence | Sequence[str]) -> Scores:
        """Score each label at each word.

        Parameters
        ----------
        sentence : TaggedSentence or sequence of str
            The ``n`` words.

        Returns
        -------
        ndarray of float64, shape (n, K)
        """

    @abstractmethod
    def save(self, path: str | Path) -> None:
        """Write the tagger to an npz file, which appears under its name only when it is complete.

        Raises
        ------
        OSError
            If the folder is missing or not writable.
        """

    def _write(self, path: str | Path, kind: str, arrays: Arrays, **texts: Any) -> None:
        """Write arrays and texts, and the feature index."""
        write_archive(path, kind, arrays, {**texts, **self._index_texts()})

    def _index_texts(self) -> dict[str, list[str]]:
        """Convert the feature index to JSON data."""
        names, classes = self.index.numbers, self.index.lexicon.classes
        features = sorted(names, key=names.__getitem__)
        return {"features": features, "words": list(classes), "classes": list(classes.values())}

    def batch(self, sentences: Sequence[TaggedSentence] | Sequence[Sequence[str]]) -> ChainBatch:
        """Build the problems of non-empty sentences in float32 rows, which kernels read without a copy.

        Whatever is proved is proved for these rows, as they stand.
        """
        model = ChainModel(self.transition, initial=self.initial, final=self.final, labels=self.labels)
        rows = np.empty((sum(map(len, sentences)), len(self.labels)), np.float32)
        start = 0
        for sentence in sentences:
            rows[start : start + len(sentence)] = self.scores(sentence)
            start += len(sentence)
        return model.batch(rows, [len(sentence) for sentence in sentences])

    def problem(self, words: Sequence[str]) -> ChainProblem:
        """Build the problem of tagging the words of a sentence, at least one; see `batch`."""
        return self.batch([words])[0]

    def tag(self, sentence: TaggedSentence | Sequence[str], decode: Decoder) -> tuple[str, ...]:
        """Label the ``n`` words of a sentence, none if it is empty."""
        unary = self.scores(sentence)
        if len(unary) == 0:
            return ()
        return tuple(self.labels[y] for y in decode(unary, self.transition, self.initial, self.final))

    def accuracy(self, sentences: Iterable[TaggedSentence], decode: Decoder) -> float:
        """Return the share of words that get their gold label, in [0, 1].

        Raises
        ------
        ValueError
            If there are no sentences.
        """
        right = total = 0
        for sentence in sentences:
            total += len(sentence)
            predicted = self.tag(sentence, decode)
            right += sum(gold == label for gold, label in zip(sentence.labels, predicted, strict=True))
        if not total:
            raise ValueError("accuracy needs at least one sentence")
        return right / total


def checked_arrays(
    arrays: Arrays, features: int, labels: int, owner: str = ""
) -> tuple[NDArray[np.float32], Scores, Scores, Scores]:
    """Return the `ARRAYS` as float32 and float64; raise ValueError for shapes that do not fit, of `owner`."""
    shapes = ((features, labels), (labels, labels), (labels,), (labels,))
    for name, shape in zip(ARRAYS, shapes, strict=True):
        if arrays[name].shape != shape:
            raise ValueError(
                f"{owner}{name} has shape {arrays[name].shape}; {features} features, {labels} labels need {shape}"
            )
    transition, initial, final = (arrays[name].astype(np.float64) for name in ARRAYS[1:])
    return arrays[ARRAYS[0]].astype(np.float32), transition, initial, final


@contextmanager
def read_tagger(path: str | Path, kind: str) -> Iterator[tuple[Arrays, dict[str, Any], FeatureIndex]]:
    """Read arrays, texts and feature index of a stored tagger; errors in the context name the file.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is damaged, or holds something else, which the context notices.
    """
    try:
        arrays, texts = read_archive(path, kind)
        yield arrays, texts, _index_of(texts)
    except DamagedFile as error:
        raise ValueError(
            f"{path}: damaged, or not a file that a {kind.replace('chain ', '')} saved; train and save it again "
            f"({error})"
        ) from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: not a consistent tagger ({error}); train and save it again") from error


def _index_of(texts: Mapping[str, Any]) -> FeatureIndex:
    lexicon = LabelLexicon(dict(zip(texts["words"], texts["classes"], strict=True)))
    return FeatureIndex(lexicon, {name: i for i, name in enumerate(texts["features"])})


class ChainTagger(Tagger):
    """A linear model over label chains.

    Parameters
    ----------
    labels : sequence of str
        The ``K`` labels.
    index : FeatureIndex
        Gives the features of the words.
    weights : ndarray of float, shape (n_features, K)
        Kept as float32, which halves the memory; the scores are summed in float64.
    transition : ndarray of float64, shape (K, K)
        The score of label ``a`` followed by ``b`` at ``[a, b]``.
    initial, final : ndarray of float64, shape (K,)
        The scores of the first and of the last label.
    column : str
        The CoNLL-U column that the labels are for: one of `COLUMNS`.

    Raises
    ------
    ValueError
        If a label repeats, the shapes do not agree, or there is no such column.
    """

    def __init__(
        self,
        labels: Sequence[str],
        index: FeatureIndex,
        *,
        weights: NDArray[np.floating],
        transition: NDArray[np.floating],
        initial: NDArray[np.floating],
        final: NDArray[np.floating],
        column: str = UPOS,
    ) -> None:
        if column not in COLUMNS:
            raise ValueError(f"column={column!r}: choose one of {', '.join(COLUMNS)}")
        self.column = column
        self.labels = tuple(labels)
        count = len(self.labels)
        if len(set(self.labels)) != count:
            raise ValueError("a label occurs twice in the label list: list each once")
        self.index = index
        arrays = dict(zip(ARRAYS, (weights, transition, initial, final), strict=True))
        self.weights, self.transition, self.initial, self.final = checked_arrays(arrays, len(index), count)

    def scores(self, sentence: TaggedSentence | Sequence[str]) -> Scores:
        """Score each label at each word, see `Tagger.scores`."""
        words = sentence.words if isinstance(sentence, TaggedSentence) else sentence
        return self.index.features(words).scores(self.weights)

    def save(self, path: str | Path) -> None:
        """Write the tagger, see `Tagger.save`."""
        write_archive(path, KIND, *self.contents())

    def contents(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return the contents of the file: arrays, and JSON data."""
        texts = {"labels": self.labels, "column": self.column, **self._index_texts()}
        return {name: getattr(self, name) for name in ARRAYS}, texts

    @classmethod
    def of_contents(
        cls, arrays: Arrays, texts: Mapping[str, Any], index: FeatureIndex | None = None
    ) -> ChainTagger:
        """Build the tagger that `contents` describes; raise the constructor's errors, or `LookupError`."""
        column = str(texts.get("column", UPOS))  # files of earlier versions do not say
        by_name = {name: arrays[name] for name in ARRAYS}
        return cls(texts["labels"], _index_of(texts) if index is None else index, **by_name, column=column)

    @classmethod
    def load(cls, path: str | Path) -> ChainTagger:
        """Read a tagger that :meth:`save` wrote.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ValueError
            If the file is damaged or not a tagger.
        """
        with read_tagger(path, KIND) as (arrays, texts, index):
            return cls.of_contents(arrays, texts, index)
