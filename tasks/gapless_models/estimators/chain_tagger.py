"""A chain tagger with the habits of scikit-learn, for words or for tokens that are rows of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

import gapless as gl
from gapless import BatchResult, InvalidProblem
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.learn import FeatureVector, Weights
from gapless_chains import ChainBatch, ChainModel, k_best_of_batch
from gapless_models.estimators.sequences import answers, kind_of, row_sequences, share_right, word_sequences
from gapless_models.solve_all import solve_all
from gapless_models.tagging.chain_features import (
    EMISSION,
    FINAL,
    INITIAL,
    TRANSITION,
    ChainFeatures,
    ChainScores,
    Labels,
)
from gapless_models.tagging.decoder import decode
from gapless_models.tagging.sentence import TaggedSentence
from gapless_models.tagging.training import train, trainer_of


class DenseSentence(NamedTuple):
    """Rows of ``n`` tokens, float64 (n, d), and their gold label numbers, int64 (n,)."""

    features: NDArray[np.float64]
    gold: Labels


class DenseChainFeatures(ChainFeatures):
    """Numbers of tokens with labels, and pairs of neighbouring labels.

    Parameters
    ----------
    features : int
        The number of values of a token, d.
    labels : int
        ``K``.
    """

    def problem(self, weights: Weights, example: Any) -> ChainScores:
        """Build the decoding problem of a sentence, with float64 scores."""
        rows: DenseSentence = example
        tables = [weights[name].astype(np.float64, copy=False) for name in (EMISSION, TRANSITION, INITIAL, FINAL)]
        return ChainScores(rows.features @ tables[0], *tables[1:])

    def features(self, example: Any, structure: Labels) -> FeatureVector:
        """Return all features that fire; a numeric feature counts by its value."""
        rows: DenseSentence = example
        numbers = np.arange(rows.features.shape[1])
        return self.blocks.vector(
            **{
                EMISSION: ((numbers, structure[:, None]), rows.features.ravel()),
                TRANSITION: ((structure[:-1], structure[1:]), 1.0),
                INITIAL: ((structure[:1],), 1.0),
                FINAL: ((structure[-1:],), 1.0),
            }
        )

    def difference(self, example: Any, better: Labels, worse: Labels) -> FeatureVector:
        """Return the features of the tokens and pairs on which the two labellings differ."""
        return (self.features(example, better) - self.features(example, worse)).merged()


_MARGIN = 1.0
"""By default for rows of numbers, whose scale is the user's."""


