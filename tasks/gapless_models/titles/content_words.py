"""Words among tokens, content words among words, and their stems."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

import attrs

import gapless as gl
from gapless_models.titles.section import Section

PLACEHOLDERS = frozenset({"<math>", "<code>"})
"""Stand for a formula or a code fragment that was left out of the text."""
CLITICS = frozenset({"'s", "n't", "'re", "'ll", "'ve", "'d", "'m"})


def folded(token: str) -> str:
    """Fold a text for comparisons: lower case, straight apostrophes."""
    return token.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


def is_word(token: str) -> bool:
    """Return whether a token has a letter or a digit and is no placeholder."""
    return token not in PLACEHOLDERS and any(map(str.isalnum, token))


@attrs.frozen(slots=False)
class ContentWords:
    """Content words: those with a letter that are neither auxiliary words nor clitics.

    Parameters
    ----------
    auxiliary : tuple of str
        Prepositions, articles and the like, which a title may put between two content words.
    """

    auxiliary: tuple[str, ...]
    _stems: dict[str, str] = attrs.field(factory=dict, init=False, repr=False, eq=False)

    @cached_property
    def _others(self) -> frozenset[str]:
        return frozenset(self.auxiliary) | CLITICS

    @cached_property
    def _porter(self) -> Callable[[str], str]:
        return _porter()

    def of(self, tokens: Iterable[str]) -> list[str]:
        """Select the content words among `tokens`, folded, in their order."""
        return [word for word in map(folded, tokens) if self.is_content(word)]

    def is_content(self, word: str) -> bool:
        """Return whether a folded token is a content word."""
        return word not in PLACEHOLDERS and word not in self._others and any(map(str.isalpha, word))

    def stem(self, word: str) -> str:
        """Stem a folded word by Porter's algorithm, NLTK's default mode.

        Raises
        ------
        MissingDependency
            NLTK is not installed.
        """
        cached = self._stems.get(word)
        if cached is None:
            cached = self._stems[word] = self._porter(word)
        return cached

    def title_length(self, section: Section) -> int:
        """Count the content words of the true title, repeated ones included: k of the paper."""
        return len(self.of(section.title))


def _porter() -> Callable[[str], str]:
    try:
        from nltk.stem.porter import PorterStemmer  # noqa: PLC0415  slow to load: only when stems are needed
    except ImportError as error:
        raise gl.MissingDependency("stems need nltk: pip install 'gapless[tasks]'") from error
    stem: Callable[[str], str] = PorterStemmer().stem
    return stem
