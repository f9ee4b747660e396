"""Training and decoding over all combinations of joint labels."""

import numpy as np
import pytest

import gapless as gl
from gapless.learn import Weights
from gapless_models.tagging import ChainTagger, TaggedSentence, train
from gapless_models.tagging.chain_features import TrainingSentence
from gapless_models.tagging.decoder import decode
from gapless_models.tagging.features import index_training
from gapless_models.tagging.product_labels import ProductLabels
from gapless_models.tagging.product_tagger import ProductFeatures, ProductTagger
from gapless_models.tagging.readers import embedded_entities
from gapless_tasks.tagging.decoding import UNSEEN, gold_numbers

LABELS = ProductLabels([["D", "N", "V"], ["B", "O"]])
SENTENCES = [
    TaggedSentence(("the", "dog", "runs"), ("D|O", "N|O", "V|O")),
    TaggedSentence(("Rex", "ends"), ("N|B", "V|O")),
    TaggedSentence(("the", "Rex"), ("D|O", "N|B")),
]


@pytest.fixture(scope="module")
def tagger():
    train_part = embedded_entities("train")
    labels = ProductLabels.seen(label for sentence in train_part for label in sentence.labels)
    return train(train_part, decode, epochs=4, labels=labels)


@pytest.fixture
def model():
    _, features = index_training(SENTENCES, folds=3)
    number = {label: i for i, label in enumerate(LABELS.names)}
    examples = [
        TrainingSentence(active, np.array([number[label] for label in sentence.labels]))
        for active, sentence in zip(features, SENTENCES, strict=True)
    ]
    count = 1 + max(int(example.features.ids.max()) for example in examples)
    return ProductFeatures(count, LABELS), examples


def score(scores, labels):
    places = np.arange(len(labels))
    total = scores.unary[places, labels].sum() + scores.initial[labels[0]] + scores.final[labels[-1]]
    return total + scores.transition[labels[:-1], labels[1:]].sum()


def test_scores_are_the_features_times_the_weights(model):
    features, examples = model
    rng = np.random.default_rng(0)
    weights = Weights(features.blocks, rng.integers(-5, 6, features.blocks.size).astype(np.float64))
    for example in examples:
        scores = features.problem(weights, example)
        assert scores.unary.shape == (len(example.gold), len(LABELS))
        for _ in range(20):
            labels = rng.integers(0, len(LABELS), len(example.gold))
            assert score(scores, labels) == weights.dot(features.features(example, labels))
            change = features.difference(example, example.gold, labels)
            assert weights.dot(change) == score(scores, example.gold) - score(scores, labels)


def test_the_margin_handicaps_the_gold_labels(model):
    features, examples = model
    weights = Weights(features.blocks)
    for example in examples:
        scores = features.augmented_problem(weights, example, 2.0)
        assert score(scores, example.gold) == -2.0 * len(example.gold)
        assert features.loss(example, example.gold) == 0.0


@pytest.mark.parametrize("trainer", ["perceptron", "svm", "samplerank"])
def test_every_trainer_learns_it(trainer):
    tagger = train(SENTENCES, decode, epochs=8, labels=LABELS, trainer=trainer)
    assert isinstance(tagger, ProductTagger)
    assert tagger.accuracy(SENTENCES, decode) == 1.0


def test_all_combinations_have_scores(tagger):
    seen = {label for sentence in embedded_entities("train") for label in sentence.labels}
    assert len(tagger.labels) > 3 * len(seen)
    assert tagger.transition.shape == (len(tagger.labels),) * 2
    sentence = embedded_entities("test")[0]
    scores = tagger.scores(sentence)
    assert scores.shape == (len(sentence), len(tagger.labels))
    assert np.isfinite(scores).all()
    parts = [tagger.index.features(sentence.words).scores(part.weights) for part in tagger.parts]
    tag, entity = tagger.product.split(np.array(tagger.labels.index("NOUN|B-ORG")))
    np.testing.assert_allclose(scores[:, tagger.labels.index("NOUN|B-ORG")], parts[0][:, tag] + parts[1][:, entity])


