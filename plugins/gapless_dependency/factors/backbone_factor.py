"""Factors that are no conjunctions of arcs but that dynamic programs support: adjacent, outermost modifiers."""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

from gapless import InvalidProblem
from gapless.arrays.score_array import bracketed, check_scores, score_array
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.roles import serialisable


class BackboneFactor(ABC):
    """A score for parts that depend on which modifiers a head does *not* have between two others.

    It is no function of a fixed set of arcs, so no method can price or split it; a higher-order dynamic program
    absorbs it, see `gapless_dependency.backbones`.

    Parameters
    ----------
    scores : (n + 1, ...) array of numbers, `order` axes
        The axes are the positions that make a part. -inf forbids a part. Kept read-only as float64.

    Raises
    ------
    InvalidProblem
        Not numbers, the wrong number of axes, unequal axes, NaN, plus infinity, beyond 1e12; the message names the
        place.

    Examples
    --------
    >>> from gapless_dependency import AdjacentSibling, BackboneFactor
    >>> issubclass(AdjacentSibling, BackboneFactor)
    True
    """

    name: ClassVar[str]
    order: ClassVar[int]
    backbones: ClassVar[tuple[str, ...]]
    """Names of the backbones that absorb it."""

    scores: FloatArray

    def __init__(self, scores: Any) -> None:
        array = score_array(scores, f"{self.name}: scores")
        if array.ndim != self.order or len(set(array.shape)) != 1:
            raise InvalidProblem(
                f"{self.name}: scores have shape {array.shape}, expected {self.order} axes of n + 1 positions each"
            )
        check_scores(array, bracketed(f"{self.name}: scores"))
        array.flags.writeable = False
        self.scores = array

    def check_length(self, length: int) -> None:
        """Raise `InvalidProblem` when the scores are for sentences of another length."""
        if len(self.scores) != length + 1:
            raise InvalidProblem(
                f"{self.name}: scores have shape {self.scores.shape}, expected {length + 1} on each axis "
                f"because the sentence has {length} words"
            )

    @abstractmethod
    def parts(self, heads: IntArray) -> list[tuple[int, ...]]:
        """List the parts of a tree, as indices of `scores`; ``heads[i]`` is the head of word ``i + 1``."""

    def value(self, heads: IntArray) -> float:
        """Return the score of a tree's parts; -inf if one is forbidden."""
        return math.fsum(float(self.scores[part]) for part in self.parts(heads))

    def to_fields(self) -> dict[str, Any]:
        """Return the constructor's argument, for JSON."""
        return {"scores": self.scores}

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> Self:
        """Build the factor from `to_fields`."""
        return cls(fields["scores"])


def chains(heads: IntArray) -> dict[tuple[int, int], list[int]]:
    """Map each head and side (-1 left, 1 right) with modifiers to these, from the head outwards."""
    outwards: dict[tuple[int, int], list[int]] = {}
    above = heads.tolist()
    for modifier, head in enumerate(above, start=1):
        if modifier > head:
            outwards.setdefault((head, 1), []).append(modifier)
    # Leftward modifiers from right to left, so that each list begins next to its head.
    for modifier in range(len(above), 0, -1):
        if modifier < above[modifier - 1]:
            outwards.setdefault((above[modifier - 1], -1), []).append(modifier)
    return outwards


def _adjacent(heads: IntArray) -> Iterator[tuple[int, int, int]]:
    """List each head with every two adjacent modifiers on a side; the head stands for the one before the first."""
    for (head, _), modifiers in chains(heads).items():
        for nearer, farther in itertools.pairwise([head, *modifiers]):
            yield head, nearer, farther


