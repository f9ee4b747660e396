"""Siblings: a score for every pair of modifiers of one head."""

from __future__ import annotations

from typing import ClassVar

from gapless.core.sparse import IntArray
from gapless.roles import serialisable
from gapless_dependency.arcs import Arcs
from gapless_dependency.factors.arc_scopes import arcs_of_one_head
from gapless_dependency.factors.part_factor import PartFactor


@serialisable("gapless_dependency.Sibling")
class Sibling(PartFactor):
    """``scores[h, a, b]``, a < b, fires once for every two modifiers a, b of h, on whichever sides of it.

    All pairs, adjacent or not (Qian and Liu 2013, section 4.3).

    Parameters
    ----------
    scores : (n + 1, n + 1, n + 1) array of numbers, or callable
        A callable gets three int64 arrays (parts,) of positions h, a, b and returns scores (parts,).
    """

    name: ClassVar[str] = "sibling"
    places: ClassVar[str] = "hab"

    def arc_sets(self, arcs: Arcs) -> IntArray:
        """The arcs h -> a and h -> b with a < b, int64 (parts, 2), sorted by head."""
        return arcs_of_one_head(arcs, 2)

    def positions(self, scopes: IntArray, arcs: Arcs) -> tuple[IntArray, ...]:
        """Head, first modifier, second modifier."""
        first, second = scopes[:, 0], scopes[:, 1]
        return arcs.heads[first], arcs.modifiers[first], arcs.modifiers[second]
