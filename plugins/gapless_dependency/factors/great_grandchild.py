"""Great-grandchildren: a score for every chain of three arcs."""

from __future__ import annotations

from typing import ClassVar

from gapless.core.sparse import IntArray
from gapless.roles import serialisable
from gapless_dependency.arcs import Arcs
from gapless_dependency.factors.arc_scopes import arc_chains
from gapless_dependency.factors.part_factor import PartFactor


@serialisable("gapless_dependency.GreatGrandchild")
class GreatGrandchild(PartFactor):
    """``scores[a, g, h, m]`` fires for the arcs a -> g, g -> h and h -> m (Qian and Liu 2013, section 4.3).

    Parameters
    ----------
    scores : (n + 1, n + 1, n + 1, n + 1) array of numbers, or callable
        A callable gets four int64 arrays (parts,) of positions a, g, h, m and returns scores (parts,). g and h are
        words, a may be the root.
    """

    name: ClassVar[str] = "great-grandchild"
    places: ClassVar[str] = "aghm"

    def arc_sets(self, arcs: Arcs) -> IntArray:
        """The arcs a -> g, g -> h and h -> m, int64 (parts, 3), sorted by the lowest arc."""
        return arc_chains(arcs, 3)

    def positions(self, scopes: IntArray, arcs: Arcs) -> tuple[IntArray, ...]:
        """Great-grandparent, grandparent, head, modifier."""
        return (*arcs.heads[scopes.T], arcs.modifiers[scopes[:, 2]])
