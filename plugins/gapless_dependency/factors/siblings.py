"""Siblings and tri-siblings: a score for every two or three modifiers of one head."""

from __future__ import annotations

from typing import ClassVar

from gapless.roles import serialisable
from gapless_dependency.factors.arc_family import ArcFamily


@serialisable("gapless_dependency.Sibling")
class Sibling(ArcFamily):
    """``scores[h, a, b]``, a < b, fires once for every two modifiers a, b of h, on whichever sides of it.

    All pairs, adjacent or not (Qian and Liu 2013, section 4.3).

    Parameters
    ----------
    scores : (n + 1, n + 1, n + 1) array of numbers, or callable
        A callable gets three int64 arrays (parts,) of positions h, a, b and returns scores (parts,).

    Examples
    --------
    >>> import gapless as gl
    >>> import numpy as np
    >>> from gapless_dependency import ParsingProblem
    >>> scores = np.array([[0, 1, 5, 0], [0, 0, 1, 1], [0, 4, 0, 3], [0, 1, 2, 0.0]])
    >>> from gapless_dependency import Sibling
    >>> bonus = np.zeros((4, 4, 4))
    >>> bonus[1, 2, 3] = 9.0
    >>> gl.solve(ParsingProblem(scores, factors=[Sibling(bonus)])).best.heads
    array([0, 1, 1])
    """

    name: ClassVar[str] = "sibling"
    chained: ClassVar[bool] = False
    places: ClassVar[str] = "hab"


@serialisable("gapless_dependency.TriSibling")
class TriSibling(ArcFamily):
    """``scores[h, a, b, c]``, a < b < c, fires once for every three modifiers a, b, c of h.

    Adjacent or not, on whichever sides of the head (Qian and Liu 2013, section 4.3).

    Parameters
    ----------
    scores : (n + 1, n + 1, n + 1, n + 1) array of numbers, or callable
        A callable gets four int64 arrays (parts,) of positions h, a, b, c and returns scores (parts,).

    Examples
    --------
    >>> import gapless as gl
    >>> import numpy as np
    >>> from gapless_dependency import ParsingProblem
    >>> scores = np.array([[0, 1, 5, 0], [0, 0, 1, 1], [0, 4, 0, 3], [0, 1, 2, 0.0]])
    >>> from gapless_dependency import TriSibling
    >>> bonus = np.zeros((4, 4, 4, 4))
    >>> bonus[0, 1, 2, 3] = 9.0
    >>> gl.solve(ParsingProblem(scores, factors=[TriSibling(bonus)], single_root=False)).best.heads
    array([0, 0, 0])
    """

    name: ClassVar[str] = "tri-sibling"
    chained: ClassVar[bool] = False
    places: ClassVar[str] = "habc"
