"""The labels that each known word takes in the training part, and the spelling of words."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from gapless_models.tagging.sentence import TaggedSentence

MAX_AFFIX = 5
"""Longest prefix and suffix, in characters."""

_SHAPE_LENGTH = 12
_SIGNATURE_SHAPE_LENGTH = 4
_TELLING_SUFFIXES = (
    *("ness", "ment", "tion", "sion", "able", "ible", "less", "ship"),
    *("ing", "ion", "ity", "ous", "ful", "ive", "est", "ers", "ies", "ian", "ist", "ism", "ate", "ize"),
    *("ed", "er", "ly", "al", "ic", "es", "or", "ss", "us", "is", "y", "s", "n", "e"),
)
_DIGIT = re.compile(r"\d")
_RUN = re.compile(r"(.)\1+", re.DOTALL)


def shape(word: str) -> str:
    """Map each character to its class: ``X`` upper case, ``x`` lower case, ``d`` digit, else itself."""
    return "".join("X" if c.isupper() else "x" if c.islower() else "d" if c.isdigit() else c for c in word)


def short_shape(word: str) -> str:
    """Return :func:`shape` with each run of one class cut to a single character."""
    return _RUN.sub(r"\1", shape(word))


def normal(word: str) -> str:
    """Convert the word to lower case and write every digit as ``0``, so that numbers share their statistics."""
    return _DIGIT.sub("0", word.lower())


def signature(word: str) -> str:
    """Name the spelling class of an unknown word: capitalisation, digits, hyphen and an indicative suffix.

    Source: a short form of the unknown-word classes of Petrov, Barrett, Thibaux and Klein, "Learning
    accurate, compact, and interpretable tree annotation" (ACL 2006).
    """
    parts = ["?", short_shape(word)[:_SIGNATURE_SHAPE_LENGTH]]
    if "-" in word:
        parts.append("-")
    if len(word) > 3:
        lower = word.lower()
        parts.append(next((suffix for suffix in _TELLING_SUFFIXES if lower.endswith(suffix)), ""))
    return "".join(parts)


def spelling(word: str) -> list[str]:
    """List the spelling features of a word: affixes, shapes and flags, but not the word itself."""
    low = normal(word)
    longest = min(MAX_AFFIX, len(low))
    flags = (
        ("digit", any(c.isdigit() for c in word)),
        ("hyphen", "-" in word),
        ("capital", word[:1].isupper()),
        ("capitals", word.isupper()),
        ("inner", any(c.isupper() for c in word[1:])),
        ("period", "." in word and len(word) > 1),
        ("symbol", not any(c.isalnum() for c in word)),
    )
    raised = [name for name, value in flags if value]
    return [
        *(f"prefix={low[:k]}" for k in range(1, longest + 1)),
        *(f"suffix={low[-k:]}" for k in range(1, longest + 1)),
        f"shape={shape(word)[:_SHAPE_LENGTH]}",
        f"short={short_shape(word)}",
        *(f"flag={name}" for name in raised),
        *(f"flags={'+'.join(raised)} {low[-k:]}" for k in (1, 2, 3) if len(low) > k),
    ]


_INFLECTIONS = (
    *(("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("ed", "e"), ("ied", "y"), ("ing", ""), ("ing", "e")),
    *(("ly", ""), ("er", ""), ("er", "e"), ("est", ""), ("est", "e"), ("n't", "")),
)
"""English endings and their replacements in the base form."""

_ENDINGS = ("s", "ed", "ing", "d", "ly", "er")
_MIN_STEM = 3


class LabelLexicon:
    """A class for every word: its labels, most frequent first, or its spelling class if it is unknown.

    Parameters
    ----------
    classes : mapping of str to str
        The class of each known word.
    """

    def __init__(self, classes: Mapping[str, str]) -> None:
        self.classes = dict(classes)

    @classmethod
    def fit(cls, sentences: Iterable[TaggedSentence], min_share: float = 0.02) -> LabelLexicon:
        """Collect the ambiguity class of every word.

        Parameters
        ----------
        sentences : iterable of TaggedSentence
            The training part.
        min_share : float
            Labels that make up a smaller share of a word's occurrences are left out, in [0, 1].

        Returns
        -------
        LabelLexicon
        """
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for sentence in sentences:
            for word, label in zip(sentence.words, sentence.labels, strict=True):
                counts[word][label] += 1
        classes = {}
        for word, labels in counts.items():
            minimum = min_share * labels.total()
            ranked = sorted((-count, label) for label, count in labels.items() if count >= minimum)
            classes[word] = "/".join(label for _, label in ranked)
        return cls(classes)

    def __getitem__(self, word: str) -> str:
        """Return the class of `word`; an unknown one falls back on its lower case, then on its spelling."""
        if word in self.classes:
            return self.classes[word]
        lower = word.lower()
        if lower != word and lower in self.classes:
            return f"^{self.classes[lower]}"
        return signature(word)

    def relatives(self, word: str) -> list[str]:
        """List features from the classes of base and inflected forms, lower case, parts at a hyphen."""
        lower = word.lower()
        related = [
            f"base={ending} {self.classes[lower.removesuffix(ending) + instead]}"
            for ending, instead in _INFLECTIONS
            if lower.endswith(ending)
            and len(lower) >= len(ending) + _MIN_STEM
            and lower.removesuffix(ending) + instead in self.classes
        ]
        related += [f"form={end} {self.classes[lower + end]}" for end in _ENDINGS if lower + end in self.classes]
        if word[:1].isupper():
            below = self.classes.get(lower, "")
            related += [f"below={below}", f"cases={self.classes.get(word, '')} {below}"]
        if "-" in word[1:-1]:
            left, right = word.rsplit("-", 1)
            related += [f"left={self[left]}", f"right={self[right]}", f"halves={self[left]} {self[right]}"]
            related += [f"left word={left.lower()}", f"right word={right.lower()}"]
        return related
