"""Siblings and tri-siblings: a score for every two or three modifiers of one head."""

from __future__ import annotations

from typing import ClassVar

from gapless.core.sparse import IntArray
from gapless.roles import serialisable
from gapless_dependency.arcs import Arcs
from gapless_dependency.factors.arc_scopes import arcs_of_one_head
from gapless_dependency.factors.part_factor import PartFactor


class _OneHead(PartFactor):
    """A score for all modifiers of a head, as many at a time as `places` has after the head."""

    def arc_sets(self, arcs: Arcs) -> IntArray:
        """Arcs of one head with ascending modifiers, int64 (parts, width), sorted by head."""
        return arcs_of_one_head(arcs, len(self.places) - 1)

    def positions(self, scopes: IntArray, arcs: Arcs) -> tuple[IntArray, ...]:
        """Head, then the modifiers."""
        return (arcs.heads[scopes[:, 0]], *arcs.modifiers[scopes.T])


@serialisable("gapless_dependency.Sibling")
class Sibling(_OneHead):
    """``scores[h, a, b]``, a < b, fires once for every two modifiers a, b of h, on whichever sides of it.

    All pairs, adjacent or not (Qian and Liu 2013, section 4.3).

    Parameters
    ----------
    scores : (n + 1, n + 1, n + 1) array of numbers, or callable
        A callable gets three int64 arrays (parts,) of positions h, a, b and returns scores (parts,).
    """

    name: ClassVar[str] = "sibling"
    places: ClassVar[str] = "hab"


@serialisable("gapless_dependency.TriSibling")
class TriSibling(_OneHead):
    """``scores[h, a, b, c]``, a < b < c, fires once for every three modifiers a, b, c of h.

    Adjacent or not, on whichever sides of the head (Qian and Liu 2013, section 4.3).

    Parameters
    ----------
    scores : (n + 1, n + 1, n + 1, n + 1) array of numbers, or callable
        A callable gets four int64 arrays (parts,) of positions h, a, b, c and returns scores (parts,).
    """

    name: ClassVar[str] = "tri-sibling"
    places: ClassVar[str] = "habc"
