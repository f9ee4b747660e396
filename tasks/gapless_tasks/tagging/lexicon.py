"""The labels that each frequent word takes in the training part."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from gapless_tasks.tagging.sentence import TaggedSentence
from gapless_tasks.tagging.word_form import signature


class LabelLexicon:
    """A class for every word: its labels, most frequent first, or its spelling class if it is rare.

    Parameters
    ----------
    classes : mapping of str to str
        The class of each frequent word.
    """

    def __init__(self, classes: Mapping[str, str]) -> None:
        self.classes = dict(classes)

    @classmethod
    def fit(
        cls, sentences: Iterable[TaggedSentence], min_count: int = 5, min_share: float = 0.02
    ) -> LabelLexicon:
        """Collect the ambiguity classes of the words that occur often enough.

        Parameters
        ----------
        sentences : iterable of TaggedSentence
            The training part.
        min_count : int
            Words that occur less often get no class: in training the class of a rare word would give its own
            label away.
        min_share : float
            Labels that make up a smaller share of a word's occurrences are left out, in (0, 1].

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
            total = labels.total()
            if total >= min_count:
                kept = sorted((-c, label) for label, c in labels.items() if c >= min_share * total)
                classes[word] = "/".join(label for _, label in kept)
        return cls(classes)

    def __getitem__(self, word: str) -> str:
        """Return the class of `word`; a rare or unknown word falls back on its lower case, then spelling."""
        found = self.classes.get(word)
        if found is None and word[:1].isupper():
            lower = self.classes.get(word.lower())
            found = None if lower is None else f"^{lower}"
        return signature(word) if found is None else found
