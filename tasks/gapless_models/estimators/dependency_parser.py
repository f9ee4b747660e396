"""A dependency parser with the habits of scikit-learn."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

import gapless as gl
from gapless import BatchResult, InvalidProblem
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_dependency.tree import cycle
from gapless_models.estimators.sequences import answers, share_right
from gapless_models.parsing import Options, Sentence, train
from gapless_models.solve_all import solve_all


class DependencyParser(BaseEstimator):
    """Dependency trees with any higher-order features: trained by the perceptron, parsed exactly.

    X is a list of sentences, each a list of words, or of pairs of a word and its part of speech, or a
    `gapless_models.parsing.Sentence`. y is a list of heads: for each word the number of its head, counted from 1,
    and 0 for the root.

    Parameters
    ----------
    families : sequence of str
        Higher-order parts that are scored beside arcs: "sibling", "grandchild", ..., see
        `gapless_models.parsing.FAMILIES`; or "pattern", see `gapless_models.parsing.HAND_CRAFTED`.
    projective, single_root : bool
        The set of trees; y must hold such trees.
    epochs : int
    max_heads : int, optional
        Candidate heads of each word that a first-order model leaves, and the root: faster, and then exact
        among the trees that they make. None leaves out none.
    margin : float
        By how much a wrong tree must lose for each wrong head.
    bits : int
        The table of hashed features has ``2^bits`` weights.
    method : str, optional
        The method, see ``gapless methods``; the answers are the same.
    random_state : int, RandomState or None
        Shuffles the sentences.

    Attributes
    ----------
    model_ : gapless_models.parsing.ParserModel
        Can be saved to a file without pickle.
    """

    def __init__(
        self,
        *,
        families: Sequence[str] = (),
        projective: bool = True,
        single_root: bool = True,
        epochs: int = 10,
        max_heads: int | None = None,
        margin: float = 120.0,
        bits: int = 20,
        method: str | None = None,
        random_state: Any = 0,
    ) -> None:
        self.families = families
        self.projective = projective
        self.single_root = single_root
        self.epochs = epochs
        self.max_heads = max_heads
        self.margin = margin
        self.bits = bits
        self.method = method
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        """Require trees over sentences, and refuse matrices."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        return tags

    def fit(self, X: Any, y: Any) -> DependencyParser:
        """Train on the sentences X and their heads y, see the class.

        Raises
        ------
        ValueError
            `InvalidProblem` among them: no sentences, other lengths, heads that make no tree; the message names the
            place.
        """
        heads = answers(X, y, "heads")
        sentences = [_sentence(i, words, right) for i, (words, right) in enumerate(zip(X, heads, strict=True))]
        options = Options(
            families=tuple(self.families),
            projective=self.projective,
            single_root=self.single_root,
            epochs=self.epochs,
            seed=int(check_random_state(self.random_state).randint(1 << 31)),
            max_heads=self.max_heads,
            margin=self.margin,
            bits=self.bits,
        )
        self.model_ = train(sentences, [], options)
        return self

    def problems(self, X: Any) -> list[ParsingProblem]:
        """Build the problems of the sentences, which certificates are about.

        Raises
        ------
        sklearn.exceptions.NotFittedError
        """
        check_is_fitted(self, "model_")
        return [self.model_.problem(_sentence(i, words), max_heads=self.max_heads) for i, words in enumerate(X)]

    def results(self, X: Any) -> BatchResult[DependencyTree]:
        """Decode with bounds and certificates: ``results(X)[i].verify(problems(X)[i])``."""
        return gl.solve_many(self.problems(X), self.method)

    def predict(self, X: Any) -> list[list[int]]:
        """Predict the heads of the best tree of each sentence."""
        trees = solve_all(self.problems(X), self.method)
        return [trees.structure(i).heads.tolist() for i in range(len(trees))]

    def k_best(self, X: Any, k: int) -> list[list[list[int]]]:
        """Return the heads of the `k` best trees of each sentence, best first; fewer where there are no more."""
        return [
            [solution.structure.heads.tolist() for solution in gl.solve(problem, self.method, k=k).solutions]
            for problem in self.problems(X)
        ]

    def score(self, X: Any, y: Any) -> float:
        """Compute the share of words that get their right head, in [0, 1]: the unlabelled attachment score."""
        return share_right(answers(X, y, "heads"), self.predict(X), "word")


def _sentence(number: int, given: Any, heads: Sequence[int] = ()) -> Sentence:
    """Convert words, pairs of words and tags, or a ready sentence."""
    if isinstance(given, Sentence):
        words, tags, coarse, features = given.words, given.tags, given.coarse, given.features
    else:
        tokens = [(token, "_") if isinstance(token, str) else token for token in given]
        if isinstance(given, str) or not all(len(t) == 2 and all(isinstance(s, str) for s in t) for t in tokens):
            raise InvalidProblem(
                f"X[{number}] is {given!r}, expected words, or pairs of a word and its part of speech"
            )
        words, tags = tuple(word for word, _ in tokens), tuple(tag for _, tag in tokens)
        coarse, features = tags, ()
    try:
        sentence = Sentence(words, tags, coarse, tuple(map(operator.index, heads)), features=features)
    except (TypeError, ValueError) as error:
        raise InvalidProblem(f"sentence {number}: {error}") from error
    loop = cycle(np.array(sentence.heads, np.int64))
    if loop:
        raise InvalidProblem(f"y[{number}] makes no tree: the heads of the words {loop} lead round in a circle")
    return sentence