class ChainTagger(BaseEstimator):
    """First-order label chains: trained by the perceptron, an SVM or SampleRank, decoded exactly.

    X is a list of sentences, each a list of words, whose features are made here; or a list of arrays (n, d), with d
    numbers for each token; or a matrix, whose rows are sequences of one token each, so that the tagger is a linear
    classifier then. y is a list of label sequences; for a matrix an array of labels.

    Parameters
    ----------
    trainer : {"perceptron", "svm", "samplerank"}
    epochs : int
        Passes over the training part; the perceptron makes fewer once a pass has no mistakes.
    margin : float, optional
        By how much what is wrong must lose, see `gapless_models.tagging.train`; for rows of numbers 1 by default.
    l2, transition_l2 : float
        For the SVM: penalties of the features, and of the label pairs, by default the same.
    min_count : int
        Features of words that occur less often are dropped.
    method : str, optional
        The method, see ``gapless methods``; all give the same answers but ``beam``.
    random_state : int, RandomState or None
        Shuffles the sentences.

    Attributes
    ----------
    classes_ : array (K,)
        The labels, ascending.
    model_ : ChainModel
        Scores of neighbouring, first and last labels.
    tagger_ : gapless_models.tagging.ChainTagger
        After training on words; can be saved to a file without pickle.
    coef_ : float64 (d, K)
        After training on numbers.
    intercept_ : float64 (K,)
        After training on numbers.
    n_features_in_ : int
        After training on numbers, d.

    Examples
    --------
    >>> tagger = ChainTagger(epochs=3).fit([["a", "cat"], ["the", "cat"]], [["DET", "NOUN"], ["DET", "NOUN"]])
    >>> tagger.predict([["a", "cat"]])
    [['DET', 'NOUN']]
    """

    def __init__(
        self,
        *,
        trainer: str = "perceptron",
        epochs: int = 10,
        margin: float | None = None,
        l2: float = 0.1,
        transition_l2: float | None = None,
        min_count: int = 1,
        method: str | None = None,
        random_state: Any = 0,
    ) -> None:
        self.trainer = trainer
        self.epochs = epochs
        self.margin = margin
        self.l2 = l2
        self.transition_l2 = transition_l2
        self.min_count = min_count
        self.method = method
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        """Require labels, and accept words as input."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.string = True
        return tags

    # --- training

    def fit(self, X: Any, y: Any) -> ChainTagger:
        """Train on the sentences X and their labels y, see the class.

        Raises
        ------
        ValueError
            `InvalidProblem` among them: no sentences, other lengths, NaN; the message names the place.
        """
        seed = int(check_random_state(self.random_state).randint(1 << 31))
        for name in ("tagger_", "coef_", "intercept_", "n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)  # of an earlier training, on other data
        if kind_of(X) == "words":
            self._fit_words(word_sequences(X), answers(X, y, "labels"), seed)
        else:
            self._fit_rows(X, y, seed)
        return self

    def _fit_words(self, sentences: Sequence[tuple[str, ...]], labels: list[list[Any]], seed: int) -> None:
        self.classes_ = np.unique(np.array([label for gold in labels for label in gold]))
        tagged = [
            TaggedSentence(words, tuple(map(str, gold)))
            for words, gold in zip(sentences, labels, strict=True)
            if words
        ]
        self.tagger_ = train(
            tagged,
            decode,
            self.epochs,
            seed,
            margin=self.margin,
            min_count=self.min_count,
            trainer=cast("Any", self.trainer),
            l2=self.l2,
            transition_l2=self.transition_l2,
        )
        # The tagger has its labels in the order of their names.
        order = np.argsort([self.tagger_.labels.index(str(label)) for label in self.classes_])
        self._class_numbers = order
        self.model_ = ChainModel(
            self.tagger_.transition,
            initial=self.tagger_.initial,
            final=self.tagger_.final,
            labels=self.tagger_.labels,
        )

    def _fit_rows(self, X: Any, y: Any, seed: int) -> None:
        if kind_of(X) == "matrix":
            X, y = validate_data(self, X, y, dtype=np.float64)
            check_classification_targets(y)
            rows = list(X[:, None, :])
            self.classes_, numbers = np.unique(y, return_inverse=True)
            golds = list(numbers.astype(np.int64)[:, None])
        else:
            rows = row_sequences(X)
            labels = answers(rows, y, "labels")
            self.n_features_in_ = rows[0].shape[1]
            self.classes_, numbers = np.unique(np.concatenate(labels), return_inverse=True)
            golds = np.split(numbers.astype(np.int64), np.cumsum([len(numbers_of) for numbers_of in labels])[:-1])
        with_one = [np.column_stack([x, np.ones(len(x))]) for x in rows]  # for the intercept
        examples = [DenseSentence(x, gold) for x, gold in zip(with_one, golds, strict=True)]
        model = DenseChainFeatures(self.n_features_in_ + 1, len(self.classes_))
        pairs = self.l2 if self.transition_l2 is None else self.transition_l2
        penalties = {block: pairs if block == TRANSITION else self.l2 for block in model.blocks}
        margin = _MARGIN if self.margin is None else self.margin
        trainer: Any = trainer_of(self.trainer, model, decode, margin, penalties)
        weights = trainer.fit(examples, epochs=self.epochs, seed=seed).weights
        self._class_numbers = np.arange(len(self.classes_))
        emission = weights[EMISSION].astype(np.float64)
        self.coef_, self.intercept_ = emission[:-1], emission[-1]
        self.model_ = ChainModel(weights[TRANSITION], initial=weights[INITIAL], final=weights[FINAL])

    # --- decoding

    def chains(self, X: Any) -> ChainBatch:
        """Build the problems of the sentences, none of them empty; certificates are about these.

        Raises
        ------
        sklearn.exceptions.NotFittedError
        """
        return self.model_.batch_of(self._scores(X))

    def results(self, X: Any) -> BatchResult[IntArray]:
        """Decode with bounds and certificates: ``results(X)[i].verify(chains(X)[i])``.

        Labels in them are numbers, places in `model_`'s; see `predict` for those of the user.
        """
        return gl.solve_many(self.chains(X), self.method)

    def predict(self, X: Any) -> Any:
        """Predict the best labels: a list for each sentence, for a matrix an array (N,)."""
        scores = self._scores(X)
        batch = self.model_.batch_of([unary for unary in scores if len(unary)])
        if not len(batch):
            return [[] for _ in scores]
        predictions = self._names(solve_all(batch, self.method).arrays["labels"])
        if kind_of(X) == "matrix":
            return predictions
        ends = np.cumsum([len(unary) for unary in scores])
        return [part.tolist() for part in np.split(predictions, ends[:-1])]

    def k_best(self, X: Any, k: int) -> list[list[list[Any]]]:
        """Return the `k` best labellings of each sentence, best first; fewer where there are no more."""
        labellings = k_best_of_batch(self.chains(X), k)
        return [[self._names(labels).tolist() for labels in labellings.of(i)] for i in range(len(labellings))]

    def score(self, X: Any, y: Any) -> float:
        """Compute the share of tokens that get their right label, in [0, 1]."""
        predictions = self.predict(X)
        if kind_of(X) == "matrix":
            return float(np.mean(np.asarray(predictions) == np.asarray(y)))
        return share_right(answers(X, y, "labels"), predictions, "token")

    def _scores(self, X: Any) -> list[FloatArray]:
        """Compute the label scores of each sentence, (n, K)."""
        check_is_fitted(self, "model_")
        kind = kind_of(X)
        if hasattr(self, "tagger_"):
            if kind != "words" and len(X):
                raise InvalidProblem("this tagger was trained on words; give sentences as lists of words")
            return [self.tagger_.scores(words) for words in word_sequences(X)]
        if kind == "words":
            raise InvalidProblem("this tagger was trained on rows of numbers; give arrays (n, d), or a matrix")
        if kind == "matrix":
            rows: list[NDArray[np.float64]] = list(
                validate_data(self, X, reset=False, dtype=np.float64)[:, None, :]
            )
        else:
            rows = row_sequences(X)
            if rows[0].shape[1] != self.n_features_in_:
                raise InvalidProblem(
                    f"X has {rows[0].shape[1]} numbers a token, the tagger was trained on {self.n_features_in_}"
                )
        return [x @ self.coef_ + self.intercept_ for x in rows]

    def _names(self, labels: IntArray) -> NDArray[Any]:
        """Translate label numbers into the user's labels."""
        names: NDArray[Any] = self.classes_[self._class_numbers[labels]]
        return names
