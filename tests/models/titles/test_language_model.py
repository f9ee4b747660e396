"""The bigram model: discounts as NLTK's, probabilities that sum to 1, back-off where nothing was seen."""

import numpy as np
import pytest

from gapless import InvalidProblem
from gapless_models.titles.corpus import load_corpus
from gapless_models.titles.language_model import BOUNDARY, UNKNOWN, BackOff, BigramModel, discounts, phrases
from gapless_models.titles.section import Section

nltk_probability = pytest.importorskip("nltk.probability")


@pytest.fixture(scope="module")
def corpus():
    return load_corpus(None)


@pytest.fixture(scope="module")
def model(corpus):
    return BigramModel.estimate((*corpus.train, *corpus.test), corpus.content.stem)


@pytest.mark.parametrize("seed", range(5))
def test_discounts_are_those_of_nltk(seed):
    counts = np.random.default_rng(seed).zipf(2.0, 3000).clip(max=300)
    found = discounts(counts)
    peer = nltk_probability.SimpleGoodTuringProbDist(
        nltk_probability.FreqDist({f"w{i}": int(count) for i, count in enumerate(counts)}), bins=10**6
    )
    seen = np.unique(counts)
    # NLTK scales the estimates so that they leave the mass of what was seen once: the proportions are ours.
    theirs = np.array([peer.prob(f"w{int(np.flatnonzero(counts == r)[0])}") for r in seen])
    ours = found[seen] * seen
    assert theirs / theirs.sum() == pytest.approx(ours / ours.sum(), rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_discounts_lie_between_0_and_1(seed):
    counts = np.random.default_rng(seed).zipf(2.2, 500)
    found = discounts(counts)[np.unique(counts)]
    assert (found > 0).all()
    assert (found < 1).all()


@pytest.mark.parametrize("counts", [[1, 1, 1], [5], [1, 2, 2, 3, 3, 3]])
def test_too_little_text_is_refused(counts):
    with pytest.raises(InvalidProblem, match="too little text for Good-Turing smoothing"):
        discounts(np.array(counts))


def test_what_was_not_seen_shares_the_rest_as_the_coarser_distribution_has_it():
    rng = np.random.default_rng(0)
    contexts, outcomes = rng.zipf(1.6, (2, 4000)).clip(max=40) - 1
    coarse = np.arange(1.0, 42.0)
    coarse /= coarse.sum()
    found = BackOff.estimate(contexts, outcomes, (41, 41), lambda _, o: coarse[o])
    table = found(np.arange(41)[:, None], np.arange(41)[None, :])
    assert table.sum(axis=1) == pytest.approx(1.0)
    seen = np.zeros((41, 41), bool)
    seen[contexts, outcomes] = True
    for row in range(41):
        if seen[row].any():
            rest = table[row][~seen[row]] / coarse[~seen[row]]
            assert rest == pytest.approx(rest[0])
    assert table[40] == pytest.approx(coarse)  # a context that was never seen
    counts = np.bincount(contexts * 41 + outcomes, minlength=41 * 41).reshape(41, 41)
    frequencies = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    assert (table[seen] < frequencies[seen]).all()


def test_probabilities_sum_to_1_after_every_word(model):
    vocabulary = list(model.numbers)
    table = np.exp(model.log_probabilities([*vocabulary[:400], "neverseen"], vocabulary))
    assert table.sum(axis=1) == pytest.approx(1.0)
    assert (table > 0).all()


def test_a_form_that_was_not_seen_profits_from_its_stem(model):
    """ "bicycle brakes" is in the text, "bicycle brake" is not; nor is "bicycle salts"."""
    text = " | ".join(" ".join(phrase) for phrase in phrases((*load_corpus(None).train, *load_corpus(None).test)))
    assert "stone bridges" in text
    assert "stone bridge |" not in text
    assert "stone bridge " not in text
    bridges, bridge, bank = model.log_probabilities(["stone"], ["bridges", "bridge", "bank"])[0]
    assert bridges > bridge > bank


def test_unseen_words_count_as_unknown(model):
    seen, unseen = model.log_probabilities(["the"], [UNKNOWN, "neverseen"])[0]
    assert seen == unseen
    assert "neverseen" not in model
    assert "bread" in model


def test_phrases_end_at_punctuation_and_placeholders_stay():
    section = Section("a", ("A",), (("The", "sum", ",", "or", "<math>", "Is", "it", "."), ("--",), ("Go",)))
    assert list(phrases([section])) == [["the", "sum"], ["or", "<math>", "is", "it"], ["go"]]


def test_boundaries_are_no_tokens(model):
    assert " " in BOUNDARY
    assert " " in UNKNOWN
    ends, goes_on = model.log_probabilities(["soil"], [BOUNDARY, "bread"])[0]
    assert ends > goes_on
