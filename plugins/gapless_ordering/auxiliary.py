"""Auxiliary words on edges: of all parallel edges between two vertices the best is kept, and which it was."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless import InvalidProblem
from gapless.arrays.score_array import bracketed, check_scores, score_array
from gapless.arrays.sparse import FloatArray
from gapless.roles import serialisable

DIRECT = -1


def _words(values: Any) -> tuple[str, ...]:
    return tuple(values)


def _via(values: Any) -> NDArray[np.int32]:
    array = np.array(values, np.int32)
    array.flags.writeable = False
    return array


@serialisable("gapless_ordering.Auxiliary")
@attrs.frozen(eq=False)
class Auxiliary:
    """The auxiliary word that the best edge between two vertices passes through.

    Parameters
    ----------
    words : tuple of str
    via : int32 (n, n)
        Number of the word, -1 where the direct edge is best.

    Examples
    --------
    >>> from gapless_ordering import Auxiliary
    >>> Auxiliary(["of", "the"], [[-1, 0], [1, -1]]).word(0, 1)
    'of'
    """

    words: tuple[str, ...] = attrs.field(converter=_words)
    via: NDArray[np.int32] = attrs.field(converter=_via, repr=False)

    def __attrs_post_init__(self) -> None:
        if self.via.ndim != 2 or (
            self.via.size and not DIRECT <= self.via.min() <= self.via.max() < len(self.words)
        ):
            raise InvalidProblem(f"via must hold numbers of {len(self.words)} auxiliary words, or {DIRECT}")

    def word(self, u: int, v: int) -> str | None:
        """Return the word between `u` and `v`, None for the direct edge."""
        number = int(self.via[u, v])
        return None if number == DIRECT else self.words[number]


@attrs.frozen(eq=False, init=False)
class AuxiliaryWords:
    """Scores of transitions through auxiliary words, as sums of two halves.

    The transition from u to v through word x scores ``before[u, x] + after[x, v]``: in a bigram model these are the
    log-probabilities of x after u and of v after x.

    Parameters
    ----------
    words : sequence of a str
    before : (n, a) array of numbers
    after : (a, n) array of numbers

    Examples
    --------
    >>> import numpy as np
    >>> from gapless_ordering import AuxiliaryWords
    >>> AuxiliaryWords(["of"], np.zeros((2, 1)), np.zeros((1, 2))).words
    ('of',)
    """

    words: tuple[str, ...]
    _edges: Any

    def __init__(self, words: Any, before: Any, after: Any) -> None:
        names = _named(words)
        left, right = _checked("before", before), _checked("after", after)
        if left.shape[1:] != (len(names),) or right.shape != (len(names), left.shape[0]):
            raise InvalidProblem(
                f"before has shape {left.shape} and after {right.shape}, expected (n, a) and (a, n) "
                f"for the {len(names)} auxiliary words"
            )
        self.__attrs_init__(names, lambda number: left[:, number, None] + right[number])

    @classmethod
    def of(cls, given: Any, shape: tuple[int, int]) -> AuxiliaryWords:
        """Return `given` as it is, or convert a mapping of words to edge scores (n, n)."""
        if isinstance(given, cls):
            return given
        if not isinstance(given, Mapping):
            raise InvalidProblem(
                f"auxiliary is {type(given).__name__}, expected AuxiliaryWords(words, before, after) "
                "or a mapping of words to (n, n) arrays"
            )
        edges = dict(zip(_named(given), given.values(), strict=True))
        tables = {word: _checked(f"auxiliary[{word!r}]", table) for word, table in edges.items()}
        for word, table in tables.items():
            if table.shape != shape:
                raise InvalidProblem(f"auxiliary[{word!r}] has shape {table.shape}, expected {shape}")
        # `__init__` takes halves, but here the edges come as whole tables.
        result = cls.__new__(cls)
        listed = list(tables.values())
        result.__attrs_init__(tuple(tables), listed.__getitem__)
        return result

    def join(self, direct: FloatArray) -> tuple[FloatArray, Auxiliary]:
        """Take the best of `direct` (n, n) and all transitions through words, and record which it was."""
        best, via = direct.copy(), np.full(direct.shape, DIRECT, np.int32)
        for number in range(len(self.words)):
            scores = self._edges(number)
            if scores.shape != best.shape:
                raise InvalidProblem(f"the auxiliary words join {len(scores)} vertices, ordering has {len(best)}")
            # Strictly better: ties go to the direct edge, then to the first word.
            better = scores > best
            best[better], via[better] = scores[better], number
        return best, Auxiliary(self.words, via)


def _named(words: Any) -> tuple[str, ...]:
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise InvalidProblem(f"words is {words!r}, expected a list of auxiliary words")
    names = tuple(words)
    for name in names:
        if not isinstance(name, str):
            raise InvalidProblem(f"the auxiliary word {name!r} is no string")
    return names


def _checked(name: str, values: Any) -> FloatArray:
    array = score_array(values, f"{name}: the scores")
    check_scores(array, bracketed(name))
    if array.ndim != 2:
        raise InvalidProblem(f"{name} has shape {array.shape}, expected two axes")
    return array
