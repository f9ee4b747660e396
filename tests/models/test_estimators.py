"""Estimators with the habits of scikit-learn: its own checks, and what they cannot know of sentences."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import attrs
import numpy as np
import pytest

import gapless as gl
from gapless_chains import ChainProblem
from gapless_models.parsing import Sentence
from gapless_models.parsing.treebank import embedded_treebank
from gapless_models.tagging import embedded_corpus

pytest.importorskip("sklearn", reason="needs scikit-learn: pip install 'gapless[tasks]'")

from sklearn.base import ClassifierMixin, clone
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.feature_extraction import DictVectorizer
from sklearn.metrics import get_scorer, make_scorer, matthews_corrcoef
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils import estimator_checks

from gapless_models.estimators import ChainTagger, DependencyParser, token_scorer


class RowsAsTokens(ClassifierMixin, ChainTagger):  # type: ignore[misc]
    """A row of a matrix is a sequence of one token, so a tagger is a classifier: all checks of those hold, too.

    The tagger does not call itself one: scikit-learn would then read lists of labels as multi-label targets.
    """


@estimator_checks.parametrize_with_checks([RowsAsTokens()])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.mark.long
@estimator_checks.parametrize_with_checks([ChainTagger(epochs=5)])
def test_scikit_learns_own_checks_of_what_is_no_classifier(estimator, check):
    check(estimator)


# What scikit-learn checks of estimators that take no matrix; the others give one to ``fit``.
PARSER_CHECKS = [
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_get_params_invariance",
    "check_mixin_order",
    "check_no_attributes_set_in_init",
    "check_parameters_default_constructible",
    "check_set_params",
    "check_valid_tag_types",
]


@pytest.mark.parametrize("name", PARSER_CHECKS)
def test_scikit_learns_checks_of_a_parser(name):
    getattr(estimator_checks, name)("DependencyParser", DependencyParser())


def test_scikit_learn_knows_that_a_parser_takes_no_matrix():
    with pytest.warns(SkipTestWarning, match="Can't test estimator DependencyParser which requires input"):
        estimator_checks.check_estimator(DependencyParser())
    with pytest.raises(gl.InvalidProblem, match=r"y\[0\] is "):
        DependencyParser().fit(np.zeros((3, 2)), np.zeros(3))


Sentences = tuple[list[Any], list[list[Any]]]


@pytest.fixture(scope="module")
def tagged():
    """Sixty sentences and their labels."""
    corpus = embedded_corpus("train")[:60]
    return [list(s.words) for s in corpus], [list(s.labels) for s in corpus]


@pytest.fixture(scope="module")
def tagger(tagged):
    return ChainTagger(epochs=3).fit(*tagged)


def test_a_tagger_learns_and_proves(tagged, tagger):
    sentences, labels = tagged
    assert tagger.score(sentences, labels) > 0.97
    found, problems = tagger.results(sentences[:5]), tagger.chains(sentences[:5])
    predicted = tagger.predict(sentences[:5])
    assert found.proved_share == 1.0
    for i, result in enumerate(found):
        assert result.verify(problems[i])
        assert [str(tagger.classes_[y]) for y in result.best] == predicted[i]


@pytest.mark.parametrize("trainer", ["perceptron", "svm", "samplerank"])
def test_every_trainer_trains_on_words(tagged, trainer):
    sentences, labels = tagged
    assert ChainTagger(trainer=trainer, epochs=3).fit(sentences, labels).score(sentences, labels) > 0.8


def test_k_best_labellings_are_the_best(tagged, tagger):
    sentence = tagged[0][0]
    best = tagger.k_best([sentence], 4)[0]
    assert best[0] == tagger.predict([sentence])[0]
    problem = tagger.chains([sentence])[0]
    number = {label: i for i, label in enumerate(tagger.classes_)}
    values = [problem.value(np.array([number[label] for label in labels])) for labels in best]
    assert values == sorted(values, reverse=True)
    assert len({tuple(labels) for labels in best}) == 4
    assert values[1] == pytest.approx(gl.solve(problem, k=2).solutions[1].value)


def test_labels_may_be_numbers(tagged):
    sentences, names = tagged[0][:20], tagged[1][:20]
    number = {label: 3 * i for i, label in enumerate(sorted({label for given in names for label in given}))}
    numbers = [[number[label] for label in given] for given in names]
    by_name, by_number = (ChainTagger(epochs=2).fit(sentences, y) for y in (names, numbers))
    assert by_number.predict(sentences) == [[number[label] for label in y] for y in by_name.predict(sentences)]
    assert by_number.classes_.tolist() == sorted(number.values())


def test_sequences_of_rows_and_a_matrix():
    """Labels that depend on the label before: only sequences can tell."""
    rng = np.random.default_rng(0)
    X = [rng.normal(size=(int(n), 2)) for n in rng.integers(1, 9, 60)]
    for rows in X:
        rows[1:] = 0.0  # only the first token says anything
    y = [(np.arange(len(rows)) + (rows[0, 0] > 0)) % 2 for rows in X]
    sequences = ChainTagger(epochs=15).fit(X, y)
    assert sequences.score(X, y) > 0.97
    assert sequences.n_features_in_ == 2
    flat = ChainTagger(epochs=15).fit(np.concatenate(X), np.concatenate(y))
    assert flat.score(np.concatenate(X), np.concatenate(y)) < 0.8
    assert flat.predict(np.concatenate(X)).shape == (sum(map(len, X)),)
    assert len(sequences.predict([X[0], X[1]])) == 2


def test_results_of_rows_are_problems_of_their_scores():
    rng = np.random.default_rng(1)
    X = [rng.normal(size=(4, 3)) for _ in range(10)]
    y = [rng.integers(0, 3, 4) for _ in X]
    tagger = ChainTagger(epochs=2, method="viterbi").fit(X, y)
    by_hand = ChainProblem(
        X[0] @ tagger.coef_ + tagger.intercept_,
        tagger.model_.transition,
        initial=tagger.model_.initial,
        final=tagger.model_.final,
    )
    assert tagger.results(X)[0].value == pytest.approx(gl.solve(by_hand).value)
    assert tagger.results(X)[0].verify(by_hand)


def test_sentences_without_words_are_left_alone(tagged, tagger):
    sentence = tagged[0][0]
    assert tagger.predict([[], sentence, []]) == [[], tagger.predict([sentence])[0], []]
    assert tagger.predict([]) == []
    with pytest.raises(gl.InvalidProblem, match="sentence 0: unary has shape"):
        tagger.chains([[], sentence])


def test_clones_copies_and_pickles(tagged, tagger):
    fresh = clone(tagger)
    assert fresh.get_params() == tagger.get_params()
    with pytest.raises(NotFittedError):
        fresh.predict(tagged[0][:1])
    for again in (pickle.loads(pickle.dumps(tagger)), copy.deepcopy(tagger)):
        assert again.predict(tagged[0][:9]) == tagger.predict(tagged[0][:9])
    fresh.fit([np.zeros((2, 3))], [[0, 1]])
    fresh.fit(tagged[0][:5], tagged[1][:5])
    assert not hasattr(fresh, "coef_")


def test_grid_search_and_cross_validation(tagged):
    search = GridSearchCV(ChainTagger(epochs=2), {"margin": [0.0, 60.0]}, cv=2).fit(*tagged)
    assert search.cv_results_["mean_test_score"].min() > 0.5
    assert search.best_estimator_.score(*tagged) > 0.9
    assert cross_val_score(ChainTagger(epochs=2), *tagged, cv=2).min() > 0.5


@pytest.mark.parametrize("scoring", ["f1_macro", "accuracy", "balanced_accuracy", make_scorer(matthews_corrcoef)])
def test_scorers_of_flat_labels_judge_all_tokens(tagged, scoring):
    judge = token_scorer(scoring)
    tagger = ChainTagger(epochs=1).fit(tagged[0][:20], tagged[1][:20])
    X, y = tagged[0][20:], tagged[1][20:]
    right, found = (np.array([label for given in all_of for label in given]) for all_of in (y, tagger.predict(X)))
    metric = get_scorer(scoring)._score_func
    more = {"average": "macro"} if scoring == "f1_macro" else {}
    assert judge(tagger, X, y) == pytest.approx(metric(right, found, **more))
    assert judge(clone(tagger).fit(X, y), X, y) > judge(tagger, X, y)


def test_scorers_work_in_searches(tagged):
    scores = cross_val_score(
        ChainTagger(epochs=2), *tagged, cv=2, scoring=token_scorer("f1_macro"), error_score="raise"
    )
    assert np.isfinite(scores).all()
    both = {name: token_scorer(name) for name in ("f1_weighted", "accuracy")}
    search = GridSearchCV(ChainTagger(epochs=1), {"margin": [0.0, 60.0]}, cv=2, scoring=both, refit="accuracy")
    search.fit(*tagged)
    plain = GridSearchCV(ChainTagger(epochs=1), {"margin": [0.0, 60.0]}, cv=2).fit(*tagged)
    assert search.cv_results_["mean_test_accuracy"] == pytest.approx(plain.cv_results_["mean_test_score"])


def test_scorers_of_a_parser(trees, parser):
    assert token_scorer("accuracy")(parser, *trees) == pytest.approx(parser.score(*trees))


def test_scorers_that_cannot_judge_predictions_are_refused(tagged, tagger):
    for name in ("roc_auc", "neg_log_loss"):
        with pytest.raises(gl.UnknownOption, match=f"scoring '{name}' asks for more than predictions"):
            token_scorer(name)
    with pytest.raises(ValueError, match="'f2_macro' is not a valid scoring value"):
        token_scorer("f2_macro")
    with pytest.raises(gl.InvalidProblem, match="at least one token"):
        token_scorer("accuracy")(tagger, [[]], [[]])
    assert repr(token_scorer("accuracy")) == "token_scorer('accuracy')"


def test_features_by_name_are_refused_and_the_way_out_works(tagged, tagger):
    X, y = tagged[0][:10], tagged[1][:10]
    features = [[{"word": word, "short": len(word) < 4} for word in sentence] for sentence in X]
    strings = [[[f"word={word}", "bias"] for word in sentence] for sentence in X]
    for wrong, kind in ((features, "dict"), (strings, "list")):
        said = rf"X\[1\]\[0\] holds features by name \({kind}\), expected a word, .*DictVectorizer"
        for call in (lambda given: ChainTagger().fit(given, [[], *y]), tagger.predict):
            with pytest.raises(gl.InvalidProblem, match=said):
                call([[], *wrong])
    with pytest.raises(gl.InvalidProblem, match=r"X\[0\] is a dictionary, expected a sentence"):
        ChainTagger().fit(features[0], y[0])
    vectorizer = DictVectorizer(sparse=False).fit([token for sentence in features for token in sentence])
    rows = [vectorizer.transform(sentence) for sentence in features]
    assert ChainTagger(epochs=5).fit(rows, y).score(rows, y) > 0.9


def lowered(sentences):
    return [[word.lower() for word in sentence] for sentence in sentences]


def test_pipelines_of_words_and_of_numbers(tagged):
    words = make_pipeline(FunctionTransformer(lowered), ChainTagger(epochs=2)).fit(*tagged)
    assert words.score(*tagged) > 0.9
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) * [1.0, 1e3, 1e-3]
    y = np.where(X[:, 1] > 0, "up", "down")
    search = GridSearchCV(make_pipeline(StandardScaler(), ChainTagger()), {"chaintagger__epochs": [1, 5]}, cv=3)
    assert search.fit(X, y).score(X, y) > 0.95


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([["a", "b"]], [["X"]], r"y\[0\] is \['X'\], expected 2 labels"),
        ([["a", "b"]], ["XY"], r"y\[0\] is 'XY', expected 2 labels"),
        (["a b", "c d"], [["X", "Y"], ["X", "Y"]], r"X\[0\] is 'a b', expected a list of words"),
        ([["a", "b"], "cd"], [["X", "Y"], ["X", "Y"]], r"X\[1\] is 'cd', expected a list of words"),
        ([["a"], ["b"]], [["X"]], "inconsistent numbers of samples"),
        ([["a"]], None, "requires y to be passed"),
        ([np.zeros((2, 3)), np.zeros((2, 4))], [[0, 1], [0, 1]], r"X\[1\] has 4 numbers a token, X\[0\] has 3"),
        ([np.full((2, 3), np.nan)], [[0, 1]], r"X\[0\] contains NaN"),
        ([], [], "minimum of 1 is required|at least one|Expected 2D array"),
    ],
)
def test_what_a_tagger_cannot_learn_from(X, y, words):
    with pytest.raises(ValueError, match=words):
        ChainTagger().fit(X, y)


def test_words_and_numbers_are_not_mixed_up(tagged, tagger):
    with pytest.raises(gl.InvalidProblem, match="was trained on words"):
        tagger.predict(np.zeros((2, 3)))
    numbers = ChainTagger(epochs=1).fit([np.zeros((2, 3))], [[0, 1]])
    with pytest.raises(gl.InvalidProblem, match="was trained on rows of numbers"):
        numbers.predict(tagged[0])
    with pytest.raises(gl.InvalidProblem, match="has 2 numbers a token, the tagger was trained on 3"):
        numbers.predict([np.zeros((2, 2))])
    with pytest.raises(ValueError, match="trainer='boosting'"):
        ChainTagger(trainer="boosting").fit(*tagged)


@pytest.fixture(scope="module")
def trees():
    """Forty projective sentences with tags, and their heads."""
    found = [s for s in embedded_treebank().train if len(s) < 15][:40]
    return [list(zip(s.words, s.coarse, strict=True)) for s in found], [list(s.heads) for s in found]


@pytest.fixture(scope="module")
def parser(trees):
    return DependencyParser(epochs=5, bits=16).fit(*trees)


def test_a_parser_learns_and_proves(trees, parser):
    sentences, heads = trees
    assert parser.score(sentences, heads) > 0.9
    found, problems = parser.results(sentences[:5]), parser.problems(sentences[:5])
    assert found.proved_share == 1.0
    assert all(result.verify(problem) for result, problem in zip(found, problems, strict=True))
    assert parser.predict(sentences[:5]) == [result.best.heads.tolist() for result in found]


def test_k_best_trees(trees, parser):
    best = parser.k_best(trees[0][:1], 3)[0]
    assert best[0] == parser.predict(trees[0][:1])[0]
    assert len({tuple(heads) for heads in best}) == 3


def test_a_parser_with_siblings_and_pruning(trees):
    parser = DependencyParser(families=("sibling",), max_heads=4, epochs=2, bits=14).fit(*trees)
    assert parser.results(trees[0][:5]).proved_share == 1.0
    assert parser.model_.families == ("sibling",)


def test_a_parser_reads_words_pairs_and_sentences(trees, parser):
    pairs = trees[0][:3]
    ready = [Sentence(tuple(w for w, _ in s), *[tuple(t for _, t in s)] * 2) for s in pairs]
    assert parser.predict(ready) == parser.predict(pairs)
    assert [len(heads) for heads in parser.predict([[w for w, _ in s] for s in pairs])] == [len(s) for s in pairs]
    again = pickle.loads(pickle.dumps(parser))
    assert again.predict(pairs) == parser.predict(pairs)
    with pytest.raises(NotFittedError):
        clone(parser).predict(pairs)


def test_grid_search_of_a_parser(trees):
    sentences, heads = trees[0][:20], trees[1][:20]
    search = GridSearchCV(DependencyParser(epochs=1, bits=14), {"margin": [0.0, 120.0]}, cv=2).fit(sentences, heads)
    assert search.best_score_ > 0.3


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([["a", "b"]], [[2]], r"y\[0\] is \[2\], expected 2 heads"),
        ([["a", "b"]], [[2, 3]], "sentence 0: word 2 has head 3"),
        ([["a", "b"]], [[2.5, 0]], "sentence 0: 'float' object cannot be interpreted as an integer"),
        ([["a", ("b", "c", "d")]], [[2, 0]], r"X\[0\] is .*, expected words, or pairs"),
        ([[]], [[]], "sentence 0: a sentence needs at least one word"),
        (["ab"], [[2, 0]], r"X\[0\] is 'ab', expected a list of words"),
        (["a b c"], [[2, 0, 2]], r"X\[0\] is 'a b c', expected a list of words"),
        ([["a", "b"]], [[2, 1]], r"y\[0\] makes no tree: the heads of the words \[1, 2, 1\]"),
    ],
)
def test_what_a_parser_cannot_learn_from(X, y, words):
    with pytest.raises(gl.InvalidProblem, match=words):
        DependencyParser().fit(X, y)


def test_control_c_is_no_prediction(trees, parser, monkeypatch):
    """`solve_many` returns what is finished; labels and heads of the rest are nobody's answer."""
    corpus = embedded_corpus("train")[:20]
    tagger = ChainTagger(epochs=1).fit([s.words for s in corpus], [s.labels for s in corpus])
    real = gl.solve_many

    def interrupted(problems: Any, method: Any) -> Any:
        found = real(problems, method)
        return attrs.evolve(found, statuses=[*found.statuses[:-1], None])

    monkeypatch.setattr(gl, "solve_many", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tagger.predict([s.words for s in corpus])
    with pytest.raises(KeyboardInterrupt):
        parser.predict(trees[0][:3])