@serialisable("gapless_dependency.AdjacentSibling")
class AdjacentSibling(BackboneFactor):
    """``scores[h, s, m]`` for s, m adjacent modifiers of h on one side, m the farther (McDonald and Pereira 2006).

    The first modifier m of h on a side scores ``scores[h, h, m]``. So each arc takes part once.

    Parameters
    ----------
    scores : (n + 1, n + 1, n + 1) array of numbers

    Examples
    --------
    >>> import gapless as gl
    >>> import numpy as np
    >>> from gapless_dependency import ParsingProblem
    >>> scores = np.array([[0, 1, 5, 0], [0, 0, 1, 1], [0, 4, 0, 3], [0, 1, 2, 0.0]])
    >>> from gapless_dependency import AdjacentSibling
    >>> bonus = np.zeros((4, 4, 4))
    >>> bonus[0, 2, 3] = 9.0  # words 2 and 3 next to each other under the root
    >>> chain = AdjacentSibling(bonus)
    >>> gl.solve(ParsingProblem(scores, factors=[chain], projective=True, single_root=False)).best.heads
    array([2, 0, 0])
    """

    name: ClassVar[str] = "adjacent-sibling"
    order: ClassVar[int] = 3
    backbones: ClassVar[tuple[str, ...]] = ("sibling", "carreras", "grand-sibling")

    def parts(self, heads: IntArray) -> list[tuple[int, ...]]:
        """List one part for each arc."""
        return [*_adjacent(heads)]


@serialisable("gapless_dependency.GrandSibling")
class GrandSibling(BackboneFactor):
    """``scores[g, h, s, m]`` for s, m adjacent modifiers of h on one side, g the head of h (Koo and Collins 2010).

    As in `AdjacentSibling`, s = h for the first modifier on a side. The root has no head: its modifiers score
    ``scores[0, 0, s, m]``.

    Parameters
    ----------
    scores : (n + 1, n + 1, n + 1, n + 1) array of numbers

    Examples
    --------
    >>> import numpy as np
    >>> from gapless_dependency import GrandSibling, ParsingProblem
    >>> ParsingProblem(np.zeros((4, 4)), factors=[GrandSibling(np.zeros((4, 4, 4, 4)))], projective=True)
    <ParsingProblem: 3 words, 9 arcs, projective, grand-sibling>
    """

    name: ClassVar[str] = "grand-sibling"
    order: ClassVar[int] = 4
    backbones: ClassVar[tuple[str, ...]] = ("grand-sibling",)

    def parts(self, heads: IntArray) -> list[tuple[int, ...]]:
        """List one part for each arc."""
        # By convention position 0 stands for the head of the root.
        above = [0, *heads.tolist()]
        return [(above[head], head, nearer, farther) for head, nearer, farther in _adjacent(heads)]


@serialisable("gapless_dependency.OutermostGrandchild")
class OutermostGrandchild(BackboneFactor):
    """``scores[h, m, c]`` for each arc h -> m and the farthest modifier c of m on each side of m (Carreras 2007).

    Each arc takes part twice: c is m's farthest modifier to the left, and then the one to the right. One of the
    two lies between h and m (Carreras' c_mi), the other beyond m (c_mo). A side without modifiers scores
    ``scores[h, m, m]``, so a word without any scores that twice. The root's arcs, h = 0, take part like all others.

    Parameters
    ----------
    scores : (n + 1, n + 1, n + 1) array of numbers

    Examples
    --------
    >>> import numpy as np
    >>> from gapless_dependency import OutermostGrandchild, ParsingProblem
    >>> ParsingProblem(np.zeros((4, 4)), factors=[OutermostGrandchild(np.zeros((4, 4, 4)))], projective=True)
    <ParsingProblem: 3 words, 9 arcs, projective, outermost-grandchild>
    """

    name: ClassVar[str] = "outermost-grandchild"
    order: ClassVar[int] = 3
    backbones: ClassVar[tuple[str, ...]] = ("carreras",)

    def parts(self, heads: IntArray) -> list[tuple[int, ...]]:
        """List two parts for each arc."""
        outwards = chains(heads)
        return [
            (head, modifier, outwards.get((modifier, side), [modifier])[-1])
            for modifier, head in enumerate(heads.tolist(), start=1)
            for side in (-1, 1)
        ]
