"""A sentence with one label for each word."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TaggedSentence:
    """Words and their gold labels.

    Parameters
    ----------
    words : tuple of str
        The ``n`` words, ``n >= 1``.
    labels : tuple of str
        The label of each word. Joint labels are written with ``|`` between the parts.

    Raises
    ------
    ValueError
        If there is no word, or the two lengths differ.
    """

    words: tuple[str, ...]
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.words:
            raise ValueError("a tagged sentence needs at least one word")
        if len(self.words) != len(self.labels):
            raise ValueError(f"{len(self.words)} words but {len(self.labels)} labels: give one label per word")

    def __len__(self) -> int:
        return len(self.words)
