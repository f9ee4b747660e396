"""The tagger under each trainer of `gapless.learn`, and the parts that the trainers ask."""

import signal
from itertools import pairwise, product

import numpy as np
import pytest
from drawn import long
from plain_viterbi import viterbi

from gapless.learn import DamagedFile, TrainingWeights, Weights
from gapless_models.tagging import ChainTagger, TaggedSentence, embedded_corpus, train
from gapless_models.tagging.chain_features import (
    ChainFeatures,
    ChainScores,
    TrainingSentence,
    margin_violation,
    propose_label,
)
from gapless_models.tagging.features import SentenceFeatures
from gapless_models.tagging.training import EpochReport


def value(scores, labels):
    pairs = sum(scores.transition[a, b] for a, b in pairwise(labels))
    return (
        sum(row[y] for row, y in zip(scores.unary, labels, strict=True))
        + pairs
        + scores.initial[labels[0]]
        + scores.final[labels[-1]]
    )


@pytest.fixture
def model():
    return ChainFeatures(features=7, labels=3)


def random_sentence(rng, words):
    lengths = rng.integers(1, 4, words)
    ids = [rng.choice(7, n, replace=False) for n in lengths]
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    return TrainingSentence(SentenceFeatures(indptr, np.concatenate(ids)), rng.integers(0, 3, words))


@pytest.mark.parametrize("words", [1, 2, 5])
def test_scores_features_and_differences_agree(model, words):
    rng = np.random.default_rng(words)
    for _ in range(30):
        example = random_sentence(rng, words)
        weights = Weights(model.blocks, rng.normal(size=model.blocks.size))
        scores = model.problem(weights, example)
        one, two = rng.integers(0, 3, (2, words))
        for labels in (one, two, example.gold):
            assert weights.dot(model.features(example, labels)) == pytest.approx(value(scores, labels))
        short = model.difference(example, one, two).merged().parts
        long = (model.features(example, one) - model.features(example, two)).merged().parts
        for name, (places, values) in long.items():
            found = short.get(name, (np.zeros(0), np.zeros(0)))
            np.testing.assert_array_equal(found[0], places)
            np.testing.assert_array_equal(found[1], values)
        augmented = model.augmented_problem(weights, example, 2.5)
        for labels in (one, example.gold):
            handicap = 2.5 * (words - model.loss(example, labels))
            assert value(augmented, labels) == pytest.approx(value(scores, labels) - handicap)


def test_the_problem_keeps_no_view_that_training_changes(model):
    rng = np.random.default_rng(0)
    example = random_sentence(rng, 3)
    weights = TrainingWeights(model.blocks)
    unary = model.problem(weights, example).unary
    weights.add(model.features(example, example.gold))
    assert not unary.any()


@pytest.mark.parametrize("kind", ["ties", "floats"])
def test_the_margin_oracle_equals_enumeration(kind):
    rng = np.random.default_rng(11)
    answers = {True: 0, False: 0}
    for _ in range(300):
        n, count = rng.integers(1, 5), rng.integers(1, 4)
        draw = (
            (lambda *s: rng.integers(-2, 3, s).astype(float)) if kind == "ties" else (lambda *s: rng.normal(size=s))
        )
        scores = ChainScores(draw(n, count), draw(count, count), draw(count), draw(count))
        paths = [np.array(path) for path in product(range(count), repeat=n)]
        top = max(paths, key=lambda path: value(scores, path))
        for gold in (top, paths[rng.integers(len(paths))]):
            margin = float(rng.integers(0, 4)) if kind == "ties" else rng.uniform(0, 3)
            others = [value(scores, path) for path in paths if not np.array_equal(path, gold)]
            wanted = max(others, default=-np.inf)
            found = margin_violation(scores, gold, margin)
            answers[found is None] += 1
            if wanted < value(scores, gold) - margin:
                assert found is None
            else:
                assert found is not None
                assert not np.array_equal(found, gold)
                assert value(scores, found) == pytest.approx(wanted)
    assert min(answers.values()) > 50


