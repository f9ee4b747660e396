"""Grand-siblings: a score for every two adjacent modifiers together with the head of their head."""

from __future__ import annotations

from typing import ClassVar

from gapless.core.sparse import IntArray
from gapless.roles import serialisable
from gapless_dependency.factors.backbone_factor import BackboneFactor, chains


@serialisable("gapless_dependency.GrandSibling")
class GrandSibling(BackboneFactor):
    """``scores[g, h, s, m]`` for s, m adjacent modifiers of h on one side, g the head of h (Koo and Collins 2010).

    As in `AdjacentSibling`, s = h for the first modifier on a side. The root has no head: its modifiers score
    ``scores[0, 0, s, m]``.

    Parameters
    ----------
    scores : (n + 1, n + 1, n + 1, n + 1) array of numbers
    """

    name: ClassVar[str] = "grand-sibling"
    order: ClassVar[int] = 4
    backbones: ClassVar[tuple[str, ...]] = ("grand-sibling",)

    def parts(self, heads: IntArray) -> list[tuple[int, ...]]:
        """One for each arc."""
        above = [0, *heads.tolist()]
        return [
            (above[head], head, nearer, farther)
            for (head, _), modifiers in chains(heads).items()
            for nearer, farther in zip([head, *modifiers[:-1]], modifiers, strict=True)
        ]
