"""Grandchildren and great-grandchildren: a score for every chain of two or three arcs."""

from __future__ import annotations

from typing import ClassVar

from gapless.roles import serialisable
from gapless_dependency.factors.arc_family import ArcFamily


@serialisable("gapless_dependency.Grandchild")
class Grandchild(ArcFamily):
    """``scores[g, h, m]`` fires for the arcs g -> h and h -> m, h being a word (Qian and Liu 2013, section 4.3).

    Parameters
    ----------
    scores : (n + 1, n + 1, n + 1) array of numbers, or callable
        A callable gets three int64 arrays (parts,) of positions g, h, m and returns scores (parts,).

    Examples
    --------
    >>> import gapless as gl
    >>> import numpy as np
    >>> from gapless_dependency import ParsingProblem
    >>> scores = np.array([[0, 1, 5, 0], [0, 0, 1, 1], [0, 4, 0, 3], [0, 1, 2, 0.0]])
    >>> from gapless_dependency import Grandchild
    >>> bonus = np.zeros((4, 4, 4))
    >>> bonus[1, 3, 2] = 9.0  # 1 heads 3, which heads 2
    >>> gl.solve(ParsingProblem(scores, factors=[Grandchild(bonus)])).best.heads
    array([0, 3, 1])
    """

    name: ClassVar[str] = "grandchild"
    chained: ClassVar[bool] = True
    places: ClassVar[str] = "ghm"


@serialisable("gapless_dependency.GreatGrandchild")
class GreatGrandchild(ArcFamily):
    """``scores[a, g, h, m]`` fires for the arcs a -> g, g -> h and h -> m (Qian and Liu 2013, section 4.3).

    Parameters
    ----------
    scores : (n + 1, n + 1, n + 1, n + 1) array of numbers, or callable
        A callable gets four int64 arrays (parts,) of positions a, g, h, m and returns scores (parts,). g and h are
        words, a may be the root.

    Examples
    --------
    >>> import gapless as gl
    >>> import numpy as np
    >>> from gapless_dependency import ParsingProblem
    >>> scores = np.array([[0, 1, 5, 0], [0, 0, 1, 1], [0, 4, 0, 3], [0, 1, 2, 0.0]])
    >>> from gapless_dependency import GreatGrandchild
    >>> bonus = np.zeros((4, 4, 4, 4))
    >>> bonus[0, 1, 3, 2] = 12.0
    >>> gl.solve(ParsingProblem(scores, factors=[GreatGrandchild(bonus)])).best.heads
    array([0, 3, 1])
    """

    name: ClassVar[str] = "great-grandchild"
    chained: ClassVar[bool] = True
    places: ClassVar[str] = "aghm"
