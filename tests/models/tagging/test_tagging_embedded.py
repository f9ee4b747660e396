"""The embedded corpus is what its description says."""

from collections import Counter

import pytest

from gapless_models.tagging import embedded_corpus

UNIVERSAL_TAGS = {
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM"),
    *("PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
}
NEVER = {
    "the": {"DET"},
    "and": {"CCONJ"},
    "of": {"ADP", "ADV"},
    "n't": {"PART"},
    "not": {"PART"},
    ".": {"PUNCT"},
}


@pytest.fixture(scope="module")
def parts():
    return {"train": embedded_corpus("train"), "test": embedded_corpus("test")}


def test_size_and_split(parts):
    total = len(parts["train"]) + len(parts["test"])
    assert total >= 160
    assert 0.15 <= len(parts["test"]) / total <= 0.25


def test_only_universal_tags_and_every_one_of_them(parts):
    used = {label for part in parts.values() for sentence in part for label in sentence.labels}
    assert used == UNIVERSAL_TAGS
    assert {label for sentence in parts["train"] for label in sentence.labels} == UNIVERSAL_TAGS


def test_no_sentence_occurs_twice(parts):
    counts = Counter(sentence.words for part in parts.values() for sentence in part)
    assert [words for words, count in counts.items() if count > 1] == []


def test_sentences_have_8_to_20_tokens_and_end_in_punctuation(parts):
    for part in parts.values():
        for sentence in part:
            assert 8 <= len(sentence) <= 20, sentence
            assert sentence.labels[-1] == "PUNCT", sentence


def test_unambiguous_function_words_and_punctuation(parts):
    for part in parts.values():
        for sentence in part:
            for word, label in zip(sentence.words, sentence.labels, strict=True):
                assert label in NEVER.get(word.lower(), UNIVERSAL_TAGS), (word, label, sentence)
                if label in {"PUNCT", "SYM"}:
                    assert not any(c.isalnum() for c in word), (word, label, sentence)
                if word[0].isdigit():
                    assert label == "NUM", (word, label, sentence)
