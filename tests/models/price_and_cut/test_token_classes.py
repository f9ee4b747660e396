"""Classes of tokens: nested, the same in every run, never new in a sentence."""

import json
from dataclasses import replace

import numpy as np
import pytest

import gapless as gl
from gapless_models.parsing import Sentence
from gapless_models.parsing.treebank import embedded_treebank
from gapless_models.price_and_cut import TokenClasses
from gapless_models.price_and_cut.token_classes import COARSE, FINE, NOTHING, ROOT, UNSEEN, WORD, fine_tagged

TREEBANK = embedded_treebank()
CLASSES = TokenClasses.of(TREEBANK.train, fine=6, words=10, least=3)


def test_every_class_lies_within_one_of_each_coarser_level():
    for sentence in TREEBANK.test:
        tokens = CLASSES.of_sentence(sentence)
        for finer in range(1, 4):
            for coarser in range(finer + 1):
                assert np.array_equal(CLASSES.within(finer, coarser)[tokens[finer]], tokens[coarser])


def test_frequent_tags_and_words_have_classes_of_their_own():
    assert [CLASSES.size(level) for level in range(4)] == [1, *(2 + len(names) for names in CLASSES.names)]
    assert len(CLASSES.names[FINE - 1]) == len(CLASSES.names[COARSE - 1]) + 6
    assert len(CLASSES.names[WORD - 1]) == len(CLASSES.names[FINE - 1]) + 10
    the = Sentence(("The", "the", "thee"), ("DT",) * 3, ("DET",) * 3)
    words = CLASSES.of_sentence(the)[WORD]
    assert words[1] == words[2]  # letters in capitals make no other word
    assert words[3] == CLASSES.names[WORD - 1].index(("DET", "DT")) + 2


def test_the_root_and_what_training_never_saw():
    tokens = CLASSES.of_sentence(Sentence(("x",), ("NEVER",), ("SEEN",)))
    assert tokens[:, 0].tolist() == [0, ROOT, ROOT, ROOT]
    assert tokens[NOTHING, 1] == 0
    assert tokens[1:, 1].tolist() == [UNSEEN] * 3


def test_json_holds_them():
    again = TokenClasses.from_data(json.loads(json.dumps(CLASSES.to_data())))
    assert again.names == CLASSES.names
    with pytest.raises(gl.InvalidProblem, match="none of them twice"):
        TokenClasses((CLASSES.names[0] * 2, *CLASSES.names[1:]))
    with pytest.raises(gl.InvalidProblem, match="three levels"):
        TokenClasses(CLASSES.names[:2])


def test_rare_ones_have_none():
    rare = TokenClasses.of(TREEBANK.train, fine=100, words=1000, least=10**6)
    assert rare.names[1] == rare.names[2] == rare.names[0]


def test_morphology_stands_in_for_fine_tags_that_are_missing():
    sentence = Sentence(("a", "b", "c"), ("X", "X", "Y1"), ("X", "X", "Y"), features=("Case=Nom", "_", "Case=Ill"))
    assert fine_tagged(sentence).tags == ("X|Case=Nom", "X", "Y1")
    bare = replace(sentence, features=())
    assert fine_tagged(bare) == bare
