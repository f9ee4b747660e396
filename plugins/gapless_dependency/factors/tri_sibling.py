"""Tri-siblings: a score for every three modifiers of one head."""

from __future__ import annotations

from typing import ClassVar

from gapless.core.sparse import IntArray
from gapless.roles import serialisable
from gapless_dependency.arcs import Arcs
from gapless_dependency.factors.arc_scopes import arcs_of_one_head
from gapless_dependency.factors.part_factor import PartFactor


@serialisable("gapless_dependency.TriSibling")
class TriSibling(PartFactor):
    """``scores[h, a, b, c]``, a < b < c, fires once for every three modifiers a, b, c of h.

    Adjacent or not, on whichever sides of the head (Qian and Liu 2013, section 4.3).

    Parameters
    ----------
    scores : (n + 1, n + 1, n + 1, n + 1) array of numbers, or callable
        A callable gets four int64 arrays (parts,) of positions h, a, b, c and returns scores (parts,).
    """

    name: ClassVar[str] = "tri-sibling"
    places: ClassVar[str] = "habc"

    def arc_sets(self, arcs: Arcs) -> IntArray:
        """The arcs h -> a, h -> b and h -> c with a < b < c, int64 (parts, 3), sorted by head."""
        return arcs_of_one_head(arcs, 3)

    def positions(self, scopes: IntArray, arcs: Arcs) -> tuple[IntArray, ...]:
        """Head, then the modifiers."""
        return (arcs.heads[scopes[:, 0]], *arcs.modifiers[scopes.T])
