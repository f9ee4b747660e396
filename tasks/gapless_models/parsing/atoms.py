"""Atoms of templates: a row of numbers for each position of a sentence."""

from __future__ import annotations

import zlib
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gapless_models.parsing.sentence import Sentence

PAD = 3
"""Rows before the root and after the last word, for templates that look beside a word."""
ATOMS = ("word", "lower", "tag", "coarse", "prefix", "suffix", "shape", "verbs", "marks", "conjunctions")
"""The columns; the last three hold running counts."""
_FORM = ("word", "lower", "prefix", "suffix", "shape")
_PREFIX, _SUFFIX, _COARSE = 5, 3, 2
_CONJUNCTIONS = frozenset({"CC", "CCONJ", "CONJ"})


def atoms_of(sentence: Sentence) -> NDArray[np.uint32]:
    """Compute atoms of a sentence, uint32 (n + 1 + 2 PAD, len(ATOMS)); row ``PAD + i`` is position i, 0 the root.

    Texts become numbers by CRC-32, so that no vocabulary is needed and runs agree. Where there is no coarse tag,
    the first two letters of the tag serve.
    """
    n = len(sentence)
    rows = [
        (*_form(word), _number("tag", tag), _number("coarse", coarse if coarse != "_" else tag[:_COARSE]))
        for word, tag, coarse in zip(sentence.words, sentence.tags, sentence.coarse, strict=True)
    ]
    outside = [tuple(_number("outside", str(side)) for _ in range(7)) for side in range(3)]
    table = np.zeros((n + 1 + 2 * PAD, len(ATOMS)), np.uint32)
    columns = [ATOMS.index(name) for name in (*_FORM, "tag", "coarse")]
    table[:PAD, columns], table[PAD, columns], table[PAD + n + 1 :, columns] = outside
    table[PAD + 1 : PAD + n + 1, columns] = rows
    kinds = [
        [
            coarse in {"VERB", "AUX"} or tag[:1] == "V" or tag == "MD",
            not any(c.isalnum() for c in word),
            tag in _CONJUNCTIONS or coarse in _CONJUNCTIONS,
        ]
        for word, tag, coarse in zip(sentence.words, sentence.tags, sentence.coarse, strict=True)
    ]
    table[PAD + 1 : PAD + n + 1, 7:] = np.cumsum(kinds, axis=0)
    table[PAD + n + 1 :, 7:] = table[PAD + n, 7:]
    return table


@lru_cache(maxsize=1 << 17)
def _number(kind: str, text: str) -> int:
    return zlib.crc32(f"{kind}:{text}".encode())


@lru_cache(maxsize=1 << 17)
def _form(word: str) -> tuple[int, int, int, int, int]:
    lower = word.lower()
    shape = f"{word[:1].isupper()} {any(c.isdigit() for c in word)} {'-' in word} {word.isalpha()}"
    return (
        _number("word", word),
        _number("lower", lower),
        _number("prefix", lower[:_PREFIX]),
        _number("suffix", lower[-_SUFFIX:]),
        _number("shape", shape),
    )
