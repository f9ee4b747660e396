"""Feature templates as text, compiled into the arrays that the kernel hashes by.

A template is a list of terms, for instance ``"h.tag m-1.tag m.tag"``:

- ``h.tag``, ``m-1.word``: an atom of a position of the part, or of one beside it;
- ``order``: how the positions compare;
- ``verbs(h,m)``: how many verbs stand strictly between two positions (0, 1, 2, more); also marks, conjunctions;
- ``each(h,m).tag``: one feature for each position strictly between;
- ``*``: a second feature that knows the distance of the family's two outer positions, too.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from functools import lru_cache

import attrs
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


_ATOM, _ORDER, _DISTANCE, _COUNT = range(4)  # kinds of values, as gapless_kernels names them
_TERM = re.compile(r"(?P<slot>\w+?)(?P<offset>[+-]\d)?\.(?P<atom>\w+)")
_BETWEEN = re.compile(r"(?P<count>\w+)\((?P<a>\w+),(?P<b>\w+)\)(\.(?P<atom>\w+))?")


@attrs.frozen(eq=False)
class Templates:
    """The features of one family of parts.

    Parameters
    ----------
    name : str
        Of the family.
    slots : tuple of str
        Names of the positions of a part, in order.
    values : int32 (V, 4)
    rows : int32 (T, 5 + terms)
        Both as `gapless_kernels.score_parts` reads them.
    """

    name: str
    slots: tuple[str, ...]
    values: NDArray[np.int32]
    rows: NDArray[np.int32]

    @classmethod
    def of(cls, name: str, seed: int, slots: str, distance: str, texts: Sequence[str]) -> Templates:
        """Compile templates.

        Parameters
        ----------
        seed : int
            Template i hashes from ``seed + i``; families must not overlap.
        slots : str
            Names of the positions, separated by blanks.
        distance : str
            The two slots whose distance ``*`` means.

        Raises
        ------
        ValueError
            If a term is none of the above; the message names it.
        """
        names = tuple(slots.split())
        values: list[tuple[int, int, int, int]] = []

        def value(*row: int) -> int:
            if row not in values:
                values.append(row)  # type: ignore[arg-type]
            return values.index(row)  # type: ignore[arg-type]

        rows: list[list[int]] = []
        for i, text in enumerate(texts):
            companion, between, terms = -1, [-1, -1, 0], []
            for term in text.split():
                atom, span = _TERM.fullmatch(term), _BETWEEN.fullmatch(term)
                try:
                    if term == "*":
                        a, b = distance.split()
                        companion = value(_DISTANCE, names.index(a), names.index(b), 0)
                    elif term == "order":
                        terms.append(value(_ORDER, 0, 0, 0))
                    elif atom:
                        offset = int(atom["offset"] or 0)
                        if abs(offset) > PAD:
                            raise ValueError(f"looks further than {PAD} positions")
                        terms.append(value(_ATOM, names.index(atom["slot"]), offset, ATOMS.index(atom["atom"])))
                    elif span and span["count"] == "each":
                        between = [names.index(span["a"]), names.index(span["b"]), ATOMS.index(span["atom"])]
                    elif span:
                        ends = names.index(span["a"]), names.index(span["b"])
                        terms.append(value(_COUNT, *ends, ATOMS.index(span["count"])))
                    else:
                        raise ValueError("is no term")
                except ValueError as error:
                    raise ValueError(f"{name}: template {text!r}: {term!r}: {error}") from error
            rows.append([seed + i, companion, *between, *terms])
        width = max(map(len, rows))
        filled = [row + [-1] * (width - len(row)) for row in rows]
        return cls(name, names, np.array(values, np.int32).reshape(-1, 4), np.array(filled, np.int32))
