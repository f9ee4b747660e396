"""Factors over all chains of arcs, or all modifiers of one head: listed and looked up by compiled code."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

import gapless_kernels
from gapless.arrays.score_array import LARGEST
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.factors.factor import PrecheckedFactor
from gapless.roles import Decisions, serialisable
from gapless_dependency.arcs import Arcs, as_arcs
from gapless_dependency.factors.part_factor import PartFactor


class ArcFamily(PartFactor, PrecheckedFactor):
    """A score for every set of arcs of one kind; as many arcs as `places` names positions, less one."""

    chained: ClassVar[bool]
    """If True, each arc leaves the word that the previous one enters; otherwise all leave one head."""

    def arc_sets(self, arcs: Arcs) -> IntArray:
        """List the sets of arcs, int64 (parts, width): from the topmost, by the lowest; or ascending, by head."""
        width = len(self.places) - 1
        if self.chained:
            return gapless_kernels.arc_chains(arcs.heads, arcs.modifiers, arcs.first, width)
        return gapless_kernels.arcs_of_one_head(arcs.heads, arcs.modifiers, width)

    def positions(self, scopes: IntArray, arcs: Arcs) -> tuple[IntArray, ...]:
        """Return the heads from the topmost and the last modifier; or the head and its modifiers."""
        rows = np.ascontiguousarray(scopes, np.int64)
        return tuple(gapless_kernels.part_positions(rows, arcs.heads, arcs.modifiers, self.chained))

    @property
    def ascending(self) -> bool:
        """Whether the scopes are sorted by their last arc, as chains are."""
        return self.chained

    def trusted_scopes(self, decisions: Decisions) -> IntArray | None:
        """Return the sets of arcs unless a subclass lists others."""
        # The checks that are skipped hold for the lists of the kernel only, not for a subclass of a user.
        kind = type(self)
        if kind.arc_sets is not ArcFamily.arc_sets or kind.scopes is not PartFactor.scopes:
            return None
        return self.scopes(decisions)

    def trusted_scores(self, scopes: IntArray, decisions: Decisions) -> FloatArray | None:
        """Return the scores of all sets unless a subclass scores them otherwise or one is not a valid score."""
        kind = type(self)
        if kind.positions is not ArcFamily.positions or kind.score is not PartFactor.score:
            return None
        table = self.scores.given
        # The kernel reads the table by strides of a C array; anything else takes the way of a callable.
        if not isinstance(table, np.ndarray) or not table.flags.c_contiguous:
            return self.score(scopes, decisions)
        arcs = as_arcs(decisions, self.name)
        scores, allowed = gapless_kernels.part_scores(
            table, scopes, arcs.heads, arcs.modifiers, self.chained, LARGEST
        )
        return scores if allowed else None


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
