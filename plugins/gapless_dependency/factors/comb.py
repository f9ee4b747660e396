"""Combs: a score for a run of consecutive words that all have one head."""

from __future__ import annotations

import operator
from typing import Any, ClassVar

import numpy as np

from gapless import InvalidProblem
from gapless.arrays.sparse import IntArray
from gapless.roles import serialisable
from gapless_dependency.arcs import Arcs
from gapless_dependency.factors.part_factor import PartFactor


@serialisable("gapless_dependency.Comb")
class Comb(PartFactor):
    """``scores[h, m]`` fires when h heads the `width` consecutive words that begin with m.

    Consecutive means that only h itself may stand between two of them, so with h = 3 and a width of 4 the comb that
    begins with 1 is 1, 2, 4, 5. Where h heads a longer run, every window of `width` words fires;
    combs of several widths are several factors. Combs with gaps are too many to list: name those that matter by
    `ArcConjunctions`.
    Source: Qian and Liu 2013, section 4.3, comb features.

    Parameters
    ----------
    scores : (n + 1, n + 1) array of numbers, or callable
        A callable gets two int64 arrays (parts,) of positions h, m and returns scores (parts,); `modifiers` gives
        the other words.
    width : int
        Number of modifiers, at least 4: fewer are siblings and tri-siblings.

    Examples
    --------
    >>> import numpy as np
    >>> import gapless as gl
    >>> from gapless_dependency import Comb, ParsingProblem
    >>> bonus = np.zeros((6, 6))
    >>> bonus[1, 2] = 9.0  # word 1 heads words 2 to 5
    >>> gl.solve(ParsingProblem(np.zeros((6, 6)), factors=[Comb(bonus)])).best.heads
    array([0, 1, 1, 1, 1])
    """

    name: ClassVar[str] = "comb"
    places: ClassVar[str] = "hm"

    def __init__(self, scores: Any, width: int = 4) -> None:
        super().__init__(scores)
        try:
            self.width = operator.index(width)
        except TypeError as error:
            raise InvalidProblem(f"comb: width is {width!r}, expected an integer of at least 4") from error
        if self.width < 4:
            raise InvalidProblem(f"comb: width is {width!r}, expected an integer of at least 4")

    def modifiers(self, heads: IntArray, first: IntArray) -> IntArray:
        """Return the modifiers of combs with these heads and first modifiers, int64 (parts, width)."""
        words = first[:, None] + np.arange(self.width)
        # A comb that begins left of its head skips the head itself.
        words += (first < heads)[:, None] & (words >= heads[:, None])
        return words

    def arc_sets(self, arcs: Arcs) -> IntArray:
        """List the arcs from h to `width` consecutive words, int64 (parts, width), ascending."""
        heads, first = np.nonzero(arcs.index >= 0)
        words = self.modifiers(heads, first)
        # Windows that reach beyond the last word do not exist.
        inside = words[:, -1] <= arcs.length
        sets: IntArray = arcs.index[heads[inside][:, None], words[inside]]
        return sets[(sets >= 0).all(axis=1)]

    def positions(self, scopes: IntArray, arcs: Arcs) -> tuple[IntArray, ...]:
        """Return head and first modifier."""
        return arcs.heads[scopes[:, 0]], arcs.modifiers[scopes[:, 0]]

    def to_fields(self) -> dict[str, Any]:
        """Return the constructor's arguments, for JSON."""
        return {**super().to_fields(), "width": self.width}
