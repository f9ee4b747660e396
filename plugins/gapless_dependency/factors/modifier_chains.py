"""Scores of neighbours and ends in the chain of modifiers on one side of a head."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import ClassVar

from gapless.arrays.sparse import IntArray
from gapless.roles import serialisable
from gapless_dependency.factors.backbone_factor import BackboneFactor, chains


def _adjacent(heads: IntArray) -> Iterator[tuple[int, int, int]]:
    """List each head with every two adjacent modifiers on a side; the head stands for the one before the first."""
    for (head, _), modifiers in chains(heads).items():
        for nearer, farther in itertools.pairwise([head, *modifiers]):
            yield head, nearer, farther


@serialisable("gapless_dependency.AdjacentSibling")
class AdjacentSibling(BackboneFactor):
    """``scores[h, s, m]`` for s, m adjacent modifiers of h on one side, m the farther (McDonald and Pereira 2006).

    The first modifier m of h on a side scores ``scores[h, h, m]``. So each arc takes part once.

    Parameters
    ----------
    scores : (n + 1, n + 1, n + 1) array of numbers

    Examples
    --------
    >>> import gapless as gl
    >>> import numpy as np
    >>> from gapless_dependency import ParsingProblem
    >>> scores = np.array([[0, 1, 5, 0], [0, 0, 1, 1], [0, 4, 0, 3], [0, 1, 2, 0.0]])
    >>> from gapless_dependency import AdjacentSibling
    >>> bonus = np.zeros((4, 4, 4))
    >>> bonus[0, 2, 3] = 9.0  # words 2 and 3 next to each other under the root
    >>> chain = AdjacentSibling(bonus)
    >>> gl.solve(ParsingProblem(scores, factors=[chain], projective=True, single_root=False)).best.heads
    array([2, 0, 0])
    """

    name: ClassVar[str] = "adjacent-sibling"
    order: ClassVar[int] = 3
    backbones: ClassVar[tuple[str, ...]] = ("sibling", "carreras", "grand-sibling")

    def parts(self, heads: IntArray) -> list[tuple[int, ...]]:
        """List one part for each arc."""
        return [*_adjacent(heads)]


@serialisable("gapless_dependency.GrandSibling")
class GrandSibling(BackboneFactor):
    """``scores[g, h, s, m]`` for s, m adjacent modifiers of h on one side, g the head of h (Koo and Collins 2010).

    As in `AdjacentSibling`, s = h for the first modifier on a side. The root has no head: its modifiers score
    ``scores[0, 0, s, m]``.

    Parameters
    ----------
    scores : (n + 1, n + 1, n + 1, n + 1) array of numbers

    Examples
    --------
    >>> import numpy as np
    >>> from gapless_dependency import GrandSibling, ParsingProblem
    >>> ParsingProblem(np.zeros((4, 4)), factors=[GrandSibling(np.zeros((4, 4, 4, 4)))], projective=True)
    <ParsingProblem: 3 words, 9 arcs, projective, grand-sibling>
    """

    name: ClassVar[str] = "grand-sibling"
    order: ClassVar[int] = 4
    backbones: ClassVar[tuple[str, ...]] = ("grand-sibling",)

    def parts(self, heads: IntArray) -> list[tuple[int, ...]]:
        """List one part for each arc."""
        # By convention position 0 stands for the head of the root.
        above = [0, *heads.tolist()]
        return [(above[head], head, nearer, farther) for head, nearer, farther in _adjacent(heads)]


@serialisable("gapless_dependency.OutermostGrandchild")
class OutermostGrandchild(BackboneFactor):
    """``scores[h, m, c]`` for each arc h -> m and the farthest modifier c of m on each side of m (Carreras 2007).

    Each arc takes part twice: c is m's farthest modifier to the left, and then the one to the right. One of the
    two lies between h and m (Carreras' c_mi), the other beyond m (c_mo). A side without modifiers scores
    ``scores[h, m, m]``, so a word without any scores that twice. The root's arcs, h = 0, take part like all others.

    Parameters
    ----------
    scores : (n + 1, n + 1, n + 1) array of numbers

    Examples
    --------
    >>> import numpy as np
    >>> from gapless_dependency import OutermostGrandchild, ParsingProblem
    >>> ParsingProblem(np.zeros((4, 4)), factors=[OutermostGrandchild(np.zeros((4, 4, 4)))], projective=True)
    <ParsingProblem: 3 words, 9 arcs, projective, outermost-grandchild>
    """

    name: ClassVar[str] = "outermost-grandchild"
    order: ClassVar[int] = 3
    backbones: ClassVar[tuple[str, ...]] = ("carreras",)

    def parts(self, heads: IntArray) -> list[tuple[int, ...]]:
        """List two parts for each arc."""
        outwards = chains(heads)
        return [
            (head, modifier, outwards.get((modifier, side), [modifier])[-1])
            for modifier, head in enumerate(heads.tolist(), start=1)
            for side in (-1, 1)
        ]
