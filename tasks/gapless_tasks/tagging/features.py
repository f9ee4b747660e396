"""Sparse lexical features of each word in its context, indexed into integers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gapless_tasks.tagging.lexicon import LabelLexicon
from gapless_tasks.tagging.sentence import TaggedSentence
from gapless_tasks.tagging.word_form import normal, short_shape, spelling

Ids = NDArray[np.intp]

_BOUNDARY = "\n"
"""Stands for the word before the first and after the last: no word holds a line break."""


class _Word:
    """The features of a word type by the position from which they are seen, computed once per type."""

    __slots__ = ("key", "low", "near", "own")

    def __init__(self, word: str, lexicon: LabelLexicon) -> None:
        if word == _BOUNDARY:
            self.low = self.key = _BOUNDARY
            self.near = [_BOUNDARY]
            self.own: list[str] = []
            return
        self.low = normal(word)
        self.key = lexicon[word]
        self.near = [f"s{self.low[-3:]}", f"t{self.low[-2:]}", f"b{short_shape(word)}"]
        self.own = [f"W{word}", f"w{self.low}", f"k{self.key}", *spelling(word)]


def context_features(words: Sequence[str], lexicon: LabelLexicon, cache: dict[str, _Word]) -> list[list[str]]:
    view = []
    for word in (_BOUNDARY, _BOUNDARY, *words, _BOUNDARY, _BOUNDARY):
        form = cache.get(word)
        if form is None:
            form = cache[word] = _Word(word, lexicon)
        view.append(form)
    rows = []
    for i in range(2, len(view) - 2):
        b, a, x, y, z = view[i - 2 : i + 3]
        row = ["bias", *x.own]
        row += [f"-{f}" for f in a.near]
        row += [f"+{f}" for f in y.near]
        suffix = x.low[-3:]
        row += [
            f"A{a.low}", f"B{b.low}", f"Y{y.low}", f"Z{z.low}",
            f"ka{a.key}", f"kb{b.key}", f"ky{y.key}", f"kz{z.key}",
            f"ax{a.low} {x.low}", f"xy{x.low} {y.low}", f"ay{a.low} {y.low}", f"ba{b.low} {a.low}", f"yz{y.low} {z.low}",
            f"kax{a.key} {x.key}", f"kxy{x.key} {y.key}", f"kaxy{a.key} {x.key} {y.key}", f"kba{b.key} {a.key}", f"kyz{y.key} {z.key}",
            f"kay{a.key} {y.key}",f"kbax{b.key} {a.key} {x.key}",f"kxyz{x.key} {y.key} {z.key}",
            f"kaw{a.key} {x.low}", f"kwy{x.low} {y.key}",f"kawy{a.key} {x.low} {y.key}",
            f"sa{a.low} {suffix}", f"sy{suffix} {y.low}",f"ska{a.key} {suffix}", f"sky{suffix} {y.key}",
        ]
        if i == 2:
            row.append(f"first{suffix}")
            row.append(f"first{short_shape(x.low)}")
        rows.append(row)
    return rows
