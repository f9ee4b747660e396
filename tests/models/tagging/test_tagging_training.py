"""The structured perceptron, the tagger it makes, and the tagger's file."""

import os
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from plain_viterbi import viterbi

from gapless_models.tagging import ChainTagger, TaggedSentence, embedded_corpus, read_tagged, train
from gapless_models.tagging.features import index_training

TINY = [
    TaggedSentence(("the", "dog", "runs"), ("D", "N", "V")),
    TaggedSentence(("the", "runs", "end"), ("D", "N", "V")),
    TaggedSentence(("dogs", "end"), ("N", "V")),
    TaggedSentence(("it", "runs"), ("P", "V")),
    TaggedSentence(("no",), ("D",)),
]


def arrays(tagger):
    return tagger.weights, tagger.transition, tagger.initial, tagger.final


@pytest.fixture(scope="module")
def embedded_tagger():
    return train(embedded_corpus("train"), viterbi, epochs=8, seed=0)


def test_embedded_accuracy(embedded_tagger):
    assert embedded_tagger.accuracy(embedded_corpus("test"), viterbi) > 0.88


def test_training_is_deterministic_for_a_seed():
    tagger, again, other = (train(embedded_corpus("train")[:60], viterbi, epochs=3, seed=i) for i in (0, 0, 1))
    assert again.labels == tagger.labels
    assert again.index.numbers == tagger.index.numbers
    for first, second in zip(arrays(tagger), arrays(again), strict=True):
        np.testing.assert_array_equal(first, second)
    assert not np.array_equal(other.transition, tagger.transition)


def naive_average(sentences, epochs, seed, margin):
    """Train without any laziness: keep the weights after each step and average them."""
    index, features = index_training(sentences)
    names = sorted({label for sentence in sentences for label in sentence.labels})
    count = len(names)
    now = [np.zeros((len(index), count)), np.zeros((count, count)), np.zeros(count), np.zeros(count)]
    totals = [np.zeros_like(array) for array in now]
    rng = np.random.default_rng(seed)
    steps = 0
    for _ in range(epochs):
        for i in rng.permutation(len(sentences)):
            gold = [names.index(label) for label in sentences[i].labels]
            active = [
                features[i].ids[a:b] for a, b in zip(features[i].indptr, features[i].indptr[1:], strict=False)
            ]
            unary = np.array([now[0][ids].sum(axis=0) for ids in active])
            unary += margin
            for place, label in enumerate(gold):
                unary[place, label] -= margin
            found = viterbi(unary, *now[1:])
            for labels, change in ((gold, 1), (found, -1)):
                for place, label in enumerate(labels):
                    now[0][active[place], label] += change
                for a, b in pairwise(labels):
                    now[1][a, b] += change
                now[2][labels[0]] += change
                now[3][labels[-1]] += change
            totals = [total + array for total, array in zip(totals, now, strict=True)]
            steps += 1
    return [total / steps for total in totals]


@pytest.mark.parametrize("margin", [0.0, 60.0])
def test_lazy_average_equals_the_naive_one(margin):
    reports = []
    tagger = train(TINY, viterbi, epochs=3, seed=4, progress=reports.append, margin=margin)
    expected = naive_average(TINY, len(reports), 4, margin)
    assert any(np.abs(array).max() > 0 for array in expected)
    for found, wanted in zip(arrays(tagger), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6)


def test_training_stops_once_nothing_is_wrong():
    reports = []
    tagger = train(TINY, viterbi, epochs=100, progress=reports.append)
    assert reports[-1].loss == reports[-1].wrong == 0
    assert len(reports) < 100
    assert tagger.accuracy(TINY, viterbi) == 1.0


def test_the_best_epoch_on_dev_is_kept():
    corpus, dev = embedded_corpus("train")[:60], embedded_corpus("test")
    reports = []
    tagger = train(corpus, viterbi, epochs=12, dev=dev, progress=reports.append, patience=2)
    scores = [report.score for report in reports]
    best = scores.index(max(scores))
    assert tagger.accuracy(dev, viterbi) == max(scores)
    assert len(scores) == 12 or reports[-1].loss == 0 or len(scores) == best + 3
    shorter = train(corpus, viterbi, epochs=best + 1)
    np.testing.assert_array_equal(shorter.weights, tagger.weights)


