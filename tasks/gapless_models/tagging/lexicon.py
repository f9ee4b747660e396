"""The labels that each known word takes in the training part."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from gapless_models.tagging.sentence import TaggedSentence
from gapless_models.tagging.word_form import signature

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
