"""Siblings: a score for every pair of modifiers of one head."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gapless import Decisions, Factor
from gapless.core.sparse import FloatArray, IntArray
from gapless_dependency.arcs import as_arcs
from gapless_dependency.factors.part_scores import PartScores


class Sibling(Factor):
    """``scores[h, a, b]``, a < b, fires once for every two modifiers a, b of h, on whichever sides of it.

    All pairs, adjacent or not (Qian and Liu 2013, section 4.3).

    Parameters
    ----------
    scores : (n + 1, n + 1, n + 1) array of numbers, or callable
        A callable gets three int64 arrays (parts,) of positions h, a, b and returns scores (parts,).
    """

    name: ClassVar[str] = "sibling"

    def __init__(self, scores: Any) -> None:
        self.scores = PartScores(self.name, scores, 3)

    def scopes(self, decisions: Decisions) -> IntArray:
        """The arcs h -> a and h -> b with a < b, int64 (parts, 2), sorted by head."""
        arcs = as_arcs(decisions, self.name)
        self.scores.check_length(arcs.length)
        pairs = []
        for head in range(arcs.length + 1):
            below = arcs.index[head][arcs.index[head] >= 0]
            first, second = np.triu_indices(below.size, 1)
            pairs.append(np.stack([below[first], below[second]], axis=1))
        return np.concatenate(pairs)

    def score(self, scopes: IntArray, decisions: Decisions) -> FloatArray:
        """Look the parts up."""
        arcs = as_arcs(decisions, self.name)
        first, second = scopes[:, 0], scopes[:, 1]
        return self.scores.lookup(arcs.heads[first], arcs.modifiers[first], arcs.modifiers[second])