def test_embedded_accuracy(tagger):
    assert tagger.accuracy(embedded_entities("test"), decode) > 0.75


def test_a_float32_batch_decodes_to_labellings_of_the_same_worth(tagger):
    sentences = embedded_entities("test")
    batch = tagger.batch(sentences)
    assert batch.unary.dtype == np.float32
    found = gl.solve_many(batch)
    for i, sentence in enumerate(sentences):
        problem = batch.model.problem(tagger.scores(sentence))
        best = problem.value(gl.solve(problem, "viterbi").best)
        assert problem.value(found.structure(i)) == pytest.approx(best, rel=1e-5)


def test_gold_labels_that_the_model_lacks_are_marked(tagger):
    (numbers,) = gold_numbers(tagger, [TaggedSentence(("a", "b"), ("NOUN|O", "NOUN|B-GOD"))])
    assert numbers.tolist() == [tagger.labels.index("NOUN|O"), UNSEEN]


def test_the_mean_of_several_shuffles():
    mean = train(SENTENCES, decode, epochs=2, shuffles=2)
    each = [train(SENTENCES, decode, epochs=2, seed=seed) for seed in (0, 1)]
    np.testing.assert_allclose(mean.transition, (each[0].transition + each[1].transition) / 2)
    np.testing.assert_allclose(mean.weights, (each[0].weights + each[1].weights) / 2, rtol=1e-6)
    with pytest.raises(ValueError, match="shuffles=0"):
        train(SENTENCES, decode, shuffles=0)


def test_a_label_outside_of_the_product():
    with pytest.raises(ValueError, match=r"D\|O is not a combination"):
        train(SENTENCES, decode, labels=ProductLabels([["N", "V"], ["B", "O"]]))


def test_loaded_equals_saved(tagger, tmp_path):
    path = tmp_path / "tagger.npz"
    tagger.save(path)
    loaded = ProductTagger.load(path)
    assert loaded.labels == tagger.labels
    np.testing.assert_array_equal(loaded.transition, tagger.transition)
    for sentence in embedded_entities("test"):
        np.testing.assert_array_equal(loaded.scores(sentence), tagger.scores(sentence))


def test_other_files_are_refused(tagger, tmp_path):
    path = tmp_path / "tagger.npz"
    tagger.parts[0].save(path)
    with pytest.raises(ValueError, match=r"tagger.npz: .*save it again"):
        ProductTagger.load(path)
    tagger.save(path)
    with pytest.raises(ValueError, match=r"tagger.npz: .*save it again"):
        ChainTagger.load(path)
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ValueError, match=r"tagger.npz: .*save it again"):
        ProductTagger.load(path)


def test_parts_must_agree(tagger):
    with pytest.raises(ValueError, match="in their order"):
        ProductTagger(tagger.product, tagger.parts[::-1], pairs=tagger.pairs)
    with pytest.raises(ValueError, match="pairs has shape"):
        ProductTagger(tagger.product, tagger.parts, pairs=np.zeros((2, 2)))
    twin = train(embedded_entities("train")[:5], decode, epochs=1).index
    with pytest.raises(ValueError, match="one feature index"):
        ProductTagger(tagger.product, [tagger.parts[0], _with(tagger.parts[1], twin)], pairs=tagger.pairs)


def _with(part, index):
    return ChainTagger(
        part.labels,
        index,
        weights=np.zeros((len(index), len(part.labels))),
        transition=part.transition,
        initial=part.initial,
        final=part.final,
    )


def test_embedded_entities_are_iob2():
    train_part, test_part = embedded_entities("train"), embedded_entities("test")
    assert len(train_part) + len(test_part) >= 60
    for sentence in (*train_part, *test_part):
        before = "O"
        for label in sentence.labels:
            entity = label.split("|")[1]
            assert not entity.startswith("I-") or before[2:] == entity[2:], sentence
            before = entity
    assert not {s.words for s in train_part} & {s.words for s in test_part}