def test_proposals_change_one_label():
    rng = np.random.default_rng(0)
    scores = ChainScores(rng.normal(size=(3, 4)), np.zeros((4, 4)), np.zeros(4), np.zeros(4))
    here = np.array([0, 1, 2])
    drawn = [propose_label(scores, here, rng) for _ in range(400)]
    assert all(np.count_nonzero(labels != here) == 1 for labels in drawn)
    assert len({tuple(labels) for labels in drawn}) == 9
    one = ChainScores(np.zeros((2, 1)), np.zeros((1, 1)), np.zeros(1), np.zeros(1))
    assert propose_label(one, np.zeros(2, np.int64), rng) is None


@pytest.mark.parametrize("trainer", ["perceptron", long("svm"), long("samplerank")])
def test_every_trainer_makes_a_tagger(trainer):
    reports = []
    corpus, test = embedded_corpus("train"), embedded_corpus("test")
    tagger = train(corpus, viterbi, epochs=3, trainer=trainer, progress=reports.append)
    assert tagger.accuracy(test, viterbi) > 0.86
    assert all(isinstance(report, EpochReport) for report in reports)
    assert reports[-1].loss < reports[0].loss
    one, other = (train(corpus[:40], viterbi, epochs=2, trainer=trainer) for _ in range(2))
    np.testing.assert_array_equal(one.weights, other.weights)


def test_a_stronger_transition_penalty_gives_smaller_transitions():
    corpus = embedded_corpus("train")[:80]
    norms = [
        np.linalg.norm(train(corpus, viterbi, epochs=2, trainer="svm", l2=0.1, transition_l2=x).transition)
        for x in (None, 1.0, 10.0)
    ]
    assert norms[0] > norms[1] > norms[2]


def test_one_label_and_one_word():
    odd = [TaggedSentence(("a",), ("X",)), TaggedSentence(("b", "a"), ("X", "X"))]
    for trainer in ("perceptron", "svm", "samplerank"):
        assert train(odd, viterbi, epochs=1, trainer=trainer).tag(("c",), viterbi) == ("X",)


def test_a_training_continues_from_its_checkpoint(tmp_path):
    corpus, dev = embedded_corpus("train")[:60], embedded_corpus("test")[:20]
    path = tmp_path / "checkpoint.npz"
    whole = train(corpus, viterbi, epochs=3, dev=dev, trainer="svm")

    class Pressed(Exception):
        pass

    def stop(report):
        if report.epoch == 2:
            raise Pressed

    with pytest.raises(Pressed):
        train(corpus, viterbi, epochs=3, dev=dev, trainer="svm", checkpoint=path, progress=stop)
    reports = []
    rest = train(corpus, viterbi, epochs=3, dev=dev, trainer="svm", checkpoint=path, progress=reports.append)
    assert [report.epoch for report in reports] == [3]
    np.testing.assert_array_equal(rest.weights, whole.weights)
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(DamagedFile, match="damaged"):
        train(corpus, viterbi, epochs=3, dev=dev, trainer="svm", checkpoint=path)


def test_ctrl_c_does_not_pass_for_a_finished_training():
    def press(report):
        if report.epoch == 2:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        train(embedded_corpus("train")[:30], viterbi, epochs=9, progress=press)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"trainer": "svn"}, "choose one of perceptron, svm, samplerank"),
        ({"trainer": "svm", "l2": -1.0}, "penalties are finite"),
        ({"trainer": "svm", "transition_l2": float("inf")}, "penalties are finite"),
        ({"trainer": "svm", "margin": 0.0}, "margin=0.0"),
    ],
)
def test_bad_options(options, words):
    with pytest.raises(ValueError, match=words):
        train(embedded_corpus("train")[:3], viterbi, **options)


def test_a_file_for_another_purpose_is_not_a_tagger(tmp_path):
    Weights.of({"weights": np.zeros((2, 3))}).save(tmp_path / "w.npz")
    with pytest.raises(ValueError, match="expected 'chain tagger'"):
        ChainTagger.load(tmp_path / "w.npz")
