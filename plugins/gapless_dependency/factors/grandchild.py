"""Grandchildren: a score for every chain of two arcs."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gapless import Decisions, Factor
from gapless.core.sparse import FloatArray, IntArray
from gapless_dependency.arcs import as_arcs
from gapless_dependency.factors.part_scores import PartScores


class Grandchild(Factor):
    """``scores[g, h, m]`` fires for the arcs g -> h and h -> m, h being a word (Qian and Liu 2013, section 4.3).

    Parameters
    ----------
    scores : (n + 1, n + 1, n + 1) array of numbers, or callable
        A callable gets three int64 arrays (parts,) of positions g, h, m and returns scores (parts,).
    """

    name: ClassVar[str] = "grandchild"

    def __init__(self, scores: Any) -> None:
        self.scores = PartScores(self.name, scores, 3)

    def scopes(self, decisions: Decisions) -> IntArray:
        """The arcs g -> h and h -> m, int64 (parts, 2), sorted by the lower arc."""
        arcs = as_arcs(decisions, self.name)
        self.scores.check_length(arcs.length)
        lower = np.flatnonzero(arcs.heads > 0)
        start, stop = arcs.first[arcs.heads[lower]], arcs.first[arcs.heads[lower] + 1]
        counts = stop - start
        below = np.repeat(lower, counts)
        above = np.arange(counts.sum()) + np.repeat(start - np.cumsum(counts) + counts, counts)
        acyclic = arcs.heads[above] != arcs.modifiers[below]
        return np.stack([above[acyclic], below[acyclic]], axis=1)

    def score(self, scopes: IntArray, decisions: Decisions) -> FloatArray:
        """Look the parts up."""
        arcs = as_arcs(decisions, self.name)
        above, below = scopes[:, 0], scopes[:, 1]
        return self.scores.lookup(arcs.heads[above], arcs.heads[below], arcs.modifiers[below])
