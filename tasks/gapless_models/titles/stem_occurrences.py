"""Occurrences of the stems of a section's content words in its body."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from gapless_models.titles.content_words import ContentWords, folded, is_word
from gapless_models.titles.section import Section


@attrs.define
class Occurrences:
    """Counts of one stem.

    Parameters
    ----------
    first_token, first_sentence : int
        The position of its first occurrence, from 0.
    capitalised, acronyms : int
        Inside sentences: with a capital first letter, all in capitals. The first word of a sentence does not count.
    after_auxiliary, before_boundary, after_boundary : int
        Directly after an auxiliary word; before, after a punctuation mark or an end of the sentence.
    forms : dict of str to int
        Folded words with this stem.
    """

    first_token: int
    first_sentence: int
    count: int = 0
    sentences: set[int] = attrs.field(factory=set)
    capitalised: int = 0
    acronyms: int = 0
    after_auxiliary: int = 0
    before_boundary: int = 0
    after_boundary: int = 0
    forms: dict[str, int] = attrs.field(factory=dict)


@attrs.frozen
class Body:
    """The content words of one body.

    Parameters
    ----------
    tokens, sentences : int
        Their number.
    stems : mapping of str to Occurrences
        In the order in which they first occur.
    """

    tokens: int
    sentences: int
    stems: Mapping[str, Occurrences]

    @property
    def words(self) -> list[tuple[str, str]]:
        """Each distinct content word with its stem."""
        return [(word, stem) for stem, occurrences in self.stems.items() for word in occurrences.forms]


def read_body(section: Section, content: ContentWords) -> Body:
    """Count the stems of a section's body."""
    stems: dict[str, Occurrences] = {}
    position = 0
    for number, sentence in enumerate(section.body):
        words = [folded(token) for token in sentence]
        for index, (token, word) in enumerate(zip(sentence, words, strict=True)):
            if content.is_content(word):
                stem = content.stem(word)
                occurrences = stems.setdefault(stem, Occurrences(position + index, number))
                occurrences.count += 1
                occurrences.sentences.add(number)
                occurrences.forms[word] = occurrences.forms.get(word, 0) + 1
                if index:
                    occurrences.capitalised += token[0].isupper()
                    occurrences.acronyms += len(token) > 1 and token.isupper()
                    occurrences.after_auxiliary += words[index - 1] in content.auxiliary
                occurrences.after_boundary += not index or not is_word(words[index - 1])
                occurrences.before_boundary += index + 1 == len(words) or not is_word(words[index + 1])
        position += len(words)
    return Body(position, len(section.body), stems)
