"""Grandchildren: a score for every chain of two arcs."""

from __future__ import annotations

from typing import ClassVar

from gapless.core.sparse import IntArray
from gapless.roles import serialisable
from gapless_dependency.arcs import Arcs
from gapless_dependency.factors.arc_scopes import arc_chains
from gapless_dependency.factors.part_factor import PartFactor


@serialisable("gapless_dependency.Grandchild")
class Grandchild(PartFactor):
    """``scores[g, h, m]`` fires for the arcs g -> h and h -> m, h being a word (Qian and Liu 2013, section 4.3).

    Parameters
    ----------
    scores : (n + 1, n + 1, n + 1) array of numbers, or callable
        A callable gets three int64 arrays (parts,) of positions g, h, m and returns scores (parts,).
    """

    name: ClassVar[str] = "grandchild"
    places: ClassVar[str] = "ghm"

    def arc_sets(self, arcs: Arcs) -> IntArray:
        """The arcs g -> h and h -> m, int64 (parts, 2), sorted by the lower arc."""
        return arc_chains(arcs, 2)

    def positions(self, scopes: IntArray, arcs: Arcs) -> tuple[IntArray, ...]:
        """Grandparent, head, modifier."""
        above, below = scopes[:, 0], scopes[:, 1]
        return arcs.heads[above], arcs.heads[below], arcs.modifiers[below]
