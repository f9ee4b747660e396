"""A sentence with its dependency tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sentence:
    """The `n` words of a sentence, their tags, and the gold tree.

    Parameters
    ----------
    words : tuple of n str
    tags : tuple of n str
        Fine parts of speech (XPOS); ``_`` where there is none.
    coarse : tuple of n str
        Coarse parts of speech (UPOS); ``_`` where there is none.
    heads : tuple of n int
        The gold head of each word, 0 for the root; empty when the tree is not known.
    labels : tuple of n str
        The gold relation of each word; empty when not known.
    features : tuple of n str
        Morphological features of each word (FEATS), ``_`` where there are none; empty when not known.

    Raises
    ------
    ValueError
        If there is no word, lengths differ, or a head lies outside the sentence; the message names the word.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    coarse: tuple[str, ...]
    heads: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()
    features: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        n = len(self.words)
        if not n:
            raise ValueError("a sentence needs at least one word")
        for name in ("tags", "coarse"):
            if len(getattr(self, name)) != n:
                raise ValueError(f"{n} words but {len(getattr(self, name))} {name}: give one for each word")
        for name in ("heads", "labels", "features"):
            if len(getattr(self, name)) not in (0, n):
                raise ValueError(
                    f"{n} words but {len(getattr(self, name))} {name}: give one for each word, or none"
                )
        for i, head in enumerate(self.heads, start=1):
            if not 0 <= head <= n or head == i:
                raise ValueError(f"word {i} has head {head}, expected another of 0..{n}")

    def relations(self, heads: Sequence[int]) -> tuple[str, ...]:
        """Return the gold relation of each word whose head is the gold one; empty for the others."""
        gold = self.heads or (-1,) * len(self)
        known = self.labels or ("",) * len(self)
        return tuple(label if h == g else "" for label, h, g in zip(known, heads, gold, strict=True))

    def __len__(self) -> int:
        return len(self.words)
