"""Features: word forms, the lexicon, the index."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapless_models.tagging import TaggedSentence
from gapless_models.tagging.features import FeatureIndex, index_training
from gapless_models.tagging.lexicon import LabelLexicon, normal, shape, short_shape, signature
from gapless_models.tagging.templates import BIAS, Templates

SENTENCES = [
    TaggedSentence(("The", "dog", "runs"), ("DET", "NOUN", "VERB")),
    TaggedSentence(("The", "runs", "ended"), ("DET", "NOUN", "VERB")),
    TaggedSentence(("A", "dog", "ended", "it"), ("DET", "NOUN", "VERB", "PRON")),
]


@pytest.mark.parametrize(
    ("word", "full", "short", "low"),
    [
        ("McX-42", "XxX-dd", "XxX-d", "mcx-00"),
        ("U.S.", "X.X.", "X.X.", "u.s."),
        ("1,250", "d,ddd", "d,d", "0,000"),
    ],
)
def test_shapes(word, full, short, low):
    assert (shape(word), short_shape(word), normal(word)) == (full, short, low)


def test_signature_keeps_the_telling_suffix():
    assert signature("Greatness") == "?Xxness"
    assert signature("well-known") == "?x-x-n"
    assert signature("is") == "?x"


def test_lexicon_classes_and_fallbacks():
    lexicon = LabelLexicon.fit(SENTENCES)
    assert lexicon["runs"] == "NOUN/VERB"
    assert lexicon["Dog"] == "^NOUN"
    assert lexicon["walking"] == "?xing"
    assert "base=s NOUN" in lexicon.relatives("dogs")
    assert "right=NOUN" in lexicon.relatives("sheep-dog")


def test_lexicon_drops_rare_labels():
    noisy = [TaggedSentence(("of",), ("ADP",))] * 99 + [TaggedSentence(("of",), ("NOUN",))]
    assert LabelLexicon.fit(noisy)["of"] == "ADP"
    assert LabelLexicon.fit(noisy, min_share=0.0)["of"] == "ADP/NOUN"


TEMPLATES = Templates(LabelLexicon.fit(SENTENCES))


@given(st.lists(st.text(max_size=8), max_size=6))
def test_every_word_has_the_bias_and_no_feature_twice(words):
    rows = TEMPLATES.features(words)
    assert len(rows) == len(words)
    for row in rows:
        assert BIAS in row
        assert len(set(row)) == len(row)


def test_training_features_do_not_see_their_own_labels():
    once = [TaggedSentence((f"zyx{i}", "."), ("NOUN", "PUNCT")) for i in range(10)]
    index, features = index_training(once, folds=5)
    assert "key=NOUN" not in index.numbers
    assert "key=PUNCT" in index.numbers
    assert index.lexicon["zyx3"] == "NOUN"
    assert [len(sentence) for sentence in features] == [2] * 10


def test_min_count_drops_rare_features_consistently():
    everything, full = index_training(SENTENCES, folds=3)
    index, features = index_training(SENTENCES, folds=3, min_count=2)
    assert sorted(index.numbers.values()) == list(range(len(index)))
    names, kept = list(everything.numbers), {i: name for name, i in index.numbers.items()}
    for all_of_it, some in zip(full, features, strict=True):
        for i in range(len(some)):
            before = [names[k] for k in all_of_it.ids[all_of_it.indptr[i] : all_of_it.indptr[i + 1]]]
            after = [kept[k] for k in some.ids[some.indptr[i] : some.indptr[i + 1]]]
            assert after == [name for name in before if name in index.numbers]
    only_bias, _ = index_training(SENTENCES, folds=3, min_count=1000)
    assert list(only_bias.numbers) == [BIAS]


def test_scores_sum_the_weight_rows():
    index, _ = index_training(SENTENCES)
    weights = np.random.default_rng(0).normal(size=(len(index), 4))
    found = index.features(("The", "unseen", "dog"))
    scores = found.scores(weights)
    assert scores.dtype == np.float64
    for i in range(3):
        active = found.ids[found.indptr[i] : found.indptr[i + 1]]
        np.testing.assert_allclose(scores[i], weights[active].sum(axis=0), atol=1e-12)
    assert index.features(()).scores(weights).shape == (0, 4)


def test_bad_arguments():
    with pytest.raises(ValueError, match="no training sentences"):
        index_training([])
    with pytest.raises(ValueError, match="folds=1"):
        index_training(SENTENCES, folds=1)
    with pytest.raises(ValueError, match="'bias' has no number"):
        FeatureIndex(LabelLexicon({}), {})
