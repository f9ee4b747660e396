"""The marker before a verb."""

from hypothesis import given
from hypothesis import strategies as st

from gapless_models.tagging.templates import verb_context


def test_the_last_auxiliary_reaches_over_what_stands_between():
    assert verb_context(["They", "had", "n't", "yet", "really", "been", "told"]) == [
        ("", 0),
        ("", 1),
        ("have", 0),
        ("have", 1),
        ("have", 2),
        ("have", 3),
        ("be", 0),
    ]


def test_punctuation_ends_its_reach_and_case_does_not_matter():
    assert verb_context(["Will", "it", ",", "then", "go"]) == [
        ("", 0),
        ("modal", 0),
        ("modal", 1),
        (",", 0),
        (",", 1),
    ]


@given(st.lists(st.text(max_size=4), max_size=8))
def test_one_context_for_each_word(words):
    assert len(verb_context(words)) == len(words)
