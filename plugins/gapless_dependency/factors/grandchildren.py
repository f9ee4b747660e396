"""Grandchildren and great-grandchildren: a score for every chain of two or three arcs."""

from __future__ import annotations

from typing import ClassVar

from gapless.core.sparse import IntArray
from gapless.roles import serialisable
from gapless_dependency.arcs import Arcs
from gapless_dependency.factors.arc_scopes import arc_chains
from gapless_dependency.factors.part_factor import PartFactor


class _ArcChain(PartFactor):
    """A score for every chain of arcs down through the words of `places`."""

    def arc_sets(self, arcs: Arcs) -> IntArray:
        """The arcs of each chain, int64 (parts, width), from the topmost; sorted by the lowest."""
        return arc_chains(arcs, len(self.places) - 1)

    def positions(self, scopes: IntArray, arcs: Arcs) -> tuple[IntArray, ...]:
        """The heads, from the topmost, and the last modifier."""
        return (*arcs.heads[scopes.T], arcs.modifiers[scopes[:, -1]])


@serialisable("gapless_dependency.Grandchild")
class Grandchild(_ArcChain):
    """``scores[g, h, m]`` fires for the arcs g -> h and h -> m, h being a word (Qian and Liu 2013, section 4.3).

    Parameters
    ----------
    scores : (n + 1, n + 1, n + 1) array of numbers, or callable
        A callable gets three int64 arrays (parts,) of positions g, h, m and returns scores (parts,).
    """

    name: ClassVar[str] = "grandchild"
    places: ClassVar[str] = "ghm"


@serialisable("gapless_dependency.GreatGrandchild")
class GreatGrandchild(_ArcChain):
    """``scores[a, g, h, m]`` fires for the arcs a -> g, g -> h and h -> m (Qian and Liu 2013, section 4.3).

    Parameters
    ----------
    scores : (n + 1, n + 1, n + 1, n + 1) array of numbers, or callable
        A callable gets four int64 arrays (parts,) of positions a, g, h, m and returns scores (parts,). g and h are
        words, a may be the root.
    """

    name: ClassVar[str] = "great-grandchild"
    places: ClassVar[str] = "aghm"