def test_labels_that_only_dev_has_count_as_errors():
    tagger = train(TINY, viterbi, epochs=5)
    assert tagger.accuracy([TaggedSentence(("the", "dog"), ("D", "new"))], viterbi) == 0.5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epochs": 0}, "epochs=0"),
        ({"patience": 0}, "patience=0"),
        ({"margin": -1.0}, "margin=-1.0"),
        ({"margin": float("nan")}, "margin=nan"),
        ({"margin": float("inf")}, "margin=inf"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        train(TINY, viterbi, **options)


def test_no_sentences():
    with pytest.raises(ValueError, match="no training sentences"):
        train([], viterbi)
    with pytest.raises(ValueError, match="accuracy needs at least one sentence"):
        train(TINY, viterbi, epochs=1).accuracy([], viterbi)


@pytest.mark.parametrize("answer", [[0], [0] * 9, [-1] * 3, [99] * 3])
def test_a_decoder_with_a_bad_answer_is_reported(answer):
    with pytest.raises(ValueError, match=r"decode returned .* it must return 3 numbers between 0 and 2"):
        train(TINY[:1], lambda *_: answer)


def test_scores_and_tag(embedded_tagger):
    words = ("The", "unheard", "train", "zooms", ".")
    count = len(embedded_tagger.labels)
    assert embedded_tagger.scores(words).shape == (5, count)
    assert embedded_tagger.scores(words).dtype == np.float64
    labelled = TaggedSentence(words, ("X",) * 5)
    np.testing.assert_array_equal(embedded_tagger.scores(labelled), embedded_tagger.scores(words))
    assert embedded_tagger.tag(words, viterbi)[0] == "DET"
    assert embedded_tagger.tag((), viterbi) == ()


def test_round_trip(tmp_path, embedded_tagger):
    path = tmp_path / "tagger.npz"
    path.write_text("an older file")
    embedded_tagger.save(path)
    loaded = ChainTagger.load(path)
    assert loaded.labels == embedded_tagger.labels
    assert loaded.index.numbers == embedded_tagger.index.numbers
    assert loaded.index.lexicon.classes == embedded_tagger.index.lexicon.classes
    for first, second in zip(arrays(embedded_tagger), arrays(loaded), strict=True):
        np.testing.assert_array_equal(first, second)
        assert first.dtype == second.dtype
    for sentence in embedded_corpus("test"):
        np.testing.assert_array_equal(loaded.scores(sentence), embedded_tagger.scores(sentence))
    assert [entry.name for entry in tmp_path.iterdir()] == ["tagger.npz"]


def test_round_trip_of_unusual_strings(tmp_path):
    odd = [TaggedSentence(("a\nb", "naïve", "日本", "\U0001f600"), ("x|y", "é", "", "\n"))] * 2
    tagger = train(odd, viterbi, epochs=2)
    tagger.save(tmp_path / "t")
    assert ChainTagger.load(tmp_path / "t").tag(odd[0], viterbi) == tagger.tag(odd[0], viterbi)


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: whole[: len(whole) // 2],
        lambda _: b"",
        lambda _: b"word\ttag\n",
        lambda w: w[:200] + w[400:],
    ],
    ids=["cut", "empty", "text", "bytes missing"],
)
def test_damaged_files_are_refused(tmp_path, embedded_tagger, damage):
    path = tmp_path / "tagger.npz"
    embedded_tagger.save(path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ValueError, match=r"tagger.npz: .*save it again"):
        ChainTagger.load(path)


def test_other_archives_are_refused(tmp_path):
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    with pytest.raises(ValueError, match=r"other.npz: damaged, or not a file that a tagger saved"):
        ChainTagger.load(tmp_path / "other.npz")
    np.save(tmp_path / "one.npy", np.zeros(3))
    with pytest.raises(ValueError, match=r"one.npy: damaged, or not a file that a tagger saved"):
        ChainTagger.load(tmp_path / "one.npy")
    with pytest.raises(FileNotFoundError, match=r"none.npz: no such file"):
        ChainTagger.load(tmp_path / "none.npz")


def test_shapes_must_agree(embedded_tagger):
    build = partial(ChainTagger, index=embedded_tagger.index)
    chain = dict(zip(("weights", "transition", "initial", "final"), arrays(embedded_tagger), strict=True))
    with pytest.raises(ValueError, match="a label occurs twice"):
        build(["A", "A"], **chain)
    with pytest.raises(ValueError, match="weights has shape"):
        build(["A", "B"], **chain)
    with pytest.raises(ValueError, match=r"final has shape \(1,\)"):
        build(embedded_tagger.labels, **{**chain, "final": np.zeros(1)})


@pytest.mark.long
@pytest.mark.corpus
def test_wsj_accuracy():
    root = os.environ.get("GAPLESS_DATA")
    if not root:
        pytest.skip("GAPLESS_DATA is not set: it names the folder that holds tagging/wsj_pos")
    folder = Path(root) / "tagging" / "wsj_pos"
    if not folder.is_dir():
        pytest.skip(f"{folder} is missing: the WSJ sample is not openly licensed and is never required")
    corpus, dev, test = (read_tagged(folder / f"{part}.tsv.gz") for part in ("train", "dev", "test"))
    tagger = train(corpus, viterbi, epochs=4, dev=dev)
    assert tagger.accuracy(test, viterbi) >= 0.96
