"""Attributes of tokens: three nested classifications, from coarse tags to frequent words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import attrs
import numpy as np

from gapless import InvalidProblem
from gapless.arrays.sparse import IntArray
from gapless_models.parsing import Sentence

NOTHING, COARSE, FINE, WORD = range(4)
"""Levels: one class for all; coarse tags; frequent fine tags; frequent words. Each refines the one before."""
LEVELS = ("nothing", "coarse", "fine", "word")
ROOT, UNSEEN = 0, 1
"""Classes of the artificial root and of words whose coarse tag never came in training, at every level but 0."""

Path = tuple[str, ...]
"""The key of a class: (), (coarse,), (coarse, fine) or (coarse, fine, word)."""


@attrs.frozen(eq=False)
class TokenClasses:
    """Classes of tokens at each level of detail.

    A word that is not frequent has no class of its own at the level of words: it is in the class of its fine tag,
    and with fine tags it is the same. So every class lies within one class of the level before.

    Parameters
    ----------
    names : tuple of sequences of tuples of str
        For the levels 1 to 3 what each class beyond `UNSEEN` stands for.
    """

    names: tuple[tuple[Path, ...], ...]
    _numbers: tuple[dict[Path, int], ...] = attrs.field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        numbers: tuple[dict[Path, int], ...] = tuple(
            {path: number for number, path in enumerate(paths, start=UNSEEN + 1)} for paths in self.names
        )
        object.__setattr__(self, "_numbers", numbers)
        if len(self.names) != WORD or any(len(set(paths)) < len(paths) for paths in self.names):
            raise InvalidProblem("token classes: expected three levels of classes, none of them twice")

    @classmethod
    def of(cls, sentences: Sequence[Sentence], *, fine: int, words: int, least: int = 10) -> TokenClasses:
        """Collect the classes of a training part.

        Parameters
        ----------
        fine, words : int
            Limit on fine tags and on words with a class of their own; the most frequent ones have one.
        least : int
            Only those that come so often have one.
        """
        counts = [Counter[Path](), Counter[Path](), Counter[Path]()]
        for sentence in sentences:
            for path in _paths(sentence):
                for level, counted in enumerate(counts, start=COARSE):
                    counted[path[:level]] += 1
        names = [tuple(sorted(counts[0]))]
        for counted, limit in zip(counts[1:], (fine, words), strict=True):
            # Ties are broken by the name: two runs must number the classes in the same way.
            ranked = sorted(counted, key=lambda path: (-counted[path], path))
            frequent = [path for path in ranked[:limit] if counted[path] >= least]
            names.append((*names[-1], *frequent))
        return cls(tuple(names))

    def size(self, level: int) -> int:
        """Return the number of classes of a level."""
        return 1 if level == NOTHING else UNSEEN + 1 + len(self.names[level - 1])

    def of_sentence(self, sentence: Sentence) -> IntArray:
        """Classify the positions 0 (the root) to n at each level, int64 (4, n + 1)."""
        numbers = np.zeros((len(LEVELS), len(sentence) + 1), np.int64)
        paths = _paths(sentence)
        for level in (COARSE, FINE, WORD):
            known = self._numbers[level - 1]
            numbers[level, 1:] = [_longest(known, path[:level]) for path in paths]
        return numbers

    def within(self, finer: int, coarser: int) -> IntArray:
        """Map each class of one level to the class of a coarser level that contains it, int64 (size of finer,)."""
        if coarser == NOTHING:
            return np.zeros(self.size(finer), np.int64)
        chain = np.arange(self.size(finer))
        for above, below in pairwise(range(finer, coarser - 1, -1)):
            known = self._numbers[below - 1]
            step = [ROOT, UNSEEN, *(_longest(known, path[:below]) for path in self.names[above - 1])]
            chain = np.array(step)[chain]
        return chain

    def to_data(self) -> list[list[list[str]]]:
        """Convert the classes to JSON data."""
        return [[list(path) for path in paths] for paths in self.names]

    @classmethod
    def from_data(cls, data: Any) -> TokenClasses:
        """Invert `to_data`."""
        return cls(tuple(tuple(tuple(map(str, path)) for path in paths) for paths in data))


def _paths(sentence: Sentence) -> list[Path]:
    lower = [word.lower() for word in sentence.words]
    return list(zip(sentence.coarse, sentence.tags, lower, strict=True))


def fine_tagged(sentence: Sentence) -> Sentence:
    """Add the morphological features to fine tags that only repeat the coarse ones.

    Some treebanks have no fine tags; there the features, such as case, say what fine tags say elsewhere.
    """
    if not sentence.features:
        return sentence
    tags = (
        f"{coarse}|{features}" if tag == coarse and features != "_" else tag
        for tag, coarse, features in zip(sentence.tags, sentence.coarse, sentence.features, strict=True)
    )
    return replace(sentence, tags=tuple(tags))


def _longest(known: Mapping[Path, int], path: Path) -> int:
    """Return the class of the longest known prefix."""
    while path and path not in known:
        path = path[:-1]
    return known[path] if path else UNSEEN
