"""Adjacent siblings: a score for every two modifiers that follow each other on one side of a head."""

from __future__ import annotations

from typing import ClassVar

from gapless.core.sparse import IntArray
from gapless.roles import serialisable
from gapless_dependency.factors.backbone_factor import BackboneFactor, chains


@serialisable("gapless_dependency.AdjacentSibling")
class AdjacentSibling(BackboneFactor):
    """``scores[h, s, m]`` for s, m adjacent modifiers of h on one side, m the farther (McDonald and Pereira 2006).

    The first modifier m of h on a side scores ``scores[h, h, m]``. So each arc takes part once.

    Parameters
    ----------
    scores : (n + 1, n + 1, n + 1) array of numbers
    """

    name: ClassVar[str] = "adjacent-sibling"
    order: ClassVar[int] = 3
    backbones: ClassVar[tuple[str, ...]] = ("sibling", "carreras", "grand-sibling")

    def parts(self, heads: IntArray) -> list[tuple[int, ...]]:
        """One for each arc."""
        return [
            (head, nearer, farther)
            for (head, _), modifiers in chains(heads).items()
            for nearer, farther in zip([head, *modifiers[:-1]], modifiers, strict=True)
        ]
