"""Factors that are no conjunctions of arcs but that dynamic programs support: adjacent, outermost modifiers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from gapless import InvalidProblem
from gapless.arrays.score_array import bracketed, check_scores, score_array
from gapless.arrays.sparse import FloatArray, IntArray


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
        """For JSON."""
        return {"scores": self.scores}

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> Self:
        """Inverse of `to_fields`."""
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
