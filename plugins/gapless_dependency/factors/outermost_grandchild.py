"""Outermost grandchildren: a score for every arc with the farthest modifiers of its lower end."""

from __future__ import annotations

from typing import ClassVar

from gapless.core.sparse import IntArray
from gapless.roles import serialisable
from gapless_dependency.factors.backbone_factor import BackboneFactor, chains


@serialisable("gapless_dependency.OutermostGrandchild")
class OutermostGrandchild(BackboneFactor):
    """``scores[h, m, c]`` for each arc h -> m and the farthest modifier c of m on each side of m (Carreras 2007).

    Each arc takes part twice: c is m's farthest modifier to the left, and then the one to the right. One of the
    two lies between h and m (Carreras' c_mi), the other beyond m (c_mo). A side without modifiers scores
    ``scores[h, m, m]``, so a word without any scores that twice. The root's arcs, h = 0, take part like all others.

    Parameters
    ----------
    scores : (n + 1, n + 1, n + 1) array of numbers
    """

    name: ClassVar[str] = "outermost-grandchild"
    order: ClassVar[int] = 3
    backbones: ClassVar[tuple[str, ...]] = ("carreras",)

    def parts(self, heads: IntArray) -> list[tuple[int, ...]]:
        """Two for each arc."""
        known = chains(heads)
        return [
            (head, modifier, known.get((modifier, side), [modifier])[-1])
            for modifier, head in enumerate(heads.tolist(), start=1)
            for side in (-1, 1)
        ]
