"""Factors over whole families of arcs, chains or modifiers of one head, which compiled code lists and looks up."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

import gapless_kernels
from gapless.core.factor import TrustedFactor
from gapless.core.score_array import LARGEST
from gapless.core.sparse import FloatArray, IntArray
from gapless.roles import Decisions
from gapless_dependency.arcs import Arcs, as_arcs
from gapless_dependency.factors.part_factor import PartFactor


class ArcFamily(PartFactor, TrustedFactor):
    """A score for every set of arcs of one kind; as many arcs as `places` names positions, less one."""

    chained: ClassVar[bool]
    """Whether each arc leaves the word that the one before it enters; else all leave one head."""

    def arc_sets(self, arcs: Arcs) -> IntArray:
        """The sets of arcs, int64 (parts, width): from the topmost, sorted by the lowest; or ascending, by head."""
        width = len(self.places) - 1
        if self.chained:
            return gapless_kernels.arc_chains(arcs.heads, arcs.modifiers, arcs.first, width)
        return gapless_kernels.arcs_of_one_head(arcs.heads, arcs.modifiers, width)

    def positions(self, scopes: IntArray, arcs: Arcs) -> tuple[IntArray, ...]:
        """The heads from the topmost and the last modifier; or the head and its modifiers."""
        rows = np.ascontiguousarray(scopes, np.int64)
        return tuple(gapless_kernels.part_positions(rows, arcs.heads, arcs.modifiers, self.chained))

    @property
    def ascending(self) -> bool:
        """Chains are sorted by their lowest arc."""
        return self.chained

    def trusted_scopes(self, decisions: Decisions) -> IntArray | None:
        """The sets of arcs, unless a subclass lists others."""
        kind = type(self)
        if kind.arc_sets is not ArcFamily.arc_sets or kind.scopes is not PartFactor.scopes:
            return None
        return self.scopes(decisions)

    def trusted_scores(self, scopes: IntArray, decisions: Decisions) -> FloatArray | None:
        """Scores of all sets of arcs, unless a subclass scores them otherwise or one is not allowed."""
        kind = type(self)
        if kind.positions is not ArcFamily.positions or kind.score is not PartFactor.score:
            return None
        table = self.scores.given
        if not isinstance(table, np.ndarray) or not table.flags.c_contiguous:
            return self.score(scopes, decisions)
        arcs = as_arcs(decisions, self.name)
        scores, allowed = gapless_kernels.part_scores(
            table, scopes, arcs.heads, arcs.modifiers, self.chained, LARGEST
        )
        return scores if allowed else None
