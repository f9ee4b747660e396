"""``gapless_decoder``: other models' scores, compared with every sequence of labels."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

spacy = pytest.importorskip("spacy", reason="spaCy is not installed: pip install 'gapless[spacy]'")

from spacy.tokens import Doc  # noqa: E402
from spacy.training import Example  # noqa: E402

import gapless_spacy.factories  # noqa: E402, F401  an install from before there were entry points has none

DATA = [("the dog barks", ["DET", "NOUN", "VERB"]), ("a cat sleeps", ["DET", "NOUN", "VERB"])] * 5
LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]


@spacy.registry.misc("gapless_test_scores")
def make_scores(columns, seed):
    """Numbers that depend on the words alone."""

    def scores(docs: Sequence[Doc]) -> list[Any]:
        rows = [
            [np.random.default_rng([seed, *token.text.encode()]).normal(size=columns) for token in d] for d in docs
        ]
        return [np.array(one) for one in rows]

    return scores


def scored(seed, **config):
    nlp = spacy.blank("en")
    scores = {"@misc": "gapless_test_scores", "columns": len(LABELS), "seed": seed}
    nlp.add_pipe("gapless_decoder", config={"scores": scores, "labels": LABELS, **config})
    return nlp


@pytest.mark.parametrize("seed", range(5))
def test_the_best_of_all_sequences(seed):
    rng = np.random.default_rng(seed)
    transition = rng.normal(size=(len(LABELS),) * 2).round(2)
    nlp = scored(seed, transition=transition.tolist(), forbid=[["O", "O"]], certificates=True)
    doc = nlp("one two three four")
    (rows,) = make_scores(len(LABELS), seed)([doc])
    transition[0, 0] = -np.inf
    every = {
        labels: sum(rows[i, label] for i, label in enumerate(labels))
        + sum(transition[a, b] for a, b in itertools.pairwise(labels))
        for labels in itertools.product(range(len(LABELS)), repeat=4)
    }
    best = max(every, key=every.__getitem__)
    assert [token.tag_ for token in doc] == [LABELS[label] for label in best]
    assert doc._.gapless.value == pytest.approx(every[best])
    assert doc._.gapless.proved
    assert doc._.gapless.verify()


@pytest.mark.parametrize("seed", range(20))
def test_entities_are_whole(seed):
    doc = scored(seed, attr="ent")("one two three four five six")
    (rows,) = make_scores(len(LABELS), seed)([doc])
    greedy = [LABELS[label] for label in rows.argmax(1)]
    allowed = [
        LABELS[b].startswith("B-") or LABELS[b] == "O" or (i > 0 and LABELS[a] in (LABELS[b], f"B-{LABELS[b][2:]}"))
        for i, (a, b) in enumerate(itertools.pairwise([0, *rows.argmax(1)]))
    ]
    found = [f"{t.ent_iob_}-{t.ent_type_}" if t.ent_type_ else "O" for t in doc]
    if all(allowed):
        assert found == greedy
    else:
        assert found != greedy
        value = sum(rows[i, LABELS.index(label)] for i, label in enumerate(found))
        assert doc._.gapless.value == pytest.approx(value)


def trained():
    nlp = spacy.blank("en")
    nlp.add_pipe("tagger")
    nlp.add_pipe("gapless_decoder", config={"forbid": [["DET", "DET"]]})
    examples = [Example.from_dict(nlp.make_doc(text), {"tags": tags}) for text, tags in DATA]
    nlp.initialize(lambda: examples)
    for _ in range(5):
        nlp.update(examples)
    return nlp


def test_scores_of_a_tagger_in_the_pipeline(tmp_path):
    nlp = trained()
    doc = nlp("the the dog barks")
    assert [token.tag_ for token in doc][:2] != ["DET", "DET"]
    assert doc._.gapless.proved
    decoder = nlp.get_pipe("gapless_decoder")
    counted = np.exp(np.asarray(decoder.loaded.transition))
    assert counted[0, 0] == 0.0
    assert counted[0, 1] == pytest.approx(11 / 13)  # ten times noun after determiner, each pair counted once more
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)("the the dog barks")
    assert [token.tag_ for token in again] == [token.tag_ for token in doc]
    assert again._.gapless.value == pytest.approx(doc._.gapless.value, rel=1e-5)


def test_probabilities_are_multiplied():
    nlp = spacy.blank("en")
    nlp.add_pipe(
        "gapless_decoder", config={"scores": {"@misc": "gapless_test_shares"}, "labels": ["a", "b"], "log": True}
    )
    doc = nlp("x y")
    assert doc._.gapless.value == pytest.approx(2 * np.log(0.75))


@spacy.registry.misc("gapless_test_shares")
def make_shares():
    return lambda docs: [np.tile([0.25, 0.75], (len(doc), 1)) for doc in docs]


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"attr": "lemma"}, "choose one of tag, pos, ent"),
        ({"labels": None}, "scores need labels"),
        ({"labels": ["a"]}, "one row for each token"),
        ({"forbid": [["O", "X"]]}, "forbid names O X"),
    ],
)
def test_bad_settings_are_named(config, words):
    with pytest.raises(ValueError, match=words):
        scored(0, **config)("one two")


@spacy.registry.misc("gapless_test_forbidden")
def make_forbidden():
    """Probability 0 of every label."""
    return lambda docs: [np.zeros((len(doc), len(LABELS))) for doc in docs]


def test_what_no_label_is_allowed_for_is_not_proved():
    doc = scored(0)("one two")
    assert doc._.gapless.proved
    nlp = spacy.blank("en")
    config = {"scores": {"@misc": "gapless_test_forbidden"}, "labels": LABELS, "log": True}
    nlp.add_pipe("gapless_decoder", config=config)
    with pytest.warns(UserWarning, match="no answer is allowed"):
        nlp.get_pipe("gapless_decoder")(doc)
    (proof,) = doc._.gapless
    assert not proof.proved
    assert not doc._.gapless.proved
    assert not doc._.gapless.verify()


def test_stored_transitions_are_of_the_labels_of_the_scores():
    stored = scored(0).get_pipe("gapless_decoder").to_bytes()
    other = scored(0, labels=LABELS[::-1])
    other.get_pipe("gapless_decoder").from_bytes(stored)
    with pytest.raises(ValueError, match="in the same order"):
        other("one two")
